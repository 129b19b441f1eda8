/**
 * How far a finding has to do with an intent: the share of the intent's telling words that it has, its path and headings
 * included, weighted by how rare they are among all findings. What is below the floor is left out of a pack. Where the
 * intent names somebody or something that findings are about, those stay, the floor is higher for all others, and open
 * loops and decisions about them come before everything else.
 */
import { contentWords, isStopWord, wordsIn } from '../../notes/text/analyzer.ts';
import { idf } from '../../notes/text/bm25.ts';
import { tellingWords } from '../answer/extractive.ts';
import { isMeasureWord } from '../answer/facts.ts';
import { readingText } from '../answer/sentences.ts';
import { pathWords } from '../retrieve/keyword-search.ts';
import type { PackItem } from './fit.ts';

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

export function relevantTo(intent: string, findings: readonly Finding[]): Relevant {
  const names = new Set(namesIn(intent));
  const has = findings.map((finding) => new Set(contentWords(textOf(finding))));
  const shareIn = createShare(tellingWords(intent), names, has);
  const isNamed = has.map((own) => [...names].some((name) => own.has(name)));
  const anyNamed = isNamed.includes(true);
  const floor = anyNamed ? FLOOR_BESIDE_NAMED : FLOOR;
  const items = findings.flatMap(({ cosine = 0, ...item }, at) => {
    const share = shareIn(has[at]!);
    // A preference holds for every task.
    const isKept = item.part === 'preferences' || isNamed[at] || share >= floor || cosine >= LEAST_COSINE;
    if (!isKept) return [];
    const score = item.part === 'facts' ? item.score : Math.max(item.score, share);
    if (!anyNamed) return [{ ...item, score }];
    const isFirst = isNamed[at] && (item.part === 'open_loops' || item.part === 'decisions');
    return [{ ...item, score: isFirst ? NAMED + (1 - NAMED) * share : NAMED * score }];
  });
  return { items, belowFloor: findings.length - items.length };
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

/** Stems of the capitalized words of an intent; the first one may be capitalized for its place. */
function namesIn(intent: string): string[] {
  const [, ...tokens] = intent.match(/\p{L}[\p{L}\p{M}\p{N}]*/gu) ?? [];
  return tokens
    .filter((token) => /^\p{Lu}/u.test(token))
    .filter((token) => wordsIn(token).every((word) => !isStopWord(word) && !isMeasureWord(word)))
    .flatMap(contentWords);
}
