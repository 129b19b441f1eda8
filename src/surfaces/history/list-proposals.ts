import * as z from 'zod';
import { isWaiting, type Proposal, type ProposedEdit } from '../../history/proposal.ts';
import { unknownProposal } from '../../history/proposals.ts';
import { type Caller, callerOf } from '../../shared/principal.ts';
import { LIST_CHARACTERS, textPage } from '../shared/parameters.ts';
import { VIEW_URI } from './app/view.ts';
import { defineTool, type ProposalBackend } from './backend.ts';
import { partsOf, proposalView } from './proposal-view.ts';

const MOST = 50;

export const listProposals = defineTool({
  name: 'list_proposals',
  title: 'List proposals',
  description:
    'List your changes that wait for a person to accept or reject them, with the lines that they remove (-) and add (+). With `id`, one proposal, and what was decided on it. Only a person can decide. Example: {"id":"p01m7mhmx92qtjcfg"}',
  effect: 'read',
  view: { uri: VIEW_URI },
  input: () =>
    z.strictObject({
      id: z.string().max(40).optional().describe('Of one proposal; without it, all that wait'),
    }),
  output: () => z.object({ proposals: z.array(z.unknown()), note: z.string().optional() }),
  async run({ id }, call) {
    const caller = callerOf(call);
    const proposals = await call.backend.proposals();
    const own = (await proposals?.list(caller)) ?? [];
    const found = own.filter((proposal) => (id === undefined ? isWaiting(proposal) : proposal.id === id));
    if (!proposals || (id !== undefined && found.length === 0)) throw unknownProposal(id ?? '');
    const shown = found.slice(0, MOST);
    const budget = { left: LIST_CHARACTERS };
    const views = [];
    for (const proposal of shown) views.push(await viewOf(proposal, proposals, budget));
    const isCut = found.length > MOST || budget.left <= 0;
    return {
      value: {
        proposals: views,
        note: isCut ? 'There is more than an answer may hold; the rest is left out.' : undefined,
      },
      viewData: { tickets: ticketsFor(shown, proposals, caller) },
    };
  },
});

function ticketsFor(shown: readonly Proposal[], { ticketFor }: ProposalBackend, caller: Caller) {
  return Object.fromEntries(shown.filter(isWaiting).map(({ id }) => [id, ticketFor(id, caller)]));
}

async function viewOf(proposal: Proposal, { texts }: ProposalBackend, budget: { left: number }) {
  const view = proposalView(proposal);
  const notes = [];
  for (const [at, note] of view.notes.entries()) {
    const edit = proposal.edits[at] as ProposedEdit;
    const parts = [];
    for (const { line, diff } of partsOf(edit, await texts(proposal, edit))) {
      const { text } = textPage(diff, 0, Math.max(0, budget.left));
      budget.left -= text.length + 60;
      parts.push({ line, diff: text });
    }
    budget.left -= note.path.length + 100;
    notes.push({ ...note, parts });
  }
  return { ...view, notes };
}
