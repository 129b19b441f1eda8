/** The citations of one answer, numbered as they are first used; the same place has one number. */
import type { Citation, RankedPassage, Span } from '../types.ts';
import type { Place } from './gate.ts';

/** Makes a citation: of a place in the note, or of what fits a question best. Its index is not looked at. */
export type Cite = (source: RankedPassage, where: Span | string) => Omit<Citation, 'index'>;

export interface Citations {
  /** The numbers of these places, new ones where they have none. */
  numbersOf(places: readonly Place[]): number[];
  list(): readonly Citation[];
}

export function createCitations(cite: Cite): Citations {
  const numbers = new Map<string, number>();
  const citations: Citation[] = [];
  const numberOf = ({ source, span }: Place) => {
    const key = `${source.passage.hash} ${span.start} ${span.end}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const index = citations.length + 1;
    numbers.set(key, index);
    citations.push({ ...cite(source, span), index });
    return index;
  };
  return {
    numbersOf: (places) => [...new Set(places.map(numberOf))],
    list: () => citations,
  };
}

export function marked(text: string, numbers: readonly number[]): string {
  return `${text} ${numbers.map((number) => `[${number}]`).join('')}`;
}
