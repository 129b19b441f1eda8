/** `0.102.0`, `0.105.0-beta` and the like, by their numbers. */
export function isAtLeast(version: string, wanted: string): boolean {
  const [present, needed] = [version, wanted].map(numbersOf);
  for (let at = 0; at < 3; at++) {
    const difference = (present?.[at] ?? 0) - (needed?.[at] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return true;
}

function numbersOf(version: string): number[] {
  return version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
}
