/**
 * A note as blocks: headings, list items, paragraphs and table rows, each with its place and the headings over
 * it. Code, comments and frontmatter are left out; what is code within a line is blanked. A block's text has the
 * length of its span, so that every offset in it leads back to the note.
 */

import { bodyStartOf } from '../../notes/frontmatter/split.ts';
import type { Span } from '../types.ts';
import { type SectionKind, sectionOf } from './sections.ts';
import { stretchesOf, type TextSpan } from './text-spans.ts';
import { shownText } from './words.ts';

/** Puts blocks under their headings. A bold line, or `Actions:` that names a section, counts as a heading too. */

interface Heading {
  readonly level: number;
  readonly text: string;
  readonly section: SectionKind | undefined;
}

/** A line that stands for a heading, for as long as what follows belongs to it. */
interface Label extends Heading {
  readonly indent: number;
  readonly ofItem: boolean;
  readonly bold: boolean;
}

/** What all blocks under the same headings have in common. */
type HeadingContext = Pick<Block, 'anchor' | 'headings' | 'section'>;

const HASHES = /^(#{1,6})(?:[ \t]+|$)/;
const BOLD_LINE = /^(?:\*\*|__)([^*_]{1,60})(?:\*\*|__):?$/;
const COLON_LINE = /^([^:.!?]{1,60}):$/;
const MAX_LABEL = 70;
const LABEL_LEVEL = 7;

/** `note` is the text the stretches are of. */
function createOutline(note: string) {
  const open: Heading[] = [];
  let label: Label | undefined;
  let seen = { items: 0, paragraphs: 0 };
  let over: HeadingContext = overOf(open, label);

  const enter = (next: Label | undefined) => {
    label = next;
    seen = { items: 0, paragraphs: 0 };
    over = overOf(open, label);
  };
  const enterHeading = (level: number, text: string) => {
    while (open.length > 0 && open.at(-1)!.level >= level) open.pop();
    open.push({ level, text, section: sectionOf(text) });
    enter(undefined);
  };

  return {
    place(stretch: TextSpan): Block {
      const hashes = stretch.kind === 'hashes' ? HASHES.exec(stretch.text) : null;
      const level = hashes?.[1]?.length ?? (stretch.kind === 'paragraph' ? stretch.underline : 0);
      if (level > 0) {
        const skip = hashes?.[0].length ?? 0;
        const title = shownText(note, { text: stretch.text, span: stretch })
          .slice(skip)
          .replace(/[ \t]+#+$/, '');
        enterHeading(level, title.replace(/\s+/g, ' ').trim());
        return blockOf(stretch, over, { kind: 'heading', level, skip });
      }
      if (label && endsLabel(label, stretch, seen)) enter(undefined);
      const named = labelOf(stretch);
      if (named) {
        enter(named);
        return blockOf(stretch, over, { kind: 'heading', level: LABEL_LEVEL, skip: 0 });
      }
      if (stretch.kind === 'item') seen.items++;
      else seen.paragraphs++;
      const kind = stretch.kind === 'hashes' ? 'paragraph' : stretch.kind;
      return blockOf(stretch, over, { kind, level: 0, skip: 0 });
    },
  };
}

function overOf(open: readonly Heading[], label: Label | undefined): HeadingContext {
  const headings = label ? [...open, label] : open;
  return {
    anchor: open.at(-1)?.text ?? '',
    headings: headings.map(({ text }) => text),
    section: headings.findLast(({ section }) => section !== undefined)?.section,
  };
}

function blockOf(
  { start, end, text, line, indent, quoted }: TextSpan,
  { anchor, headings, section }: HeadingContext,
  { kind, level, skip }: Pick<Block, 'kind' | 'level'> & { readonly skip: number },
): Block {
  const span = { start: start + skip, end };
  return { kind, span, text: text.slice(skip), line, indent, quoted, anchor, headings, section, level };
}

function labelOf({ text, kind, indent }: TextSpan): Label | undefined {
  if (text.length > MAX_LABEL || !/[:*_]$/.test(text)) return undefined;
  const bold = BOLD_LINE.exec(text);
  const name = bold?.[1] ?? COLON_LINE.exec(text.replace(/\*\*|__/g, ''))?.[1];
  const section = name === undefined ? undefined : sectionOf(name);
  if (name === undefined || (section === undefined && !bold)) return undefined;
  return {
    level: LABEL_LEVEL,
    text: name.trim(),
    section,
    indent,
    ofItem: kind === 'item',
    bold: bold !== null,
  };
}

/** Of an item: what is indented below it. Else: up to a paragraph behind a list, and of a line that is not bold also behind a paragraph. */
function endsLabel(label: Label, stretch: TextSpan, seen: { items: number; paragraphs: number }): boolean {
  if (label.ofItem) return stretch.indent <= label.indent;
  if (stretch.kind === 'item' || stretch.follows) return false;
  return seen.items > 0 || (seen.paragraphs > 0 && !label.bold);
}

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

interface ScanOptions {
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
