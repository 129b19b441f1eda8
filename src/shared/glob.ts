/**
 * Globs of two signs: `*` for any run of characters, `?` for exactly one. Always for the whole text, never for a part
 * of it. No regular expressions: the time is bounded by the lengths whatever somebody writes.
 */

/** Whether a glob is for a text; upper and lower case are different unless told. */
export function matchesGlob(glob: string, text: string, { ignoreCase = false } = {}): boolean {
  const signs = [...(ignoreCase ? folded(glob) : glob)];
  const characters = [...(ignoreCase ? folded(text) : text)];
  let sign = 0;
  let star = -1;
  let resume = 0;
  for (let at = 0; at < characters.length; ) {
    if (signs[sign] === '*') {
      star = sign++;
      resume = at;
    } else if (sign < signs.length && (signs[sign] === '?' || signs[sign] === characters[at])) {
      sign++;
      at++;
    } else if (star >= 0) {
      sign = star + 1;
      at = ++resume;
    } else return false;
  }
  return signs.slice(sign).every((rest) => rest === '*');
}

/** Whether there is a text that both globs are for; case is ignored, so a glob that could match is never missed. */
export function globsOverlap(a: string, b: string): boolean {
  const left = [...folded(a)];
  const right = [...folded(b)];
  // row[j]: whether what has been read of the left can be one text with the first j signs of the right.
  let row = startRow(right);
  for (const sign of left) {
    const next = [sign === '*' && row[0] === true];
    for (const [j, other] of right.entries()) next.push(overlapsAt(sign, other, { row, next, j }));
    row = next;
  }
  return row[right.length] === true;
}

function startRow(signs: readonly string[]): boolean[] {
  const row = [true];
  for (const sign of signs) row.push(row.at(-1) === true && sign === '*');
  return row;
}

function overlapsAt(
  sign: string,
  other: string,
  { row, next, j }: { row: readonly boolean[]; next: readonly boolean[]; j: number },
): boolean {
  if (sign === '*' || other === '*') return row[j + 1] === true || next[j] === true;
  return row[j] === true && (sign === '?' || other === '?' || sign === other);
}

/** Whether everything the second glob is for is for the first too. Good enough for advice, not for a decision. */
export function coversGlob(wide: string, narrow: string): boolean {
  return [narrow.replaceAll('*', ''), narrow.replaceAll('*', ANYTHING_LONG)].every((text) =>
    matchesGlob(wide, text, { ignoreCase: true }),
  );
}

/** A private character that no glob names, more often than a glob has a `?`: only a `*` can stand for it. */
const ANYTHING_LONG = '\u{f0000}'.repeat(300);

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
