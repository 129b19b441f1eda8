/** Only for the view of an MCP App: what it calls when a person presses a button. */
import * as z from 'zod';
import { AppError } from '../../shared/errors.ts';
import { callerOf } from '../../shared/principal.ts';
import { VIEW_URI } from './app/view.ts';
import { defineTool } from './backend.ts';
import { proposalView } from './proposal-view.ts';

const number = () => z.number().int().min(1).max(10_000);
const key = () => z.string().max(200).default('');

export const decideProposal = defineTool({
  name: 'decide_proposal',
  title: 'Decide on a proposal',
  description: 'For the buttons of the view that shows a proposal to a person. A model cannot use it.',
  effect: 'write',
  view: { uri: VIEW_URI, isOnlyCaller: true },
  input: () =>
    z.strictObject({
      id: z.string().max(40).describe('Of the proposal'),
      page: key().describe('Value of the page'),
      ticket: key().describe('Ticket of the proposal; works once'),
      accept: z
        .array(z.strictObject({ note: number(), parts: z.array(number()).max(10_000).optional() }))
        .max(1_000)
        .default([])
        .describe('Notes by number; of some, only these parts'),
      reject: z.array(number()).max(1_000).default([]).describe('Notes by number'),
      comment: z.string().max(2_000).optional().describe('For the assistant'),
    }),
  output: () => z.object({ message: z.string(), proposal: z.unknown() }),
  async run({ id, page, ticket, accept, reject, comment }, call) {
    const caller = callerOf(call);
    const proposals = await call.backend.proposals();
    const isFromView = await proposals?.take(id, caller, { page, ticket });
    if (!proposals || !isFromView) throw onlyPeople(id);
    const { proposal, conflicts } = await proposals.decide(id, caller, {
      accept: new Map(
        accept.map(({ note, parts }) => [note - 1, parts ? new Set(parts.map((part) => part - 1)) : 'whole']),
      ),
      reject: reject.map((note) => note - 1),
      comment,
    });
    if (conflicts.length > 0)
      throw new AppError('conflict', 'The notes have changed since, so this cannot be accepted', {
        hint: `Nothing was changed. ${conflicts.map(({ path, reason }) => `${path}: ${reason}`).join(' ')}`,
      });
    const message =
      accept.length === 0 ? 'Rejected. Nothing was changed.' : 'Accepted. The change is in the notes.';
    return { value: { message, proposal: proposalView(proposal) } };
  },
});

function onlyPeople(id: string): AppError {
  return new AppError('forbidden', 'Only a person can decide on a proposal', {
    subject: id,
    hint: 'Nothing was changed. A person decides in the view in their chat, on the page Review or with quire review; a button of the view works once.',
  });
}
