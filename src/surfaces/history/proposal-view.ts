/** How a proposal is shown to the assistant that made it. */
import { type Proposal, stateOf } from '../../history/proposal.ts';

export function proposalView(proposal: Proposal) {
  const { id, at, notebook, tool, edits, decisions } = proposal;
  return {
    id,
    at: new Date(at).toISOString(),
    notebook,
    tool,
    state: stateOf(proposal),
    notes: edits.map(({ kind, path, to, state }) => ({ edit: kind, path, to, state })),
    decisions: decisions.map(({ at: when, by, outcome, edits: indexes, comment, change }) => ({
      at: new Date(when).toISOString(),
      by,
      outcome,
      notes: indexes.map((index) => edits[index]?.path),
      comment,
      change,
    })),
  };
}
