/**
 * What an answer shows of where it comes from. The span shown stands in the note at exactly the lines named, to the
 * letter, and is the part of its passage that has most to do with the question.
 */
import { createLineNumbers } from '../notes/markdown/line-numbers.ts';
import { type Heading, headingAnchor, outlineOf } from '../notes/markdown/outline.ts';
import type { Question } from '../notes/words/question.ts';
import { createStemFinder } from '../notes/words/stems.ts';
import { isMarkdown } from './note-kinds.ts';
import { passagesOf } from './passages.ts';
import { characterEnd, wholeEnd } from './text-ends.ts';
import type { Citation, Passage, SourceNote, Span } from './types.ts';

/** What of a citation the text does not tell. */
export type CitationFacts = Pick<Citation, 'index' | 'score' | 'retrievedAt'>;

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
export function citationAt(note: SourceNote, span: Span, facts: CitationFacts): Citation {
  return citationsIn(note)(span, facts);
}

/** The same for many places of one note. */
export function citationsIn(
  note: SourceNote,
  passages: readonly Passage[] = passagesOf(note),
): (span: Span, facts: CitationFacts) => Citation {
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

/** Small pieces under several headings are one passage; what is cited stands under one of them. */
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
function shownPart(text: string, wanted: Span): Span {
  let start = Math.min(Math.max(0, wanted.start), text.length);
  let end = Math.min(Math.max(start, wanted.end), text.length);
  while (start < end && /\s/.test(text[start]!)) start++;
  if (end - start > LONGEST_SPAN) end = wholeEnd(text, start, start + LONGEST_SPAN);
  while (end > start && /\s/.test(text[end - 1]!)) end--;
  return { start, end };
}

interface Match {
  readonly word: number;
  readonly at: number;
}

function bestSpan(text: string, question: Question): Span {
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
