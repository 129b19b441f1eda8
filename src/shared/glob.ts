/**
 * Globs with `*` (any run of characters) and `?` (exactly one), matched against the whole text. Without regular
 * expressions, so that the time is bounded for any pattern.
 */

/** Whether the glob matches the whole text; case-sensitive by default. */
export function matchesGlob(glob: string, text: string, { ignoreCase = false } = {}): boolean {
  if (glob === '*') return true;
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

/** Whether some text matches both globs; case-insensitive, so that an overlap is never missed. */
export function globsOverlap(a: string, b: string): boolean {
  const left = [...folded(a)];
  const right = [...folded(b)];
  // row[j]: whether the prefix read of the left glob and the first j tokens of the right can match the same text.
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

/** Whether `wide` matches everything `narrow` matches. An approximation, for advice and not for decisions. */
export function coversGlob(wide: string, narrow: string): boolean {
  return [narrow.replaceAll('*', ''), narrow.replaceAll('*', ANYTHING_LONG)].every((text) =>
    matchesGlob(wide, text, { ignoreCase: true }),
  );
}

/** A private-use character, repeated more often than a glob has `?`, which only a `*` can match. */
const ANYTHING_LONG = '\u{f0000}'.repeat(300);

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}
