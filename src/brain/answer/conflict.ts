/**
 * Detects contradictions in the evidence. Two sentences of different notes contradict each other when they are about
 * the same thing (all words of the one, values aside, are in the other, two thirds of it at least) and
 * - state different values: other numbers, other dates, or another "key: value" or "key is value"; or
 * - one denies what the other affirms.
 * What they are about must stand in the sentences: `Status: active` under the title of one project and of another is
 * about two things, and so is what two people say of themselves. Sentences about different times do not contradict each
 * other: both times and amounts differ, their notes are of different days, or one says that it is about the past.
 */
import { contentWords, lemmaOf, shareOf, wordsIn } from '../../notes/text/analyzer.ts';
import { isEnough } from './evidence.ts';
import type { ScoredSentence } from './extractive.ts';
import { type Facts, factsOf, yearsOf } from './facts.ts';

const DENIALS = new Set(
  'not no never none neither nor cannot without nobody nothing against unable kein keine keinen keinem keiner nicht nie niemals ohne pas jamais sans sin nunca'.split(
    ' ',
  ),
);
/** Refusing something denies it too. */
const REFUSALS = new Set(
  'reject refuse decline cancel abandon avoid forbid disable exclude'.split(' ').map(lemmaOf),
);

const CLAUSE_END =
  /[,;:!?()\n]|\.(?=\s|$)|\s[–—-]\s|\b(?:but|because|since|while|although|though|whereas|and|which|instead|aber|sondern|weil|und|mais|et|pero|porque)\b/gi;

/** Bounds the comparison of every clause with every other. */
const MOST_CLAUSES = 400;

/** A denial holds for its clause: "We chose Postgres, not MySQL" denies MySQL alone. */
interface Clause {
  readonly words: ReadonlySet<string>;
  readonly isDenied: boolean;
}

/** Shares of words that two clauses must have in common to be about the same thing. */
const OF_SOURCE = 0.75;
const OF_CLAIM = 0.6;

/** Whether one text denies what the other affirms. */
export function contradicts(claim: string, source: string): boolean {
  const there = clausesOf(source);
  return clausesOf(claim).some((clause) => there.some((other) => areOpposed(clause, other, there)));
}

/** Not opposed when the source also has a clause of the claim's polarity with the shared words. */
function areOpposed(clause: Clause, other: Clause, source: readonly Clause[]): boolean {
  if (clause.isDenied === other.isDenied) return false;
  const shared = [...clause.words].filter((word) => other.words.has(word));
  const isSame =
    shared.length >= OF_SOURCE * other.words.size || shared.length >= OF_CLAIM * clause.words.size;
  const isSaidToo = source.some(
    ({ words, isDenied }) => isDenied === clause.isDenied && shared.every((word) => words.has(word)),
  );
  return shared.length > 0 && isSame && !isSaidToo;
}

/** "instead of" and "rather than" deny what follows them. */
function clausesOf(text: string): Clause[] {
  const plain = text.replace(/\b(?:instead of|rather than|as opposed to)\b/gi, ', not');
  return plain
    .split(CLAUSE_END, MOST_CLAUSES)
    .map((clause) => ({ words: new Set(contentWords(clause)), isDenied: denies(clause) }))
    .filter(({ words }) => words.size > 0);
}

