/** Takes the score of a hit apart again, for a person who asks why it ranked so. The ranker itself keeps no parts. */
import type { NotePath } from '../../notes/path.ts';
import type { ScoreParts, WordScore } from '../../notes/searcher.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { termOf } from '../../notes/text/stems.ts';
import { termsOf } from '../../notes/text/tokens.ts';
import { documentOf, weightedParts } from '../index/document.ts';
import type { SearchContext } from './context.ts';
import { groupsFor, LITERAL_BONUS, NAME_BONUS } from './match.ts';
import { importanceOf, scoreWords } from './rank.ts';

/** Words are counted in so much of a text. */
const COUNTED_CHARACTERS = 200_000;
/** Scores of words are sums of 32-bit numbers. */
const ROUNDING = 0.02;

interface ScoredNote {
  readonly path: NotePath;
  readonly score: number;
  readonly text: string;
}

/** For the hits of one search; undefined for a note that is not indexed, whose rank is an estimate. */
export function createScoreParts({ library: { index }, query }: SearchContext) {
  const { indexed } = query;
  const importance = importanceOf(query);
  const scores = groupsFor(index, indexed.words).map(
    (group, at) => scoreWords(index, [group], [importance[at]!]).score,
  );
  return async ({ path, score, text }: ScoredNote): Promise<ScoreParts | undefined> => {
    const number = index.numberOf(path);
    if (number === undefined) return undefined;
    const fields = await fieldsOf(path, text);
    const words = indexed.words.flatMap((word, at): WordScore[] => {
      const own = scores[at]?.[number] ?? 0;
      return own === 0 ? [] : [{ word, score: own, fields: placesOf(word, fields) }];
    });
    const ofWords = words.reduce((sum, one) => sum + one.score, 0);
    const name = score - ofWords >= NAME_BONUS - ROUNDING ? NAME_BONUS : 0;
    const left = score - name - ofWords;
    const literal = left >= LITERAL_BONUS - ROUNDING ? LITERAL_BONUS : 0;
    const others = left - literal;
    return { words, name, literal, others: others > ROUNDING ? others : 0 };
  };
}

type FieldWords = readonly (readonly [WordScore['fields'][number]['field'], readonly string[]])[];

async function fieldsOf(path: NotePath, text: string): Promise<FieldWords> {
  const parts = weightedParts(path, await documentOf(path, text));
  const stems = (part: string) => termsOf(fold(part, SEARCH_FOLDING).text).map(termOf);
  return [
    ...parts.map((part) => [part.field, stems(part.text)] as const),
    ['text', stems(text.slice(0, COUNTED_CHARACTERS))] as const,
  ];
}

function placesOf(word: string, fields: FieldWords): WordScore['fields'] {
  const wanted = termOf(word);
  return fields
    .map(([field, words]) => ({ field, count: words.filter((one) => one === wanted).length }))
    .filter(({ count }) => count > 0);
}
