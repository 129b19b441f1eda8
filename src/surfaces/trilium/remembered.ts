/** A conversion that is not made twice in a row: who reads a long text reads it page by page. */
import { Recent } from '../../shared/recent.ts';

const FOR_MS = 10 * 60_000;
const MOST_TEXTS = 16;
/** Longer texts are converted each time; sixteen of them would be a lot to keep. */
const LONGEST = 1_000_000;

export function remembered(
  convert: (text: string) => string | Promise<string>,
): (text: string) => Promise<string> {
  const recent = new Recent<string>({ forMs: FOR_MS, most: MOST_TEXTS, now: Date.now });
  return async (text) => {
    const known = recent.get(text);
    if (known !== undefined) return known;
    const converted = await convert(text);
    if (text.length + converted.length <= LONGEST) recent.set(text, converted);
    return converted;
  };
}
