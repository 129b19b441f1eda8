/** Cuts running text into sentences, by rules instead of a dictionary. */
import type { Range } from '../markdown/regions.ts';

/**
 * An end mark, white space, then something that can begin a sentence: "e.g. this" does not end one. Chinese and
 * Japanese have marks of their own and no white space. The full stop of a German day does not end one: "am 4. Juli".
 */
const SENTENCE_END =
  /(?<!(?<!\d)\d\d?(?=\. (?:Januar|Februar|März|April|Mai|Ju[nl]i|August|September|Oktober|November|Dezember)\b))[.!?…]["'”’»)\]*_~]{0,3}\s+(?=[\p{Lu}\p{Lo}\p{N}\p{Sc}"'“‘«([*_`@\uFFFC\p{Extended_Pictographic}])|[。！？]["'”’」』）]{0,3}\s*/gu;
/** Single letters and short words that a full stop does not end a sentence after. */
const ABBREVIATION =
  /(?:^|[\s(["'>])(?:(?:\p{L}\.)*\p{L}|dr|mr|mrs|(?<!\d )ms|prof|st|sr|jr|vs|eg|ie|no|approx|ca|cf|nr|fig|abb|vol|pp|inc|ltd|corp|dept|bzw|usw|ggf|evtl|inkl|zzgl|str|tel|jan|feb|apr|jun|jul|aug|sep|sept|oct|okt|nov|dec|dez|mme|sra?)\.$/iu;
const LONGEST_ABBREVIATION = 20;

export interface Sentence extends Range {
  readonly text: string;
}

/** In order, without the white space behind each. */
export function sentencesOf(text: string): Sentence[] {
  const sentences: Sentence[] = [];
  let start = 0;
  const add = (end: number) => {
    const own = text.slice(start, end).trimEnd();
    if (own !== '') sentences.push({ start, end: start + own.length, text: own });
    start = end;
  };
  for (const { index, 0: mark } of text.matchAll(SENTENCE_END))
    if (!ABBREVIATION.test(text.slice(Math.max(start, index - LONGEST_ABBREVIATION), index + 1)))
      add(index + mark.length);
  add(text.length);
  return sentences;
}
