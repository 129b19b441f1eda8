/**
 * Values of frontmatter as values of labels, which are text. Words, numbers, `true`, `false` and `null` stand as they
 * are, lists and objects as JSON, and a text that would be read as one of those stands in double quotes, as in JSON.
 */

const NUMBER = /^-?\d+(?:\.\d+)?(?:e[+-]\d+)?$/;

export function readLabelValue(text: string): unknown {
  if (text === 'true') return true;
  if (text === 'false') return false;
  if (text === 'null') return null;
  if (NUMBER.test(text) && String(Number(text)) === text) return Number(text);
  const first = text[0];
  if (first !== '"' && first !== '[' && first !== '{') return text.toWellFormed();
  const value = parsed(text);
  if (typeof value === 'string') return needsQuotes(value) ? value : text;
  return typeof value === 'object' && value !== null ? value : text.toWellFormed();
}

/** Never empty: a label without a value is a tag. */
export function writeLabelValue(value: unknown): string {
  if (typeof value === 'string') return needsQuotes(value) ? JSON.stringify(value) : value;
  return JSON.stringify(value === undefined ? null : value);
}

function needsQuotes(text: string): boolean {
  return text === '' || readLabelValue(text) !== text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A text that happens to begin like JSON.
    return undefined;
  }
}
