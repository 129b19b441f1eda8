/** `quire review`: the proposals of notes, the newest first. */
import type { NotebookHistory } from '../../app/history.ts';
import { describeEdit, isWaiting, type Proposal } from '../../history/proposal.ts';
import { unknownProposal } from '../../history/proposals.ts';
import { AppError } from '../../shared/errors.ts';
import type { HistoryScope } from '../history/scope.ts';
import { authorOf, timeOf } from '../history/text.ts';
import { type Column, cutTo, tableOf, type View } from '../table.ts';

/** A proposal, and the notebook whose notes it would change. */
export interface FoundProposal {
  readonly notebook: NotebookHistory;
  readonly proposal: Proposal;
}

/** The newest first. Notebooks of the same notes have the same proposals. */
export async function proposalsIn({ notebooks }: Pick<HistoryScope, 'notebooks'>): Promise<FoundProposal[]> {
  const found = new Map<string, FoundProposal>();
  for (const notebook of notebooks)
    for (const proposal of await notebook.proposals.list())
      if (!found.has(proposal.id) || proposal.notebook === notebook.name)
        found.set(proposal.id, { notebook, proposal });
  return [...found.values()].sort((a, b) => (a.proposal.id < b.proposal.id ? 1 : -1));
}

export async function findProposal(scope: HistoryScope, id: string): Promise<FoundProposal> {
  const found = (await proposalsIn(scope)).find(({ proposal }) => proposal.id === id);
  if (found) return found;
  const elsewhere = (await proposalsIn({ notebooks: scope.others })).find(
    ({ proposal }) => proposal.id === id,
  );
  if (!elsewhere) throw unknownProposal(id);
  throw new AppError('not_found', 'This proposal belongs to another notebook', {
    subject: `${id} is of ${elsewhere.notebook.name}`,
    hint: `Give --notebook ${elsewhere.notebook.name}.`,
  });
}

export function listJson(found: readonly FoundProposal[]): string {
  return `${JSON.stringify({ proposals: found.map(proposalJson) }, null, 2)}\n`;
}

/** The notebook by its name in this configuration. */
export function proposalJson({ notebook, proposal }: FoundProposal) {
  const { id, at, tool, by, edits, decisions } = proposal;
  return {
    id,
    at: new Date(at).toISOString(),
    notebook: notebook.name,
    tool,
    by,
    edits: edits.map(({ kind, path, to, state }) => ({ kind, path, to, state })),
    decisions: decisions.map(({ at: when, ...decision }) => ({
      ...decision,
      at: new Date(when).toISOString(),
      edits: decision.edits.map((index) => index + 1),
    })),
  };
}

const COLUMNS: readonly Column<FoundProposal>[] = [
  { title: 'Time', value: ({ proposal }) => timeOf(proposal.at), min: 16, priority: 4 },
  { title: 'Proposal', value: ({ proposal }) => proposal.id, min: 17, priority: 6 },
  { title: 'Notebook', value: ({ notebook }) => notebook.name, min: 8, priority: 1 },
  { title: 'By', value: ({ proposal }) => authorOf(proposal.by), min: 12, priority: 2 },
  { title: 'What', value: ({ proposal }) => whatOf(proposal), min: 20, priority: 5 },
];

function whatOf(proposal: Proposal): string {
  const [first, ...rest] = proposal.edits.map(describeEdit);
  const what = rest.length === 0 ? (first ?? '') : `${first} and ${rest.length} more`;
  const outcome = proposal.decisions.at(-1)?.outcome;
  return isWaiting(proposal) || outcome === undefined ? what : `${outcome}: ${what}`;
}

export function listText(found: readonly FoundProposal[], view: View): string {
  if (found.length === 0)
    return 'No proposal waits. Changes wait where a notebook has review: destructive or review: all.\n';
  const next = 'quire review show <id> shows one; accept, reject and --interactive decide.';
  return `${[...tableOf(COLUMNS, found, view).lines, cutTo(next, view.width)].join('\n')}\n`;
}