function denies(clause: string): boolean {
  const words = wordsIn(clause).filter((word) => DENIALS.has(word) || REFUSALS.has(lemmaOf(word)));
  const contractions = clause.match(/n['’]t(?!\p{L})/giu) ?? [];
  return (words.length + contractions.length) % 2 === 1;
}

const SAME_THING = 2 / 3;
const PAST =
  /\b(?:formerly|previously|originally|initially|no longer|used to|at first|in the past|superseded|outdated|deprecated|früher|ursprünglich|nicht mehr|vorher)\b/i;
const MOST_LOOKED_AT = 12;

/** The first contradicting pair of sentences, which come best first; each must be sufficient evidence by itself. */
export function conflictIn(
  sentences: readonly ScoredSentence[],
): readonly [ScoredSentence, ScoredSentence] | undefined {
  const best = sentences.filter(saysWhatItIsAbout).slice(0, MOST_LOOKED_AT);
  for (const [at, first] of best.entries())
    for (const second of best.slice(at + 1)) if (disagree(first, second)) return [first, second];
  return undefined;
}

/** Whether the words of the question are in the sentence itself, without the help of a title or heading. */
function saysWhatItIsAbout({ own, headed, cosine }: ScoredSentence): boolean {
  return headed === own && isEnough([{ coverage: own, cosine }]);
}

function disagree(first: ScoredSentence, second: ScoredSentence): boolean {
  if (first.source.passage.sourcePath === second.source.passage.sourcePath) return false;
  if (first.speaker !== second.speaker) return false;
  if (PAST.test(first.text) || PAST.test(second.text) || areOfDifferentDays(first, second)) return false;
  return (
    haveOtherValues(first.text, second.text) ||
    haveOtherMeaning(first.text, second.text) ||
    haveOtherPolarity(first.text, second.text)
  );
}

/** Daily notes and minutes hold for their day. */
function areOfDifferentDays(first: ScoredSentence, second: ScoredSentence): boolean {
  const [a, b] = [first, second].map(
    ({ source: { passage } }) => factsOf(`${passage.sourcePath} ${passage.title}`).dates,
  );
  return a !== undefined && b !== undefined && differ(a, b);
}

function haveOtherValues(first: string, second: string): boolean {
  if (!areAboutTheSame(first, second)) return false;
  const [a, b] = [factsOf(first), factsOf(second)];
  const otherTimes = timesOf(a).some((times, at) => differ(times, timesOf(b)[at]!));
  const otherNumbers = differ(amountsOf(a), amountsOf(b));
  return otherTimes !== otherNumbers;
}

/** Days and years; weekdays and months only where no day is given. */
function timesOf({ dates, weekdays, months, numbers }: Facts): readonly ReadonlySet<string>[] {
  const years = new Set(yearsOf({ numbers }));
  const hasDays = dates.size > 0;
  return [dates, years, hasDays ? new Set() : weekdays, hasDays ? new Set() : months];
}

function amountsOf({ numbers }: Facts): ReadonlySet<string> {
  const years = yearsOf({ numbers });
  return new Set([...numbers.keys()].filter((number) => !years.includes(number)));
}

/** Whether both sets have values, and none in common. */
function differ(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size > 0 && b.size > 0 && [...a].every((one) => !b.has(one));
}

/** Compares definitions such as `owner: Ana` and `The owner is Ben`. */
function haveOtherMeaning(first: string, second: string): boolean {
  const [a, b] = [definitionIn(first), definitionIn(second)];
  if (!a || !b) return false;
  // One word is a property: whose it is stands elsewhere.
  const isSameKey = a.key.size > 1 && a.key.size === b.key.size && shareOf(a.key, b.key) === 1;
  return isSameKey && differ(a.value, b.value);
}

function definitionIn(text: string): { key: ReadonlySet<string>; value: ReadonlySet<string> } | undefined {
  const [, key = '', value = ''] =
    /^(.{2,80}?)(?:\s*[:=]\s+|\s+(?:is|are|ist|sind|est|es)\s+)(.{1,200})$/iu.exec(text) ?? [];
  return value === '' ? undefined : { key: new Set(contentWords(key)), value: new Set(contentWords(value)) };
}

function haveOtherPolarity(first: string, second: string): boolean {
  if (!areAboutTheSame(first, second)) return false;
  return contradicts(first, second);
}

/** Compares the words of two sentences, values aside: where each has a word of its own, they are about two things. */
function areAboutTheSame(first: string, second: string): boolean {
  const [a, b] = [frameOf(first), frameOf(second)];
  const [common, less] = [shareOf(a, b), shareOf(b, a)];
  return (
    Math.min(a.size, b.size) >= 2 && Math.max(common, less) === 1 && Math.min(common, less) >= SAME_THING
  );
}

const VALUE_WORD =
  /^\d|^(?:mon|tues|wednes|thurs|fri|satur|sun)day$|^(?:january|february|march|april|may|june|july|august|september|october|november|december)$/;

function frameOf(text: string): Set<string> {
  return new Set(
    contentWords(
      wordsIn(text)
        .filter((word) => !VALUE_WORD.test(word))
        .join(' '),
    ),
  );
}
