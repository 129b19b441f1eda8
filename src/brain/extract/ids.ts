/** Names for findings that hold after lines have moved. */
import { createHash } from 'node:crypto';
import { normalised } from './words.ts';

export interface Place {
  readonly sourcePath: string;
  readonly headings: readonly string[];
  readonly text: string;
}

/** The same words again under the same headings get a name of their own, in the order of the note. */
export function createIds(prefix: string): (place: Place) => string {
  const seen = new Map<string, number>();
  return ({ sourcePath, headings, text }) => {
    const key = JSON.stringify([sourcePath, headings.map(normalised), normalised(text) || text]);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    const hash = createHash('sha256').update(before === 0 ? key : `${key}\n${before}`);
    return `${prefix}_${hash.digest('hex').slice(0, 16)}`;
  };
}
