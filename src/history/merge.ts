/** A three-way merge by lines (diff3). */
import { diff3Merge } from 'node-diff3';

const LINE = /[^\n]*\n|[^\n]+$/g;

/**
 * The text `ours` with the difference between `base` and `theirs` applied. Undefined when both changed one place, or
 * when one of them is not text. `line` matches the pieces that are compared, which make up the whole text.
 */
export function mergeTexts(
  base: Uint8Array,
  ours: Uint8Array,
  theirs: Uint8Array,
  line: RegExp = LINE,
): string | undefined {
  const [baseLines, ourLines, theirLines] = [base, ours, theirs].map((bytes) => linesOf(bytes, line));
  if (!baseLines || !ourLines || !theirLines) return undefined;
  const regions = diff3Merge(ourLines, baseLines, theirLines, { excludeFalseConflicts: true });
  if (regions.some(({ conflict }) => conflict)) return undefined;
  return regions.flatMap(({ ok = [] }) => ok).join('');
}

/** Each line with its line break. */
function linesOf(bytes: Uint8Array, line: RegExp): string[] | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.match(line) ?? [];
  } catch {
    return undefined;
  }
}
