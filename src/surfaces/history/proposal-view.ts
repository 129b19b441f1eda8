/** How a proposal is shown to the assistant that made it, and in the view. */
import { hunksOf } from '../../history/hunks.ts';
import { type Proposal, type ProposedEdit, stateOf } from '../../history/proposal.ts';

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

/** As far as they are text and kept. */
export interface ProposedTexts {
  readonly before?: string;
  readonly after?: string;
}

/** A place in a note where a proposal changes it, as lines with - and +. */
interface ProposedPart {
  /** From 1 on. */
  readonly line: number;
  readonly diff: string;
}

/** Those of a changed note can be accepted by themselves. */
export function partsOf(
  { kind }: Pick<ProposedEdit, 'kind'>,
  { before, after }: ProposedTexts,
): ProposedPart[] {
  if (kind === 'move') return [];
  const hunks =
    kind === 'write' && before !== undefined && after !== undefined ? hunksOf(before, after) : undefined;
  if (hunks)
    return hunks.map(({ start, removed, added }) => ({
      line: start + 1,
      diff: [...signed('-', removed), ...signed('+', added)].join('\n'),
    }));
  const [sign, text] = kind === 'delete' ? (['-', before] as const) : (['+', after] as const);
  return text === undefined
    ? []
    : [{ line: 1, diff: signed(sign, text.replace(/\n$/, '').split('\n')).join('\n') }];
}

function signed(sign: '-' | '+', lines: readonly string[]): string[] {
  return lines.map((line) => `${sign}${line.replace(/\r?\n$/, '')}`);
}
