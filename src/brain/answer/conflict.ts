/**
 * Whether the best evidence contradicts itself. Two sentences of different notes do when they speak of the same
 * thing (two thirds of the rarer one's words, values aside, are in both) and
 * - name different values for it: other numbers, other dates, or another "key: value" or "key is value"; or
 * - one denies what the other affirms.
 * They do not when they speak of different times: both dates and numbers differ, their notes are of different days,
 * or one of them says that it is about the past.
 */
import { contentWords, shareOf, wordsIn } from '../words.ts';
import type { ScoredSentence } from './extractive.ts';
import { type Facts, factsOf } from './facts.ts';
import { contradicts } from './polarity.ts';

const SAME_THING = 2 / 3;
const PAST =
  /\b(?:formerly|previously|originally|initially|no longer|used to|at first|in the past|superseded|outdated|deprecated|früher|ursprünglich|nicht mehr|vorher)\b/i;
/** Beside the best, which has 1. */
const LEAST_SCORE = 0.5;
const MOST_LOOKED_AT = 12;

/** The first two that do, of sentences that come best first. */
export function conflictIn(
  sentences: readonly ScoredSentence[],
): readonly [ScoredSentence, ScoredSentence] | undefined {
  const best = sentences.filter(({ score }) => score >= LEAST_SCORE).slice(0, MOST_LOOKED_AT);
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
  return a !== undefined && b !== undefined && a.size > 0 && b.size > 0 && areDisjoint(a, b);
}

function haveOtherValues(first: string, second: string): boolean {
  if (!areAboutTheSame(first, second)) return false;
  const [a, b] = [factsOf(first), factsOf(second)];
  const otherDates = differ(datesOf(a), datesOf(b));
  const otherNumbers = differ(new Set(a.numbers.keys()), new Set(b.numbers.keys()));
  return otherDates !== otherNumbers;
}

function datesOf({ dates, weekdays, months }: Facts): ReadonlySet<string> {
  if (dates.size > 0) return dates;
  return new Set([...[...weekdays].map((day) => `w${day}`), ...[...months].map((month) => `m${month}`)]);
}

/** Both have some, and none in common. */
function differ(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return a.size > 0 && b.size > 0 && areDisjoint(a, b);
}

function areDisjoint(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  return [...a].every((one) => !b.has(one));
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
