/**
 * Decides, before any model is asked, whether the notes can answer a question. They cannot when
 * - a name or a number of the question stands in no note;
 * - another telling word stands in none, and no line has all of the others, two at least, or most of many;
 * - the best passages are too far from it;
 * - the lines about those whom it names have less of what is asked than lines about others.
 * Thresholds were chosen on the odd half of the questions of bench/quality/conversations.mjs.
 */
import { lemmaOf, wordsIn } from '../../notes/text/analyzer.ts';
import type { RankedPassage } from '../types.ts';
import { isEnough, isNearInMeaning } from './evidence.ts';
import { type ScoredSentence, tellingWords } from './extractive.ts';
import { namesIn } from './names.ts';
import { isEnoughElsewhere } from './other-languages.ts';
import { headingWords } from './subjects.ts';

export interface Refusal {
  readonly reason: 'no_evidence' | 'below_threshold';
  /** Sentences that say why, and what is nearest. */
  readonly because: readonly string[];
}

export interface Findings {
  readonly question: string;
  /** Best first. */
  readonly passages: readonly RankedPassage[];
  /** Telling words of the question that stand in no note. */
  readonly unknown: readonly string[];
  /** Best first. */
  readonly sentences: readonly ScoredSentence[];
}

/** Fewest telling words that a line must have, where another one stands in no note. */
const FEWEST_KNOWN = 2;
/** Of so many or more, a line need not have all: whoever asks at length chooses one word or another himself. */
const MANY_KNOWN = 4;
const MOST_OF_MANY = 0.6;
/** How much more of what is asked a line about others may have. */
const OTHERS_AHEAD = 0.22;

export function refusalOf(findings: Findings): Refusal | undefined {
  const { question, passages, unknown, sentences } = findings;
  const missing = unknown.map((word) => `No note mentions "${word}".`);
  const refused = (reason: Refusal['reason'], because: readonly string[] = []): Refusal => ({
    reason,
    because: [...because, ...nearestOf(passages)],
  });
  const names = namesIn(question);
  if (unknown.some((word) => names.includes(word))) return refused('no_evidence', missing);
  if (passages.length === 0) return refused('no_evidence', missing);
  if (unknown.length > 0 && !hasTheOthers(findings) && !isNearInMeaning(passages))
    return refused('no_evidence', missing);
  if (!isEnough(passages) && !isEnoughElsewhere(question, passages)) return refused('below_threshold');
  const about = Math.max(0, ...sentences.map(({ isAbout, replied }) => (isAbout ? replied : 0)));
  const others = Math.max(0, ...sentences.map(({ isAbout, headed }) => (isAbout ? 0 : headed)));
  if (about < others - OTHERS_AHEAD)
    return refused('below_threshold', [`What fits best is not about ${listed(names)}.`]);
  return undefined;
}

function hasTheOthers({ question, unknown, sentences }: Findings): boolean {
  const left = new Set([...unknown, ...namesIn(question)].flatMap(wordsIn).map(lemmaOf));
  const others = tellingWords(question).filter((word) => !left.has(word));
  if (others.length < FEWEST_KNOWN) return false;
  const wanted = others.length < MANY_KNOWN ? others.length : MOST_OF_MANY * others.length;
  return sentences.some(({ isAbout, words, source, paragraph }) => {
    const headings = headingWords(source, paragraph.headings);
    return isAbout && others.filter((word) => words.has(word) || headings.has(word)).length >= wanted;
  });
}

export function nearestOf([nearest]: readonly RankedPassage[]): string[] {
  if (!nearest) return [];
  const { sourcePath, headings } = nearest.passage;
  const heading = headings.at(-1);
  return [`Nearest: ${sourcePath}${heading === undefined ? '' : `, under "${heading}"`}.`];
}

function listed(names: readonly string[]): string {
  return names.join(', ');
}
