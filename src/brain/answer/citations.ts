/**
 * Citations. A citation's text is an exact quote of the note at the lines it names: the part of the passage that fits
 * the question best, or a given range.
 */
import { createLineNumbers } from '../../notes/markdown/lines.ts';
import { type Heading, headingAnchor, outlineOf } from '../../notes/markdown/outline.ts';
import { type Range, trimmedRange } from '../../notes/markdown/regions.ts';
import { type Question, questionOf } from '../../notes/text/analyzer.ts';
import { endWithinBytes, graphemeEnd } from '../../notes/text/characters.ts';
import { wholeEnd } from '../../notes/text/passages.ts';
import { createStemFinder } from '../../notes/text/stems.ts';
import { passagesOf } from '../retrieve/passages.ts';
import { type Citation, isMarkdown, type Passage, type RankedPassage, type SourceNote } from '../types.ts';
import type { CitedPassage } from './gate.ts';

/** Fields of a citation that do not follow from the text. */
export type CitationFacts = Pick<Citation, 'index' | 'score' | 'retrievedAt'>;

/** A quote has at most so many bytes. */
export const LONGEST_QUOTE = 200;
const MOST_MATCHES = 500;

export function citationOf(passage: Passage, question: Question, facts: CitationFacts): Citation {
  const { text } = passage;
  const start = bestStart(text, matchesIn(text, question));
  return { ...facts, ...quoteOf(passage, { start, end: text.length }) };
}

/** The citation of a range of the note, made from the passage alone and clamped to it. */
export function citationWithin(
  passage: Passage,
  { start, end }: Range,
  facts: Omit<CitationFacts, 'index'>,
): Omit<Citation, 'index'> {
  const { start: from } = passage.span;
  return { ...facts, ...quoteOf(passage, { start: start - from, end: end - from }) };
}

/** `wanted` holds offsets in the passage. */
function quoteOf(passage: Passage, wanted: Range): Omit<Citation, keyof CitationFacts> {
  const { text, sourcePath, hash } = passage;
  const { start, end } = shownPart(text, wanted);
  const lineAt = createLineNumbers(text);
  return {
    chunkHash: hash,
    sourcePath,
    anchor: anchorIn(passage, start),
    lineStart: passage.lineStart + lineAt(start) - 1,
    lineEnd: passage.lineStart + lineAt(Math.max(start, end - 1)) - 1,
    textSpan: text.slice(start, end),
  };
}

/** Makes citations of ranges of one note. */
export function citationsIn(
  note: SourceNote,
  passages: readonly Passage[] = passagesOf(note),
): (span: Range, facts: CitationFacts) => Citation {
  const { text, sourcePath } = note;
  const lineAt = createLineNumbers(text);
  const headings = headingsOf(text, sourcePath);
  return (wanted, facts) => {
    const { start, end } = shownPart(text, wanted);
    const heading = headings.findLast((each) => each.start <= start);
    return {
      ...facts,
      chunkHash: passageAt(passages, start)?.hash ?? '',
      sourcePath,
      anchor: headingAnchor(heading?.text ?? ''),
      lineStart: lineAt(start),
      lineEnd: lineAt(Math.max(start, end - 1)),
      textSpan: text.slice(start, end),
    };
  };
}

/** The heading over an offset of a passage: a passage may hold several small sections, each with its own heading. */
function anchorIn({ text, anchor, headings, sourcePath }: Passage, at: number): string {
  const outline = headingsOf(text, sourcePath);
  const isCutFromMore = headings.length > 0 && outline[0]?.start !== 0;
  const heading = isCutFromMore ? undefined : outline.findLast((each) => each.start <= at);
  return heading ? headingAnchor(heading.text) : anchor;
}

function headingsOf(text: string, sourcePath: string): readonly Heading[] {
  return isMarkdown(sourcePath) ? outlineOf(text) : [];
}

/** The passage around an offset; in frontmatter, which no passage holds, the next one. */
function passageAt(passages: readonly Passage[], at: number): Passage | undefined {
  return passages.find(({ span }) => span.end > at) ?? passages.at(-1);
}

/** Clamps a range to the text and to the longest span shown, without white space at its ends. */
function shownPart(text: string, wanted: Range): Range {
  const from = Math.min(Math.max(0, wanted.start), text.length);
  const to = Math.min(Math.max(from, wanted.end), text.length);
  const whole = trimmedRange(text, { start: from, end: to });
  const latest = endWithinBytes(text, whole.start, LONGEST_QUOTE);
  return whole.end <= latest
    ? whole
    : trimmedRange(text, { ...whole, end: wholeEnd(text, whole.start, latest) });
}

interface Match {
  readonly word: number;
  readonly at: number;
}

function matchesIn(text: string, { words }: Question): Match[] {
  const found: Match[] = [];
  const { originalOffset } = createStemFinder(words)(text, (word, at) => found.push({ word, at }));
  return found.slice(0, MOST_MATCHES).map(({ word, at }) => ({ word, at: originalOffset(at) }));
}

/** The start of the sentence or line from which the longest span shown has most words of the question. */
function bestStart(text: string, matches: readonly Match[]): number {
  let best = { start: 0, words: 0 };
  for (const [from, { at }] of matches.entries()) {
    const start = beginningOf(text, at);
    const within = matches.slice(from).filter((match) => match.at < start + LONGEST_QUOTE);
    const words = new Set(within.map(({ word }) => word)).size;
    if (words > best.words) best = { start, words };
  }
  return best.start;
}

const BEGINNING = /(?:^|\n|[.!?…]["'”’)\]]*\s)\s*(?=\S)/g;
const LONGEST_LEAD = 200;

/** The start of the sentence or line around an offset; a word's start when the sentence begins too far before. */
function beginningOf(text: string, at: number): number {
  const from = Math.max(0, at - LONGEST_LEAD);
  let start: number | undefined;
  for (const { 0: found, index } of text.slice(from, at + 1).matchAll(BEGINNING)) {
    if (index > 0 || from === 0) start = from + index + found.length;
  }
  if (start !== undefined) return start;
  const space = text.slice(from, at).search(/\s\S/);
  return space < 0 ? graphemeEnd(text, 0, from) : from + space + 1;
}

/** Makes the citation of a range of the note, or of the part of the passage that fits a question best. */
export type CitePassage = (source: RankedPassage, where: Range | string) => Omit<Citation, 'index'>;

/** The citations of one answer, numbered in order of first use; equal ranges share one number. */
export function createCitations(cite: CitePassage) {
  const numbers = new Map<string, number>();
  const citations: Citation[] = [];
  const numberOf = ({ source, span }: CitedPassage) => {
    const key = `${source.passage.hash} ${span.start} ${span.end}`;
    const known = numbers.get(key);
    if (known !== undefined) return known;
    const index = citations.length + 1;
    numbers.set(key, index);
    citations.push({ ...cite(source, span), index });
    return index;
  };
  return { citations, numbersOf: (places: readonly CitedPassage[]) => [...new Set(places.map(numberOf))] };
}

export function marked(text: string, numbers: readonly number[]): string {
  return `${text} ${numbers.map((number) => `[${number}]`).join('')}`;
}

export function createCite(retrievedAt: string): CitePassage {
  return ({ passage, score }, where) => {
    const facts = { score: rounded(score), retrievedAt };
    return typeof where === 'string'
      ? citationOf(passage, questionOf(where), { ...facts, index: 0 })
      : citationWithin(passage, where, facts);
  };
}

export function rounded(score: number): number {
  return Math.round(Math.min(1, Math.max(0, score)) * 10_000) / 10_000;
}
