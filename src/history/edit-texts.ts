/** The texts of a recorded edit, and their difference. */
import { lineDiff } from '../notes/text/unified-diff.ts';
import type { RecordedEdit } from './change.ts';
import type { History } from './history.ts';

/** The texts before and after; empty where there was no note. Of a move, the text of the note that it replaced. */
export type EditTexts = { readonly before: string; readonly after: string } | 'not text' | 'not kept';

export async function textsOf(history: Pick<History, 'text'>, edit: RecordedEdit): Promise<EditTexts> {
  const texts: string[] = [];
  const hashes = edit.kind === 'move' ? [edit.replaced, undefined] : [edit.before, edit.after];
  for (const hash of hashes) {
    const bytes = hash === undefined ? Buffer.alloc(0) : await history.text(hash);
    if (!bytes) return 'not kept';
    const text = decode(bytes);
    if (text === undefined) return 'not text';
    texts.push(text);
  }
  return { before: texts[0] ?? '', after: texts[1] ?? '' };
}

/** Undefined for bytes that are no text. */
export function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A unified diff, or why there is none. */
export function diffOf(texts: EditTexts): string {
  if (texts === 'not text') return 'The file is not text.';
  if (texts === 'not kept') return 'The texts are no longer kept: this cannot be undone.';
  return lineDiff(texts.before, texts.after);
}

export interface LineCounts {
  readonly added: number;
  readonly removed: number;
}

export function countLines(texts: EditTexts): LineCounts | undefined {
  if (typeof texts === 'string') return undefined;
  const lines = lineDiff(texts.before, texts.after).split('\n');
  const count = (sign: string) => lines.filter((line) => line.startsWith(sign)).length;
  return { added: count('+'), removed: count('-') };
}

/** A few lines of each of several texts, from the first line on in which they differ. */
export interface Excerpts {
  /** From 1 on. */
  readonly line: number;
  /** In the order of the texts; undefined where there is none. */
  readonly texts: readonly (string | undefined)[];
}

export function excerptsOf(texts: readonly (Uint8Array | undefined)[], mostLines: number): Excerpts {
  const all = texts.map((bytes) => bytes && (decode(bytes) ?? '(not text)').split('\n'));
  const present = all.flatMap((lines) => (lines ? [lines] : []));
  const differs = (_: string, at: number) => present.some((lines) => lines[at] !== present[0]?.[at]);
  const start = Math.max(0, present[0]?.findIndex(differs) ?? 0);
  const excerpt = (lines: readonly string[]) => {
    const rest = lines.length > start + mostLines ? ['…'] : [];
    return [...lines.slice(start, start + mostLines), ...rest].join('\n');
  };
  return { line: start + 1, texts: all.map((lines) => lines && excerpt(lines)) };
}
