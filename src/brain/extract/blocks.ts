/** Blocks of a note with the headings over them. A bold line, or a line such as `Actions:`, counts as a heading. */

import { bodyStartOf } from '../../notes/frontmatter/split.ts';
import { withoutClosing } from '../../notes/markdown/outline.ts';
import type { Range } from '../../notes/markdown/regions.ts';
import { type TextSpan, textSpans } from '../../notes/markdown/text-spans.ts';
import type { SectionKind } from './language/vocabulary.ts';
import { beginsAnew, sectionOf } from './sections.ts';
import { shownText } from './words.ts';

interface OpenSection {
  readonly level: number;
  readonly text: string;
  readonly section: SectionKind | undefined;
}

/** A line that acts as a heading. */
interface Label extends OpenSection {
  readonly indent: number;
  readonly ofItem: boolean;
  readonly bold: boolean;
}

type HeadingContext = Pick<Block, 'anchor' | 'headings' | 'section'>;

const BOLD_LINE = /^(?:\*\*|__)([^*_]{1,60})(?:\*\*|__)\s?:?\\?$/;
const COLON_LINE = /^([^:!?]{1,88})\s?:$/;
const MAX_LABEL = 90;
const LABEL_LEVEL = 7;

/** Places spans, in their order, under the headings of `note`, the text that they refer to. */
function createOutline(note: string): (span: TextSpan) => Block {
  const open: OpenSection[] = [];
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

  return (span) => {
    if (span.kind === 'heading') {
      const title = withoutClosing(shownText(note, { text: span.text, span }));
      enterHeading(span.level, title.replace(/\s+/g, ' ').trim());
      return blockOf(span, over);
    }
    if (label && endsLabel(label, span, seen)) enter(undefined);
    const named = labelOf(span);
    if (named) {
      enter(named);
      return { ...blockOf(span, over), kind: 'heading', level: LABEL_LEVEL };
    }
    if (span.kind === 'item') seen.items++;
    else seen.paragraphs++;
    return blockOf(span, over);
  };
}

function overOf(open: readonly OpenSection[], label: Label | undefined): HeadingContext {
  const headings = label ? [...open, label] : open;
  return {
    anchor: open.at(-1)?.text ?? '',
    headings: headings.map(({ text }) => text),
    section: headings.findLast(({ section }) => section !== undefined)?.section,
  };
}

function blockOf(
  { kind, start, end, text, line, indent, quoted, level }: TextSpan,
  { anchor, headings, section }: HeadingContext,
): Block {
  return { kind, span: { start, end }, text, line, indent, quoted, anchor, headings, section, level };
}

function labelOf({ text, kind, indent }: TextSpan): Label | undefined {
  if (text.length > MAX_LABEL || !/[:*_\\]$/.test(text)) return undefined;
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

/**
 * A label in a list item ends with the items indented below it. Any other label ends at a paragraph after a list; one
 * that is not bold also at a second paragraph.
 */
function endsLabel(label: Label, span: TextSpan, seen: { items: number; paragraphs: number }): boolean {
  if (label.ofItem) return span.indent <= label.indent;
  if (span.kind === 'item' || span.follows) return false;
  return seen.items > 0 || (seen.paragraphs > 0 && !label.bold);
}

export interface Block extends Omit<TextSpan, 'start' | 'end' | 'follows'> {
  readonly span: Range;
  /** The heading over the block, as written; empty above the first heading. */
  readonly anchor: string;
  /** All headings and labels over the block, outermost first; of a heading, itself included. */
  readonly headings: readonly string[];
  readonly section: SectionKind | undefined;
  /** Level of a heading, 1 to 6; 7 for a label. */
  readonly level: number;
}

interface ScanOptions {
  readonly todoTxt: boolean;
  readonly includeQuotes: boolean;
}

/** Longer notes are scanned up to here. */
const MAX_TEXT = 1_500_000;
const MAX_BLOCKS = 200_000;
const BLOCKS_A_STEP = 200;

export function* scanNote(whole: string, options: ScanOptions): Generator<undefined, Block[]> {
  const text = whole.length > MAX_TEXT ? whole.slice(0, MAX_TEXT) : whole;
  const from = bodyStartOf(text);
  const placed = createOutline(text);
  const blocks: Block[] = [];
  const spans = yield* textSpans(text, from, options.todoTxt ? () => true : beginsAnew);
  let steps = 0;
  for (const span of spans) {
    if (blocks.length >= MAX_BLOCKS) break;
    if (++steps % BLOCKS_A_STEP === 0) yield;
    if (!span.quoted || options.includeQuotes) blocks.push(placed(span));
  }
  return blocks;
}
