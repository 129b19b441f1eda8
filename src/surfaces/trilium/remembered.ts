/**
 * A conversion that is not made twice in a row: who reads a long text reads it page by page. Bounded by the length of
 * what is kept; whoever asks for a text that is being converted waits for that conversion.
 */
import { TtlCache } from '../../shared/memoize.ts';

const FOR_MS = 10 * 60_000;
const MOST_TEXTS = 16;
/** Of all texts together, both forms counted. The last one is kept whatever its length, since it is what is read. */
const MOST_CHARACTERS = 8_000_000;

export function remembered(
  convert: (text: string) => string | Promise<string>,
): (text: string) => Promise<string> {
  let recent = fresh();
  let characters = 0;
  return (text) => {
    const known = recent.get(text);
    if (known) return known;
    // Beginning anew is simpler than evicting one by one, and costs one conversion of each text still read.
    if (characters > MOST_CHARACTERS) {
      recent = fresh();
      characters = 0;
    }
    const kept = recent;
    const result = (async () => convert(text))();
    kept.set(text, result);
    characters += text.length;
    result.then(
      (converted) => {
        if (kept === recent) characters += converted.length;
      },
      // A failure is not kept: it may pass.
      () => kept.delete(text),
    );
    return result;
  };
}

function fresh(): TtlCache<Promise<string>> {
  return new TtlCache({ forMs: FOR_MS, most: MOST_TEXTS, now: Date.now });
}
