/**
 * Text made comparable: line endings and Unicode forms are made alike and, if asked, case and accents are
 * dropped. Offsets lead back to the original, so that what is found can be shown or replaced untouched.
 */
export interface Folding {
  readonly ignoreCase?: boolean;
  readonly ignoreAccents?: boolean;
  readonly ignoreLineEndings?: boolean;
}

export interface Folded {
  readonly text: string;
  /** The offset in the original of the character that made the folded one at `offset`. */
  originalOffset(offset: number): number;
}

/** Marks, and the Korean letters that join the one before them. */
const JOINS_PREVIOUS = /^[\p{M}\u1160-\u11ff]/u;

export function fold(text: string, folding: Folding): Folded {
  if (!/[^\u0000-\u007f]/.test(text) && !(folding.ignoreLineEndings && text.includes('\r\n'))) {
    return { text: folding.ignoreCase ? text.toLowerCase() : text, originalOffset: (offset) => offset };
  }
  const pieces: string[] = [];
  const foldedStarts: number[] = [];
  const originalStarts: number[] = [];
  let length = 0;
  const add = (piece: string, original: number) => {
    foldedStarts.push(length);
    originalStarts.push(original);
    pieces.push(piece);
    length += piece.length;
  };
  const addPlain = (from: number, to: number) => {
    const run = text.slice(from, to);
    if (run !== '') add(folding.ignoreCase ? run.toLowerCase() : run, from);
  };

  let plainFrom = 0;
  for (let at = 0; at < text.length; ) {
    const end = clusterEnd(text, at, folding);
    if (end === at + 1 && text.charCodeAt(at) < 128) {
      at = end;
      continue;
    }
    addPlain(plainFrom, at);
    add(foldCluster(text.slice(at, end), folding), at);
    at = end;
    plainFrom = end;
  }
  addPlain(plainFrom, text.length);
  return {
    text: pieces.join(''),
    originalOffset: (offset) => lookUp(offset, foldedStarts, originalStarts, pieces, text.length),
  };
}

/** Where the character at `at` ends, with all that joins it. */
function clusterEnd(text: string, at: number, folding: Folding): number {
  if (folding.ignoreLineEndings && text.charCodeAt(at) === 13 && text.charCodeAt(at + 1) === 10)
    return at + 2;
  let end = at + ((text.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
  while (text.charCodeAt(end) >= 0x300) {
    const next = text.slice(end, end + 2);
    if (!JOINS_PREVIOUS.test(next)) break;
    end += (next.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
  }
  return end;
}

function foldCluster(cluster: string, folding: Folding): string {
  if (cluster === '\r\n') return '\n';
  const letters = folding.ignoreAccents ? cluster.normalize('NFKD').replace(/\p{M}/gu, '') : cluster;
  const composed = letters.normalize('NFC');
  return folding.ignoreCase ? composed.toLowerCase() : composed;
}

function lookUp(
  offset: number,
  foldedStarts: readonly number[],
  originalStarts: readonly number[],
  pieces: readonly string[],
  originalLength: number,
): number {
  let low = 0;
  let high = foldedStarts.length;
  while (low + 1 < high) {
    const middle = (low + high) >> 1;
    if ((foldedStarts[middle] ?? 0) <= offset) low = middle;
    else high = middle;
  }
  const start = originalStarts[low] ?? 0;
  const end = originalStarts[low + 1] ?? originalLength;
  const into = offset - (foldedStarts[low] ?? 0);
  const piece = pieces[low]?.length ?? 0;
  if (into >= piece) return end;
  // Within a run that kept its length, characters stand one to one.
  return piece === end - start ? start + into : start;
}
