/**
 * The analyzer: text is folded (`fold`), cut into tokens (`tokens`), rid of stop words, and each word is reduced to its
 * stem (`stems`).
 */
import { fold, SEARCH_FOLDING } from './fold.ts';
import { lemmaOf } from './stems.ts';

export { lemmaOf } from './stems.ts';

import { forEachToken, joinsWords, termsOf } from './tokens.ts';

/** Words that hold English sentences together, and what apostrophes leave of them. */
const ENGLISH = wordSet(
  `a about above after again all also am an and any are aren as at be because been before being below between both
  but by can cannot could couldn d did didn do does doesn doing don during each either else ever few for from
  further get got had hadn has hasn have haven having he her here hers him his how however i if in into is isn it
  its itself just let like ll m me more most much my myself no nor not now o of off on once one only or other our
  ours out over own please re s same shall she should shouldn so some such t than that the their theirs them then
  there these they this those through to too under until up us ve very was wasn we were weren what when where
  which while who whom whose why will with within would wouldn y yes yet you your yours yourself`,
);

/** English words that only say that something is asked. In an answer they count: "May", "without", "won". */
const OF_QUESTIONS = wordSet(
  `against down gets give given go herself himself know many may might mine must need ought ourselves say says show
  since tell themselves thing things use used using way whatever whether without won`,
);

/** Words that lead over from one sentence of an answer to the next, and the stop words of German, French and Spanish. */
const OF_ANSWERS = wordSet(
  `according additionally although anyone anything based come currently done every finally furthermore hence
  instead likewise meanwhile moreover overall per therefore though thus unfortunately upon

  aber als am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den der des dich die dies diese diesem diesen dieser dieses dir doch du ein eine einem einen einer eines er es euch fur hat hatte haben ich ihm ihn ihr im in ist ja jede jeder kann kein keine keinen man mein mich mir mit nach nicht noch nur ob oder ohne schon sein sich sie sind uber um und uns unser unter vom von vor wann warum was wegen weil welche welcher welches wenn wer werden wie wieder wir wird wo wurde wurden zu zum zur zwischen

  au aux avec ce cette ces comme dans de des du elle elles en est et ete etre eu il ils je la le les leur lui ma mais mes moi mon ne nos notre nous ou par pas plus pour pourquoi quand que quel quelle quels quelles qui quoi sa sans ses sont sous sur ta tes toi ton tu un une vos votre vous

  al ante cada como con cual cuando cuanto cuantos de del desde donde el ella ellas ellos entre era eran esa ese eso esta estaba este esto ha han hasta hay la las lo los mas mi mis muy nos o para pero por porque que quien se si sin sobre su sus te tiene un una unas unos y ya`,
);

function wordSet(words: string): ReadonlySet<string> {
  return new Set(words.split(/\s+/));
}

/** Whether a folded word of an answer, in any of these languages, carries no meaning. */
export function isStopWord(word: string): boolean {
  return ENGLISH.has(word) || OF_ANSWERS.has(word) || /^[a-z]$/.test(word);
}

const MAX_TEXT = 200_000;

/** All words in order, folded and not stemmed. In scripts without spaces, each pair of neighbouring characters stands for a word. */
export function wordsIn(text: string): string[] {
  const folded = fold(text.slice(0, MAX_TEXT), SEARCH_FOLDING).text;
  const words: string[] = [];
  /** The last character of an unspaced script, whether it is part of a pair already, and where it ends. */
  let last = { character: '', isPaired: true, end: -1 };
  const flush = () => {
    if (!last.isPaired) words.push(last.character);
  };
  forEachToken(folded, (start, end) => {
    const token = folded.slice(start, end);
    if (joinsWords(token)) words.push(token);
    else if (/[\p{L}\p{M}\p{N}]/u.test(token)) {
      const isNext = last.end === start;
      if (isNext) words.push(last.character + token);
      else flush();
      last = { character: token, isPaired: isNext, end };
    }
  });
  flush();
  return words;
}

/** The stems of the words that carry meaning, in order, each as often as it stands there. */
export function contentWords(text: string): string[] {
  return wordsIn(text)
    .filter((word) => !isStopWord(word))
    .map(lemmaOf);
}

/** How much of `wanted` is in `given`, 0 to 1; nothing wanted is nothing found. */
export function shareOf(wanted: Iterable<string>, given: ReadonlySet<string>): number {
  const words = [...new Set(wanted)];
  return words.length === 0 ? 0 : words.filter((word) => given.has(word)).length / words.length;
}

export interface Question {
  /** Folded, each stem once; all words when none of them carries meaning. */
  readonly words: readonly string[];
}

const MAX_QUESTION_WORDS = 64;

/**
 * The words of a query that tell what is looked for; all of them when none does. Only English stop words are left out:
 * "hat" and "die" are words people look for.
 */
export function tellingOf(words: readonly string[]): readonly string[] {
  const telling = words.filter((word) => {
    const folded = word.toLowerCase();
    return !ENGLISH.has(folded) && !OF_QUESTIONS.has(folded);
  });
  return telling.length > 0 ? telling : words;
}

/** The words to search for. */
export function questionOf(text: string): Question {
  const byStem = new Map<string, string>();
  for (const word of tellingOf(termsOf(fold(text, SEARCH_FOLDING).text))) {
    const stemmed = lemmaOf(word);
    if (!byStem.has(stemmed)) byStem.set(stemmed, word);
    if (byStem.size === MAX_QUESTION_WORDS) break;
  }
  return { words: [...byStem.values()] };
}
