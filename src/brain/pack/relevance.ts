/**
 * How far a finding has to do with an intent: the share of the intent's telling words that it has, its path and headings
 * included, weighted by how rare they are among all findings. What is below the floor is left out of a pack. Where the
 * intent names somebody or something that findings are about, those stay, the floor is higher for all others, and open
 * loops and decisions about them come before everything else. Where it has a subject besides, findings about that stay
 * too, and those that are only about the named come last.
 */
import { contentWords } from '../../notes/text/analyzer.ts';
import { idf } from '../../notes/text/bm25.ts';
import { tellingWords } from '../answer/extractive.ts';
import { readingText } from '../answer/sentences.ts';
import { pathWords } from '../retrieve/keyword-search.ts';
import type { PackItem } from './fit.ts';
import { isAbout, type NamedPerson } from './people.ts';

/** A smaller share is one word among four that have nothing in common otherwise. */
const FLOOR = 0.3;
const FLOOR_BESIDE_NAMED = 0.6;
/** A name counts as so many words. */
const NAME_WEIGHT = 2;
/** Least score of open loops and decisions about the named; scores of all else are below it. */
const NAMED = 0.8;

/** A finding with the retriever's cosine, where there is one. */
export type Finding = PackItem & { readonly cosine?: number };

/** From this cosine on a passage is relevant without any word of the intent. */
const LEAST_COSINE = 0.5;

export interface Relevant {
  readonly items: readonly PackItem[];
  /** Number of findings below the floor. */
  readonly belowFloor: number;
}

export interface Purpose {
  readonly intent: string;
  /** Stems of what it is about besides the people. */
  readonly subject: readonly string[];
  readonly people: readonly NamedPerson[];
}

export function relevantTo({ intent, subject, people }: Purpose, findings: readonly Finding[]): Relevant {
  const names = new Set(people.flatMap(({ name }) => contentWords(name)));
  const texts = findings.map((finding) => new Set(contentWords(textOf(finding))));
  const isNamed = texts.map((own) => people.some((person) => isAbout(person, own)));
  const has = texts.map((own) => withNames(own, people));
  const subjectShare = createShare(subject, new Set(), has);
  const isSubject = has.map((own) => subjectShare(own) >= FLOOR_BESIDE_NAMED);
  const words = isSubject.includes(true) ? [...names, ...subject] : tellingWords(intent);
  const shareIn = createShare(words, names, has);
  const rankOf = isSubject.includes(true) ? bySubject : isNamed.includes(true) ? byName : byShare;
  const items = findings.flatMap(({ cosine = 0, ...item }, at) => {
    const share = shareIn(has[at]!);
    const score = item.part === 'facts' ? item.score : Math.max(item.score, share);
    const isTask = item.part === 'open_loops' || item.part === 'decisions';
    const match = { share, score, isTask, isNamed: isNamed[at]!, isSubject: isSubject[at]! };
    const rank = rankOf(match);
    // A preference holds for every task.
    const isKept = rank.isKept || item.part === 'preferences' || cosine >= LEAST_COSINE;
    return isKept ? [{ ...item, score: rank.score }] : [];
  });
  return { items, belowFloor: findings.length - items.length };
}

/** Whatever a person is called in a text counts as the name that the intent has, and nobody else's name does. */
function withNames(own: ReadonlySet<string>, people: readonly NamedPerson[]): ReadonlySet<string> {
  const words = new Set(own);
  const stemsOf = ({ name }: NamedPerson) => contentWords(name);
  for (const word of people.filter(({ isKnown }) => isKnown).flatMap(stemsOf)) words.delete(word);
  const isMeant = (person: NamedPerson) =>
    (person.isKnown || person.names.length > 1) && isAbout(person, own);
  for (const word of people.filter(isMeant).flatMap(stemsOf)) words.add(word);
  return words;
}

interface Match {
  readonly share: number;
  readonly score: number;
  /** An open loop or a decision. */
  readonly isTask: boolean;
  readonly isNamed: boolean;
  readonly isSubject: boolean;
}

interface Rank {
  readonly isKept: boolean;
  readonly score: number;
}

function byShare({ share, score }: Match): Rank {
  return { isKept: share >= FLOOR, score };
}

function byName({ share, score, isTask, isNamed }: Match): Rank {
  const isKept = isNamed || share >= FLOOR_BESIDE_NAMED;
  return { isKept, score: isNamed && isTask ? first(share) : NAMED * score };
}

function bySubject({ share, score, isTask, isNamed, isSubject }: Match): Rank {
  if (isSubject) return { isKept: true, score: isTask ? first(share) : NAMED * (1 + score) * 0.5 };
  return { isKept: isNamed, score: NAMED * score * 0.5 };
}

function first(share: number): number {
  return NAMED + (1 - NAMED) * share;
}

/** Words that no finding has do not count: they tell nothing apart. */
function createShare(
  words: readonly string[],
  names: ReadonlySet<string>,
  has: readonly ReadonlySet<string>[],
): (own: ReadonlySet<string>) => number {
  const weights = words.map((word) => {
    const holders = has.filter((own) => own.has(word)).length;
    return holders === 0 ? 0 : idf(holders, has.length) * (names.has(word) ? NAME_WEIGHT : 1);
  });
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return (own) =>
    all === 0 ? 0 : words.reduce((sum, word, at) => sum + (own.has(word) ? weights[at]! : 0), 0) / all;
}

function textOf(finding: Finding): string {
  const { citation } = finding;
  const place = `${pathWords(citation.sourcePath)} ${citation.anchor} ${readingText(citation.textSpan)}`;
  switch (finding.part) {
    case 'decisions':
      return `${place} ${finding.title} ${finding.decision}`;
    case 'open_loops':
      return `${place} ${finding.text} ${finding.owner ?? ''}`;
    case 'facts':
    case 'preferences':
      return `${place} ${readingText(finding.text)}`;
  }
}
