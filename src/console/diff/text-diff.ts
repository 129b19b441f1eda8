/**
 * The difference of two texts as data: hunks of lines with the changed words marked, and the unchanged parts between
 * them. Bounded in time and size, whatever the texts are.
 */
import { type ChangeObject, diffWordsWithSpace, type StructuredPatchHunk, structuredPatch } from 'diff';

export interface DiffPart {
  readonly text: string;
  readonly isChanged: boolean;
}

export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  /** Numbers of the line, from 1 on. */
  readonly before?: number;
  readonly after?: number;
  readonly parts: readonly DiffPart[];
}

export interface DiffSection {
  /** Unchanged lines far from any change are a section of their own. */
  readonly kind: 'hunk' | 'unchanged';
  readonly lines: readonly DiffLine[];
  /** Lines that are left out, as there are too many. */
  readonly omitted: number;
}

export interface TextDiff {
  readonly sections: readonly DiffSection[];
  /** What the lines do not show. */
  readonly remarks: readonly string[];
}

const CONTEXT = 3;
/** No call of a tool is answered while texts are compared. */
const DIFF_MS = 250;
const WORDS_MS = 50;
/** Texts further apart are shown as one replaced by the other. */
const MOST_CHANGES = 4_000;
const MOST_WORD_CHARACTERS = 40_000;
/** Of the words of two runs of lines, how many must be common for the others to be worth marking. */
const LEAST_COMMON = 0.25;
const MOST_LINES = 2_000;

/** `firstLine` is the number of the first line of each text in its note. */
export function diffTexts(
  before: string,
  after: string,
  firstLine: { readonly before: number; readonly after: number } = { before: 1, after: 1 },
): TextDiff {
  const [old, fresh] = [withPlainEndings(before), withPlainEndings(after)];
  const remarks: string[] = [];
  if (endingsOf(before) !== endingsOf(after))
    remarks.push(`Line endings: ${endingsOf(before)} → ${endingsOf(after)}.`);
  if (old === fresh) return { sections: [], remarks };
  const hunks = hunksOf(old, fresh);
  if (!hunks)
    remarks.push('The texts differ too much to be compared: the old one stands before the new one.');
  const last = endRemark(old, fresh);
  if (last !== undefined) remarks.push(last);
  const sections = sectionsOf(hunks ?? [replacement(old, fresh)], linesOf(old), firstLine);
  return { sections: bounded(sections), remarks };
}

