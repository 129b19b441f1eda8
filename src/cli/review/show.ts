/** `quire review show`: a proposal, with the parts of each note that can be accepted by themselves. */
import { proposedTexts } from '../../app/review.ts';
import { type Hunk, hunksOf } from '../../history/hunks.ts';
import { describeEdit, type ProposedEdit } from '../../history/proposal.ts';
import { authorOf, bold, diffLines, timeOf } from '../history/text.ts';
import { factLines, type View } from '../table.ts';
import { type FoundProposal, proposalJson } from './list.ts';

/** An edit with its texts, as far as they are kept and are text. */
export interface EditView {
  /** From 1 on. */
  readonly number: number;
  readonly edit: ProposedEdit;
  readonly before?: string;
  readonly after?: string;
  /** The parts of a changed note; undefined for an edit that is accepted or rejected whole. */
  readonly hunks?: readonly Hunk[];
}

export async function editViews({ notebook, proposal }: FoundProposal): Promise<EditView[]> {
  const views: EditView[] = [];
  for (const [at, edit] of proposal.edits.entries()) {
    const { before, after } = await proposedTexts(notebook, proposal, edit);
    const isInParts = edit.kind === 'write' && before !== undefined && after !== undefined;
    const hunks = isInParts ? hunksOf(before, after) : undefined;
    views.push({ number: at + 1, edit, before, after, hunks });
  }
  return views;
}

export async function shownJson(found: FoundProposal): Promise<string> {
  const edits = (await editViews(found)).map(({ number, edit, before, after, hunks }) => {
    const { kind, path, to, state } = edit;
    const parts = hunks?.map((hunk, at) => ({ part: `${number}.${at + 1}`, line: hunk.start + 1, ...hunk }));
    return { number, kind, path, to, state, before, after, parts };
  });
  return `${JSON.stringify({ ...proposalJson(found), edits }, null, 2)}\n`;
}

const INDENT = 11;

export async function shownText(found: FoundProposal, view: View): Promise<string> {
  const lines = headLines(found, view);
  for (const one of await editViews(found)) {
    lines.push('', editTitle(one, view));
    if (one.hunks) for (const at of one.hunks.keys()) lines.push(...partLines(one, at, view));
    else lines.push(...wholeLines(one, view));
  }
  return `${lines.join('\n')}\n`;
}

export function headLines({ notebook, proposal }: FoundProposal, view: View): string[] {
  const fact = (name: string, value: string) => factLines(name, value, view, INDENT);
  return [
    bold(`Proposal ${proposal.id}`, view),
    ...fact('Time', timeOf(proposal.at)),
    ...fact('Notebook', notebook.name),
    ...fact('By', authorOf(proposal.by)),
    ...fact('Tool', proposal.tool),
    ...proposal.decisions.flatMap(({ outcome, by, at, comment }) =>
      fact('Decided', `${outcome} by ${by}, ${timeOf(at)}${comment === undefined ? '' : `: ${comment}`}`),
    ),
  ];
}

export function editTitle({ number, edit }: EditView, view: View): string {
  const state = edit.state === 'waiting' ? '' : ` (${edit.state})`;
  return bold(`${number}. ${describeEdit(edit)}${state}`, view);
}

const LINES_AROUND = 3;

export function partLines({ number, before = '', hunks = [] }: EditView, at: number, view: View): string[] {
  const { start, removed, added } = hunks[at]!;
  const lines = before.split('\n');
  const end = start + removed.length;
  const signed = (sign: string, some: readonly string[]) =>
    some.map((line) => `${sign}${line.replace(/\r?\n$/, '')}`);
  const diff = [
    ...signed(' ', lines.slice(Math.max(0, start - LINES_AROUND), start)),
    ...signed('-', removed),
    ...signed('+', added),
    ...signed(' ', lines.slice(end, Math.min(lines.length - 1, end + LINES_AROUND))),
  ];
  return [`@@ part ${number}.${at + 1}, line ${start + 1} @@`, ...diff].flatMap((line) =>
    diffLines(line, view),
  );
}

export function wholeLines({ edit, before, after }: EditView, view: View): string[] {
  if (edit.kind === 'move') return ['The text stays as it is.'];
  const [sign, text] = edit.kind === 'delete' ? ['-', before] : ['+', after];
  if (text === undefined) return ['This is no text, or is not kept any more.'];
  return text
    .replace(/\n$/, '')
    .split('\n')
    .flatMap((line) => diffLines(`${sign}${line}`, view));
}
