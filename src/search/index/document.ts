/** What of a note is searched, and how much each part counts. */
import { readListKey } from '../../notes/frontmatter/lists.ts';
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { closesFence, type FenceOpening, fenceOpening } from '../../notes/markdown/line-starts.ts';
import { normalizeTag, scanInlineTags } from '../../notes/tags.ts';
import { titleOf } from '../../notes/text/text.ts';

export interface SearchDocument {
  readonly title: string;
  readonly aliases: readonly string[];
  readonly frontmatterTags: readonly string[];
  /** In the text, and not in the frontmatter too. */
  readonly inlineTags: readonly string[];
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly headings: readonly string[];
}

/** How much an occurrence counts, by where it stands; each comes on top of the one in the whole text. */
const WEIGHTS = { title: 4, path: 2, alias: 4, tag: 3, heading: 1 };

/** Beyond this a file is data; its headings and tags are nobody's table of contents. */
const LARGEST_OUTLINED = 1024 * 1024;

export async function documentOf(path: string, text: string): Promise<SearchDocument> {
  const { data, body } = await parseFrontmatter(text);
  const outlined = text.length <= LARGEST_OUTLINED;
  const frontmatterTags = distinct(
    ['tags', 'tag'].flatMap((key) => readListKey(data, key)).map(normalizeTag),
  );
  const inline = outlined ? distinct(scanInlineTags(text).map(({ tag }) => tag)) : [];
  return {
    title: titleOf(path, data, body),
    aliases: ['aliases', 'alias'].flatMap((key) => readListKey(data, key)),
    frontmatterTags,
    inlineTags: inline.filter((tag) => !frontmatterTags.includes(tag)),
    frontmatter: data,
    headings: outlined ? headingsOf(body) : [],
  };
}

/** The parts that count more than plain text, with their weights. */
export function weightedParts(path: string, document: SearchDocument): { text: string; weight: number }[] {
  const parts = [
    { text: document.title, weight: WEIGHTS.title },
    { text: path.replace(/\.(?:md|markdown|txt)$/i, ''), weight: WEIGHTS.path },
    { text: document.aliases.join('\n'), weight: WEIGHTS.alias },
    { text: [...document.frontmatterTags, ...document.inlineTags].join('\n'), weight: WEIGHTS.tag },
    { text: document.headings.join('\n'), weight: WEIGHTS.heading },
  ];
  return parts.filter(({ text }) => text !== '');
}

/** Lines that begin with `#`, and fences: what is between two of these is no heading, whatever it looks like. */
const HEADING_OR_FENCE = /^(?:#{1,6}[ \t]+(\S.*)| {0,3}(?=```|~~~).*)$/gm;

function headingsOf(body: string): string[] {
  const headings: string[] = [];
  let fence: FenceOpening | undefined;
  for (const { 0: line, 1: heading, index } of body.matchAll(HEADING_OR_FENCE)) {
    const end = index + line.length;
    if (heading !== undefined) {
      if (!fence) headings.push(heading.trim());
      continue;
    }
    const at = end - line.trimStart().length;
    if (!fence) fence = fenceOpening(body, at, end);
    else if (closesFence(body, fence, { at, end })) fence = undefined;
  }
  return headings;
}

function distinct(items: readonly string[]): string[] {
  return [...new Set(items.filter((item) => item !== ''))];
}
