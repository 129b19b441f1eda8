/**
 * Whether the best evidence contradicts itself. Two sentences of different notes do when they speak of the same
 * thing (two thirds of the rarer one's words, values aside, are in both) and
 * - name different values for it: other numbers, other dates, or another "key: value" or "key is value"; or
 * - one denies what the other affirms.
 * They do not when they speak of different times: both times and amounts differ, their notes are of different days,
 * or one of them says that it is about the past.
 */
import { contentWords, lemmaOf, shareOf, wordsIn } from '../../notes/text/analyzer.ts';
import { isEnough } from './evidence.ts';
import type { ScoredSentence } from './extractive.ts';
import { type Facts, factsOf } from './facts.ts';

/**
 * What a text denies. A denial holds for its clause: in "We chose Postgres, not MySQL" it is MySQL alone that is
 * denied. Refusing something denies it too.
 */

const DENIALS = new Set(
  'not no never none neither nor cannot without nobody nothing against unable kein keine keinen keinem keiner nicht nie niemals ohne pas jamais sans sin nunca'.split(
    ' ',
  ),
);
const REFUSALS = new Set(
  'reject refuse decline cancel abandon avoid forbid disable exclude'.split(' ').map(lemmaOf),
);

const CLAUSE_END =
  /[,;:!?()\n]|\.(?=\s|$)|\s[–—-]\s|\b(?:but|because|since|while|although|though|whereas|and|which|instead|aber|sondern|weil|und|mais|et|pero|porque)\b/gi;

/** More than a sentence can have: each is held against each. */
const MOST_CLAUSES = 400;

interface Clause {
  readonly words: ReadonlySet<string>;
  readonly isDenied: boolean;
}

/** As much of one clause must be in the other for the two to be about the same. */
const OF_SOURCE = 0.75;
const OF_CLAIM = 0.6;

/** Whether one of them denies what the other affirms. */
export function contradicts(claim: string, source: string): boolean {
  const there = clausesOf(source);
  return clausesOf(claim).some((clause) => there.some((other) => areOpposed(clause, other, there)));
}

/** Unless the source says the same words the other way as well. */
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

/** The first two that do, of sentences that come best first; each must be evidence enough by itself. */
export function conflictIn(
  sentences: readonly ScoredSentence[],
): readonly [ScoredSentence, ScoredSentence] | undefined {
  const best = sentences.filter((sentence) => isEnough([sentence])).slice(0, MOST_LOOKED_AT);
  for (const [at, first] of best.entries())
    for (const second of best.slice(at + 1)) if (disagree(first, second)) return [first, second];
  return undefined;
}

function disagree(first: ScoredSentence, second: ScoredSentence): boolean {
  if (first.source.passage.sourcePath === second.source.passage.sourcePath) return false;
  if (PAST.test(first.text) || PAST.test(second.text) || areOfDifferentDays(first, second)) return false;
  return (
    haveOtherValues(first.text, second.text) ||
    haveOtherMeaning(first.text, second.text) ||
    haveOtherPolarity(first.text, second.text)
  );
}

/** Daily notes and minutes say what was so on their day. */
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

const YEAR = /^(?:19|20)\d\d$/;

/** Days, years, and what stands in for a day where none is given. */
function timesOf({ dates, weekdays, months, numbers }: Facts): readonly ReadonlySet<string>[] {
  const years = new Set([...numbers.keys()].filter((number) => YEAR.test(number)));
  const hasDays = dates.size > 0;
  return [dates, years, hasDays ? new Set() : weekdays, hasDays ? new Set() : months];
}

function amountsOf({ numbers }: Facts): ReadonlySet<string> {
  return new Set([...numbers.keys()].filter((number) => !YEAR.test(number)));
}

/** Both have some, and none in common. */
function differ(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size > 0 && b.size > 0 && [...a].every((one) => !b.has(one));
}

/** `owner: Ana` and `The owner is Ben`. */
function haveOtherMeaning(first: string, second: string): boolean {
  const [a, b] = [definitionIn(first), definitionIn(second)];
  if (!a || !b) return false;
  const isSameKey = a.key.size > 0 && a.key.size === b.key.size && shareOf(a.key, b.key) === 1;
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

/** By their words, values aside. */
function areAboutTheSame(first: string, second: string): boolean {
  const [a, b] = [frameOf(first), frameOf(second)];
  return Math.min(a.size, b.size) >= 2 && Math.max(shareOf(a, b), shareOf(b, a)) >= SAME_THING;
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
