/** What of a note is searched, and how much each part counts. */
import { readListKey } from '../notes/frontmatter/lists.ts';
import { parseFrontmatter } from '../notes/frontmatter/parse.ts';
import { codeRegions, isInside } from '../notes/markdown/regions.ts';
import { normalizeTag, scanInlineTags } from '../notes/tags.ts';
import { titleOf } from '../notes/title.ts';

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

function headingsOf(body: string): string[] {
  const found = [...body.matchAll(/^#{1,6}[ \t]+(\S.*)$/gm)];
  if (found.length === 0) return [];
  const code = /^[ \t>]*(?:```|~~~)/m.test(body) ? codeRegions(body) : [];
  return found.filter((match) => !isInside(code, match.index)).map((match) => (match[1] ?? '').trim());
}

function distinct(items: readonly string[]): string[] {
  return [...new Set(items.filter((item) => item !== ''))];
}