function withPlainEndings(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

function endingsOf(text: string): string {
  if (!text.includes('\r\n')) return 'LF';
  return /(?<!\r)\n/.test(text) ? 'mixed' : 'CRLF';
}

function endRemark(before: string, after: string): string | undefined {
  const isClosed = (text: string) => text === '' || text.endsWith('\n');
  if (isClosed(before) === isClosed(after)) return undefined;
  return isClosed(after) ? 'A line break was added at the end.' : 'The line break at the end was removed.';
}

function hunksOf(before: string, after: string): StructuredPatchHunk[] | undefined {
  const options = { context: CONTEXT, maxEditLength: MOST_CHANGES, timeout: DIFF_MS };
  return structuredPatch('', '', closed(before), closed(after), undefined, undefined, options)?.hunks;
}

/** A text without a line break at its end has the same last line as one with it; a remark tells them apart. */
function closed(text: string): string {
  return text === '' || text.endsWith('\n') ? text : `${text}\n`;
}

function linesOf(text: string): string[] {
  return text === '' ? [] : closed(text).slice(0, -1).split('\n');
}

function replacement(before: string, after: string): StructuredPatchHunk {
  const [old, fresh] = [linesOf(before), linesOf(after)];
  const lines = [...old.map((line) => `-${line}`), ...fresh.map((line) => `+${line}`)];
  return { oldStart: 1, newStart: 1, oldLines: old.length, newLines: fresh.length, lines };
}

function sectionsOf(
  hunks: readonly StructuredPatchHunk[],
  old: readonly string[],
  firstLine: { readonly before: number; readonly after: number },
): DiffSection[] {
  const sections: DiffSection[] = [];
  let [before, after] = [0, 0];
  const number = (): Pick<DiffLine, 'before' | 'after'> => ({
    before: before + firstLine.before,
    after: after + firstLine.after,
  });
  const keepUntil = (end: number) => {
    const lines: DiffLine[] = [];
    for (; before < end; before++, after++)
      lines.push({ kind: 'same', ...number(), parts: [{ text: old[before] ?? '', isChanged: false }] });
    if (lines.length > 0) sections.push({ kind: 'unchanged', lines, omitted: 0 });
  };
  for (const { oldStart, oldLines, lines } of hunks) {
    // A hunk without old lines names the line that it comes behind.
    keepUntil(oldLines === 0 ? Math.max(before, oldStart - 1) : oldStart - 1);
    const hunk: DiffLine[] = [];
    for (const { sign, parts } of withWords(lines)) {
      if (sign === ' ') hunk.push({ kind: 'same', before: number().before, after: number().after, parts });
      if (sign === '-') hunk.push({ kind: 'removed', before: number().before, parts });
      if (sign === '+') hunk.push({ kind: 'added', after: number().after, parts });
      if (sign !== '+') before++;
      if (sign !== '-') after++;
    }
    sections.push({ kind: 'hunk', lines: hunk, omitted: 0 });
  }
  keepUntil(old.length);
  return sections;
}

interface SignedLine {
  readonly sign: string;
  readonly parts: readonly DiffPart[];
}

/** Marks the changed words where lines were replaced by others. */
function withWords(lines: readonly string[]): SignedLine[] {
  const marked: SignedLine[] = [];
  const runFrom = (start: number, sign: string): string[] => {
    let end = start;
    while (lines[end]?.startsWith(sign)) end++;
    return lines.slice(start, end).map((line) => line.slice(1));
  };
  for (let at = 0; at < lines.length; ) {
    const sign = lines[at]?.[0] ?? ' ';
    if (sign !== '-') {
      if (sign !== '\\') marked.push({ sign, parts: whole((lines[at] ?? '').slice(1), false) });
      at++;
      continue;
    }
    const removed = runFrom(at, '-');
    const added = runFrom(at + removed.length, '+');
    const [old, fresh] = wordsOf(removed, added);
    marked.push(
      ...old.map((parts) => ({ sign: '-', parts })),
      ...fresh.map((parts) => ({ sign: '+', parts })),
    );
    at += removed.length + added.length;
  }
  return marked;
}

function whole(text: string, isChanged: boolean): DiffPart[] {
  return [{ text, isChanged }];
}

type MarkedLines = readonly (readonly DiffPart[])[];

function wordsOf(removed: readonly string[], added: readonly string[]): readonly [MarkedLines, MarkedLines] {
  const unmarked = [removed, added].map((lines) => lines.map((line) => whole(line, false)));
  const plain = [unmarked[0] ?? [], unmarked[1] ?? []] as const;
  const [old, fresh] = [removed.join('\n'), added.join('\n')];
  if (added.length === 0 || old.length + fresh.length > MOST_WORD_CHARACTERS) return plain;
  const changes = diffWordsWithSpace(old, fresh, { timeout: WORDS_MS, maxEditLength: MOST_CHANGES });
  if (!changes || commonOf(changes) < LEAST_COMMON * Math.max(letters(old), letters(fresh))) return plain;
  return [
    intoLines(changes.filter(({ added: isNew }) => !isNew)),
    intoLines(changes.filter(({ removed: isOld }) => !isOld)),
  ];
}

function commonOf(changes: readonly ChangeObject<string>[]): number {
  return changes.reduce((sum, { added, removed, value }) => sum + (added || removed ? 0 : letters(value)), 0);
}

function letters(text: string): number {
  return text.replace(/\s+/g, '').length;
}

function intoLines(changes: readonly ChangeObject<string>[]): DiffPart[][] {
  const lines: DiffPart[][] = [[]];
  for (const { value, added, removed } of changes)
    for (const [at, text] of value.split('\n').entries()) {
      if (at > 0) lines.push([]);
      if (text !== '') lines.at(-1)?.push({ text, isChanged: added || removed });
    }
  return lines;
}

/** Unchanged lines are left out first. A line counts as one for each hundred of its characters, as far as it is shown. */
function bounded(sections: readonly DiffSection[]): DiffSection[] {
  const sizeOf = (lines: readonly DiffLine[]) => lines.reduce((sum, { parts }) => sum + sizeOfLine(parts), 0);
  const changed = sizeOf(sections.flatMap(({ kind, lines }) => (kind === 'hunk' ? lines : [])));
  const left = { hunk: MOST_LINES, unchanged: MOST_LINES - changed };
  return sections.map(({ kind, lines }) => {
    const isShown = ({ parts }: DiffLine) => {
      left[kind] -= sizeOfLine(parts);
      return left[kind] >= 0;
    };
    const end = lines.findIndex((line) => !isShown(line));
    const shown = end < 0 ? lines : lines.slice(0, end);
    return { kind, lines: shown, omitted: lines.length - shown.length };
  });
}

const CHARACTERS_OF_A_LINE = 100;
const MOST_SIZE = 50;

function sizeOfLine(parts: readonly DiffPart[]): number {
  const characters = parts.reduce((sum, { text }) => sum + text.length, 0);
  return Math.min(MOST_SIZE, Math.ceil((characters + 1) / CHARACTERS_OF_A_LINE));
}
