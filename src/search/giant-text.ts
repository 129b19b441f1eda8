/**
 * Finds text in texts so large that a folded copy of each would fill the memory. Plain ASCII is looked for with
 * the engine's own case-blind search, which needs no copy; only what is not found that way is folded.
 */
import { type Folded, type Folding, fold } from '../notes/fold.ts';
import type { Haystack } from './occurrences.ts';

export function giantHaystackOf(text: string, folding: Folding): Haystack {
  let folded: Folded | undefined;
  const placesInFolded = (needle: string, most: number): number[] => {
    folded ??= fold(text, folding);
    const places: number[] = [];
    for (
      let at = folded.text.indexOf(needle);
      at >= 0 && places.length < most;
      at = folded.text.indexOf(needle, at + needle.length)
    )
      places.push(folded.originalOffset(at));
    return places;
  };
  const places = (needle: string, most: number): number[] => {
    if (needle === '') return [];
    if (!isAscii(needle) || needle.includes('\n')) return placesInFolded(needle, most);
    const found: number[] = [];
    for (const { index } of text.matchAll(patternFor(needle, folding))) {
      found.push(index);
      if (found.length === most) break;
    }
    if (found.length > 0) return found;
    return folded || mayHoldFolded(text, needle) ? placesInFolded(needle, most) : found;
  };
  return {
    places,
    holds: (needle) => places(needle, 1).length > 0,
    original: (place, length) => ({ start: place, end: Math.min(text.length, place + length) }),
  };
}

function patternFor(needle: string, { ignoreCase }: Folding): RegExp {
  return new RegExp(needle.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&'), ignoreCase ? 'gi' : 'g');
}

/**
 * Letters with accents, ligatures, full-width and fancy forms: what becomes ASCII letters and digits when folded.
 * Alternatives instead of one class, because marks in a class would join the character before them.
 */
const BECOMES_ASCII =
  /[\u00aa\u00b2\u00b3\u00b9\u00ba\u00c0-\u024f]|[\u0300-\u036f]|[\u1e00-\u1eff\u2070-\u209f\u2100-\u218f\u2460-\u24ff]|[\u3200-\u33ff\ufb00-\ufb06\uff01-\uff5e]|\ud835/;

/** Whether a text that does not hold the needle as it is may hold it once folded. */
function mayHoldFolded(text: string, needle: string): boolean {
  if (!/^[a-z0-9 ]*$/i.test(needle)) return !isAscii(text);
  return !isAscii(text) && BECOMES_ASCII.test(text);
}

function isAscii(text: string): boolean {
  return !/[^\u0000-\u007f]/.test(text);
}
