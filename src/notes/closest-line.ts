/** Finds the line of a note that most resembles a text which is not in it, to say how near a failed edit came. */
const MAX_LINES = 50_000;
const MAX_LENGTH = 400;
const SHOWN = 160;
const LEAST_SIMILAR = 0.3;

export interface NearLine {
  /** Counted from 1 at the top of the file. */
  readonly line: number;
  readonly text: string;
  /** What sets it apart, in words to append; empty when it is merely similar. */
  readonly why: string;
}

export function closestLine(text: string, wanted: string): NearLine | undefined {
  const wantedLine = wanted
    .split(/\r?\n/)
    .map((line) => line.trim())
    .reduce((longest, line) => (line.length > longest.length ? line : longest), '')
    .slice(0, MAX_LENGTH);
  if (wantedLine === '') return undefined;
  const wantedPairs = pairsOf(wantedLine.toLowerCase());
  let best: { index: number; line: string; score: number } | undefined;
  const lines = text.split(/\r?\n/, MAX_LINES);
  for (const [index, line] of lines.entries()) {
    const score = similarity(wantedPairs, line.trim().slice(0, MAX_LENGTH).toLowerCase());
    if (score > LEAST_SIMILAR && (!best || score > best.score)) best = { index, line, score };
  }
  if (!best) return undefined;
  const shown = best.line.length > SHOWN ? `${best.line.slice(0, SHOWN)}…` : best.line;
  return { line: best.index + 1, text: shown.toWellFormed(), why: difference(best.line, wantedLine) };
}

function difference(line: string, wanted: string): string {
  const squeeze = (text: string) => text.replace(/\s+/g, '');
  if (squeeze(line) === squeeze(wanted))
    return line.includes(wanted)
      ? ' (this line is right; another one of the text sought differs)'
      : ' (it differs in white space only)';
  return squeeze(line).toLowerCase() === squeeze(wanted).toLowerCase() ? ' (it differs in case only)' : '';
}

/**
 * Shared pairs of neighbouring characters, from 0 (none) to 1 (all): half for how much of the wanted text is in
 * the line, so that a word in a long line counts, half for how alike the two are as a whole.
 */
function similarity(wanted: ReadonlyMap<string, number>, line: string): number {
  if (line === '') return 0;
  const pairs = pairsOf(line);
  let shared = 0;
  let wantedTotal = 0;
  let lineTotal = 0;
  for (const [pair, count] of pairs) shared += Math.min(count, wanted.get(pair) ?? 0);
  for (const count of wanted.values()) wantedTotal += count;
  for (const count of pairs.values()) lineTotal += count;
  return shared / wantedTotal / 2 + shared / (wantedTotal + lineTotal);
}

function pairsOf(text: string): Map<string, number> {
  const pairs = new Map<string, number>();
  for (let at = 0; at < Math.max(1, text.length - 1); at++) {
    const pair = text.slice(at, at + 2);
    pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
  }
  return pairs;
}
