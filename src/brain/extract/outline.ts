/** Puts blocks under their headings. A bold line, or `Actions:` that names a section, counts as a heading too. */
import type { Block } from './blocks.ts';
import { type SectionKind, sectionOf } from './sections.ts';
import type { Stretch } from './stretches.ts';

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

type Placed = Stretch & { readonly underline: number };

const HASHES = /^(#{1,6})(?:[ \t]+|$)/;
const BOLD_LINE = /^(?:\*\*|__)([^*_]{1,60})(?:\*\*|__):?$/;
const COLON_LINE = /^([^:.!?]{1,60}):$/;
const LABEL_LEVEL = 7;

export function createOutline() {
  const open: Heading[] = [];
  let label: Label | undefined;
  let seen = { items: 0, paragraphs: 0 };

  const over = () => (label ? [...open, label] : open);
  const place = (stretch: Placed, more: Pick<Block, 'kind' | 'level'>, skip = 0): Block => {
    const headings = over();
    return {
      ...more,
      span: { start: stretch.start + skip, end: stretch.end },
      text: stretch.text.slice(skip),
      line: stretch.line,
      indent: stretch.indent,
      quoted: stretch.quoted,
      anchor: open.at(-1)?.text ?? '',
      headings: headings.map(({ text }) => text),
      section: headings.findLast(({ section }) => section !== undefined)?.section,
    };
  };

  return {
    place(stretch: Placed): Block {
      const hashes = stretch.kind === 'hashes' ? HASHES.exec(stretch.text) : null;
      const level = hashes?.[1]?.length ?? stretch.underline;
      if (level > 0) {
        const skip = hashes?.[0].length ?? 0;
        const text = stretch.text
          .slice(skip)
          .replace(/[ \t]+#+$/, '')
          .trim();
        while (open.length > 0 && open.at(-1)!.level >= level) open.pop();
        open.push({ level, text, section: sectionOf(text) });
        label = undefined;
        return place(stretch, { kind: 'heading', level }, skip);
      }
      if (label && endsLabel(label, stretch, seen)) label = undefined;
      const named = labelOf(stretch);
      if (named) {
        label = named;
        seen = { items: 0, paragraphs: 0 };
        return place(stretch, { kind: 'heading', level: LABEL_LEVEL });
      }
      if (stretch.kind === 'item') seen.items++;
      else seen.paragraphs++;
      return place(stretch, { kind: stretch.kind === 'hashes' ? 'paragraph' : stretch.kind, level: 0 });
    },
  };
}

function labelOf(stretch: Placed): Label | undefined {
  const bold = BOLD_LINE.exec(stretch.text);
  const name = bold?.[1] ?? COLON_LINE.exec(stretch.text.replace(/\*\*|__/g, ''))?.[1];
  const section = name === undefined ? undefined : sectionOf(name);
  if (name === undefined || (section === undefined && !bold)) return undefined;
  const { indent } = stretch;
  const ofItem = stretch.kind === 'item';
  return { level: LABEL_LEVEL, text: name.trim(), section, indent, ofItem, bold: bold !== null };
}

/** Of an item: what is indented below it. Else: up to a paragraph behind a list, and of a line that is not bold also behind a paragraph. */
function endsLabel(label: Label, stretch: Placed, seen: { items: number; paragraphs: number }): boolean {
  if (label.ofItem) return stretch.indent <= label.indent;
  if (stretch.kind === 'item' || stretch.follows) return false;
  return seen.items > 0 || (seen.paragraphs > 0 && !label.bold);
}
