/**
 * What an answer shows of where it comes from. The span shown stands in the note at exactly the lines named, to the
 * letter, and is the part of its passage that has most to do with the question.
 */
import { createLineNumbers, lineNumberAt, wholeCharacter } from '../../notes/markdown/lines.ts';
import { type Heading, headingAnchor, headingOver, outlineOf } from '../../notes/markdown/outline.ts';
import { type Range, trimmedRange } from '../../notes/markdown/regions.ts';
import { type Question, questionOf } from '../../notes/text/analyzer.ts';
import { characterEnd, wholeEnd } from '../../notes/text/passages.ts';
import { createStemFinder } from '../../notes/text/stems.ts';
import { passagesOf } from '../retrieve/passages.ts';
import { type Citation, isMarkdown, type Passage, type RankedPassage, type SourceNote } from '../types.ts';
import type { CitedPassage } from './gate.ts';

/** What of a citation the text does not tell. */
type CitationFacts = Pick<Citation, 'index' | 'score' | 'retrievedAt'>;

const LONGEST_SPAN = 300;
const MOST_MATCHES = 500;

export function citationOf(passage: Passage, question: Question, facts: CitationFacts): Citation {
  const { text, lineStart, sourcePath, hash } = passage;
  const span = bestSpan(text, question);
  const lineAt = createLineNumbers(text);
  return {
    ...facts,
    chunkHash: hash,
    sourcePath,
    anchor: anchorIn(passage, span.start),
    lineStart: lineStart + lineAt(span.start) - 1,
    lineEnd: lineStart + lineAt(Math.max(span.start, span.end - 1)) - 1,
    textSpan: text.slice(span.start, span.end),
  };
}

/** Of something found at a place of a note. */
export function citationAt(note: SourceNote, span: Range, facts: CitationFacts): Citation {
  return citationsIn(note)(span, facts);
}

/** The same for many places of one note. */
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

/** Tiny sections are one passage together; what is cited stands under one of their headings. */
function anchorIn({ text, anchor, headings, sourcePath }: Passage, at: number): string {
  const outline = headingsOf(text, sourcePath);
  const isCutFromMore = headings.length > 0 && outline[0]?.start !== 0;
  const heading = isCutFromMore ? undefined : outline.findLast((each) => each.start <= at);
  return heading ? headingAnchor(heading.text) : anchor;
}

function headingsOf(text: string, sourcePath: string): readonly Heading[] {
  return isMarkdown(sourcePath) ? outlineOf(text) : [];
}

/** What holds the place; else what comes next, as after frontmatter; else the last. */
function passageAt(passages: readonly Passage[], at: number): Passage | undefined {
  return passages.find(({ span }) => span.end > at) ?? passages.at(-1);
}

/** Within the note, without white space at its ends, no longer than may be shown. */
function shownPart(text: string, wanted: Range): Range {
  const from = Math.min(Math.max(0, wanted.start), text.length);
  const to = Math.min(Math.max(from, wanted.end), text.length);
  const whole = trimmedRange(text, { start: from, end: to });
  if (whole.end - whole.start <= LONGEST_SPAN) return whole;
  return trimmedRange(text, { ...whole, end: wholeEnd(text, whole.start, whole.start + LONGEST_SPAN) });
}

interface Match {
  readonly word: number;
  readonly at: number;
}

function bestSpan(text: string, question: Question): Range {
  const matches = matchesIn(text, question);
  const start = bestStart(text, matches);
  return shownPart(text, { start, end: text.length });
}

function matchesIn(text: string, { words }: Question): Match[] {
  const found: Match[] = [];
  const { originalOffset } = createStemFinder(words)(text, (word, at) => found.push({ word, at }));
  return found.slice(0, MOST_MATCHES).map(({ word, at }) => ({ word, at: originalOffset(at) }));
}

/** Where a sentence or line begins from which on most of the question's words stand within what can be shown. */
function bestStart(text: string, matches: readonly Match[]): number {
  let best = { start: 0, words: 0 };
  for (const [from, { at }] of matches.entries()) {
    const start = beginningOf(text, at);
    const within = matches.slice(from).filter((match) => match.at < start + LONGEST_SPAN);
    const words = new Set(within.map(({ word }) => word)).size;
    if (words > best.words) best = { start, words };
  }
  return best.start;
}

const BEGINNING = /(?:^|\n|[.!?…]["'”’)\]]*\s)\s*(?=\S)/g;
const LONGEST_LEAD = 200;

/** Of the sentence or line around a place; when that begins far before it, of a word not so far. */
function beginningOf(text: string, at: number): number {
  const from = Math.max(0, at - LONGEST_LEAD);
  let start: number | undefined;
  for (const { 0: found, index } of text.slice(from, at + 1).matchAll(BEGINNING)) {
    if (index > 0 || from === 0) start = from + index + found.length;
  }
  if (start !== undefined) return start;
  const space = text.slice(from, at).search(/\s\S/);
  return space < 0 ? characterEnd(text, 0, from) : from + space + 1;
}

/** The citation of a place in the note, made from the passage alone; what lies outside of the passage is left out. */
export function citationWithin(
  passage: Passage,
  span: Range,
  facts: Pick<Citation, 'score' | 'retrievedAt'>,
): Omit<Citation, 'index'> {
  const { text, sourcePath, hash } = passage;
  const { start, end } = quotedPart(text, {
    start: Math.max(0, span.start - passage.span.start),
    end: Math.min(text.length, span.end - passage.span.start),
  });
  const line = lineNumberAt(text, start);
  return {
    ...facts,
    chunkHash: hash,
    sourcePath,
    anchor: anchorAt(passage, line),
    lineStart: passage.lineStart + line - 1,
    lineEnd: passage.lineStart + lineNumberAt(text, Math.max(start, end - 1)) - 1,
    textSpan: text.slice(start, end),
  };
}

/** A passage may be made of tiny sections, each under a heading of its own. */
function anchorAt({ text, anchor, headings }: Passage, line: number): string {
  const heading = headingOver(text, line);
  return heading === undefined || headings.includes(heading) ? anchor : heading;
}

/** No longer than may be shown, without white space at its ends, and without half a character. */
function quotedPart(text: string, range: Range): Range {
  const { start, end } = trimmedRange(text, range);
  return trimmedRange(text, { start, end: wholeCharacter(text, Math.min(end, start + LONGEST_SPAN)) });
}

/** The citations of one answer, numbered as they are first used; the same place has one number. */

/** Makes a citation: of a place in the note, or of what fits a question best. Its index is not looked at. */
export type CitePassage = (source: RankedPassage, where: Range | string) => Omit<Citation, 'index'>;

interface Citations {
  /** The numbers of these places, new ones where they have none. */
  numbersOf(places: readonly CitedPassage[]): number[];
  list(): readonly Citation[];
}

export function createCitations(cite: CitePassage): Citations {
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
  return {
    numbersOf: (places) => [...new Set(places.map(numberOf))],
    list: () => citations,
  };
}

export function marked(text: string, numbers: readonly number[]): string {
  return `${text} ${numbers.map((number) => `[${number}]`).join('')}`;
}

/** Citations of what an answer rests on: a place in a passage, or what of it fits a question best. */

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
