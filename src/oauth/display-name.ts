/** A name somebody else chose, made fit to be shown: one line, nothing invisible, not long. */
const MAX_LENGTH = 80;

export function displayName(text: string | undefined, otherwise: string): string {
  const clean = (text ?? '').replace(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  const letters = [...clean];
  if (letters.length === 0) return otherwise;
  return letters.length > MAX_LENGTH ? `${letters.slice(0, MAX_LENGTH - 1).join('')}…` : clean;
}
