/** Comparisons of a query, as far as they can be made without Trilium. */

export function holdsValue(value: string, operator: string, wanted: string): boolean {
  const [mine, other] = [value.toLowerCase(), wanted.toLowerCase()];
  switch (operator) {
    case '=':
      return mine === other;
    case '!=':
      return mine !== other;
    case '*=*':
      return mine.includes(other);
    case '=*':
      return mine.startsWith(other);
    case '*=':
      return mine.endsWith(other);
    case '<':
      return order(mine, other) < 0;
    case '<=':
      return order(mine, other) <= 0;
    case '>':
      return order(mine, other) > 0;
    case '>=':
      return order(mine, other) >= 0;
    default:
      // Patterns and guesses are left to Trilium, and where it may have looked elsewhere they hold of nothing.
      return false;
  }
}

/** Numbers as numbers, all else as text. */
function order(a: string, b: string): number {
  const [x, y] = [Number(a), Number(b)];
  if (a !== '' && b !== '' && !Number.isNaN(x) && !Number.isNaN(y)) return x - y;
  return a < b ? -1 : a > b ? 1 : 0;
}
