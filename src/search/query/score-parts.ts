/** Takes the score of a hit apart again, for a person who asks why it ranked so. The ranker itself keeps no parts. */
import type { NotePath } from '../../notes/path.ts';
import type { ScoreParts, WordScore } from '../../notes/searcher.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { stem } from '../../notes/text/stems.ts';
import { tokensOf } from '../../notes/text/tokens.ts';
import { documentOf, weightedParts } from '../index/document.ts';
import type { SearchContext } from './context.ts';
import { ALL_WORDS_BONUS, LITERAL_BONUS } from './match.ts';
import { inflectionsOf, scoreWords } from './rank.ts';

/** Words are counted in so much of a text. */
const COUNTED_CHARACTERS = 200_000;
/** Scores of words are sums of 32-bit numbers. */
const ROUNDING = 0.01;

interface ScoredNote {
  readonly path: NotePath;
  readonly score: number;
  readonly text: string;
}

/** For the hits of one search; undefined for a note that is not indexed, whose rank is an estimate. */
export function createScoreParts({ library: { index }, query: { indexed } }: SearchContext) {
  const scores = indexed.words.map((word) => scoreWords(index, [inflectionsOf(index, word)]).score);
  return async ({ path, score, text }: ScoredNote): Promise<ScoreParts | undefined> => {
    const number = index.numberOf(path);
    if (number === undefined) return undefined;
    const fields = await fieldsOf(path, text);
    const words = indexed.words.flatMap((word, at): WordScore[] => {
      const own = scores[at]?.[number] ?? 0;
      return own === 0 ? [] : [{ word, score: own, fields: placesOf(word, fields) }];
    });
    const isWhole = words.length > 1 && words.length === indexed.words.length;
    const allWords = isWhole ? ALL_WORDS_BONUS : 0;
    const left = score - allWords - words.reduce((sum, one) => sum + one.score, 0);
    const literal = left >= LITERAL_BONUS - ROUNDING ? LITERAL_BONUS : 0;
    const others = left - literal;
    return { words, allWords, literal, others: others > ROUNDING ? others : 0 };
  };
}

type FieldWords = readonly (readonly [WordScore['fields'][number]['field'], readonly string[]])[];

async function fieldsOf(path: NotePath, text: string): Promise<FieldWords> {
  const parts = weightedParts(path, await documentOf(path, text));
  const stems = (part: string) => tokensOf(fold(part, SEARCH_FOLDING).text).map(stem);
  return [
    ...parts.map((part) => [part.field, stems(part.text)] as const),
    ['text', stems(text.slice(0, COUNTED_CHARACTERS))] as const,
  ];
}

function placesOf(word: string, fields: FieldWords): WordScore['fields'] {
  const wanted = stem(word);
  return fields
    .map(([field, words]) => ({ field, count: words.filter((one) => one === wanted).length }))
    .filter(({ count }) => count > 0);
}
