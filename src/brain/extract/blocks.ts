/**
 * A note as blocks: headings, list items, paragraphs and table rows, each with its place and the headings over
 * it. Code, comments and frontmatter are left out; what is code within a line is blanked. A block's text has the
 * length of its span, so that every offset in it leads back to the note.
 */
import { bodyStartOf } from '../../notes/frontmatter/body-start.ts';
import type { Span } from '../types.ts';
import { createOutline } from './outline.ts';
import type { SectionKind } from './sections.ts';
import { stretchesOf } from './stretches.ts';

export interface Block {
  readonly kind: 'heading' | 'item' | 'paragraph' | 'row';
  /** Its content: behind the list marker, the hashes, the quote marks. */
  readonly span: Span;
  /** On one line, with code blanked; cut at `MAX_BLOCK`. */
  readonly text: string;
  /** From 1. */
  readonly line: number;
  /** Of the content, in characters from the line's start. */
  readonly indent: number;
  /** Words of somebody else. */
  readonly quoted: boolean;
  /** The heading it stands under, as it is written; empty above the first one. */
  readonly anchor: string;
  /** All headings and lines that stand for one over it, outermost first; of a heading, itself included. */
  readonly headings: readonly string[];
  readonly section: SectionKind | undefined;
  /** Of a heading, 1 to 6; 7 for a line that stands for one. */
  readonly level: number;
}

export interface ScanOptions {
  readonly todoTxt: boolean;
  readonly includeQuotes: boolean;
}

/** Longer notes are read up to here. */
const MAX_TEXT = 1_500_000;
const MAX_BLOCKS = 200_000;
const BLOCKS_A_STEP = 200;

export function* scanNote(whole: string, options: ScanOptions): Generator<undefined, Block[]> {
  const text = whole.length > MAX_TEXT ? whole.slice(0, MAX_TEXT) : whole;
  const from = bodyStartOf(text);
  const outline = createOutline(text);
  const blocks: Block[] = [];
  const stretches = yield* stretchesOf(text, from, options.todoTxt);
  let steps = 0;
  for (const stretch of stretches) {
    if (blocks.length >= MAX_BLOCKS) break;
    if (++steps % BLOCKS_A_STEP === 0) yield;
    if (!stretch.quoted || options.includeQuotes) blocks.push(outline.place(stretch));
  }
  return blocks;
}
