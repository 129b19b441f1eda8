/** The words of a question that carry its meaning. */
import { fold, SEARCH_FOLDING } from './fold.ts';
import { stem } from './stems.ts';
import { tokensOf } from './tokens.ts';

export interface Question {
  /** Folded, each stem once; all words when none of them carries meaning. */
  readonly words: readonly string[];
}

/** What of a longer question is looked at. */
const MAX_WORDS = 64;

/** Words that hold English sentences together, what apostrophes leave of them, and how people begin to ask. */
const STOP_WORDS = new Set(
  `a about above after again against all also am an and any are aren as at be because been before being below
  between both but by can cannot could couldn did didn do does doesn doing don down during each either else ever
  few for from further get gets give given go got had hadn has hasn have haven having he her here hers herself
  him himself his how however i if in into is isn it its itself just know let ll like many may me might mine more
  most much must my myself need no nor not now of off on once one only or other ought our ours ourselves out over
  own please re s same say says shall she should shouldn show since so some such t tell than that the their
  theirs them themselves then there these they thing things this those through to too under until up us use used
  using ve very was wasn way we were weren what whatever when where whether which while who whom whose why will
  with within without won would wouldn yes yet you your yours yourself d m o y`
    .split(/\s+/)
    .filter((word) => word !== ''),
);

function isStopWord(folded: string): boolean {
  return STOP_WORDS.has(folded);
}

export function questionOf(text: string): Question {
  const tokens = tokensOf(fold(text, SEARCH_FOLDING).text);
  const telling = tokens.filter((word) => !isStopWord(word));
  const byStem = new Map<string, string>();
  for (const word of telling.length > 0 ? telling : tokens) {
    const stemmed = stem(word);
    if (!byStem.has(stemmed)) byStem.set(stemmed, word);
    if (byStem.size === MAX_WORDS) break;
  }
  return { words: [...byStem.values()] };
}
