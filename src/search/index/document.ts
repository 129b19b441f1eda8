/** The fields of a note that are searched, and the weight of each. */
import { readListKey } from '../../notes/frontmatter/lists.ts';
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { mayHideHeadings, outlineOf, titleOf } from '../../notes/markdown/outline.ts';
import { blocksAtMargin, codeBlocks, type Range } from '../../notes/markdown/regions.ts';
import { normalizeTag, scanInlineTags } from '../../notes/tags.ts';
import { mayHoldTasks } from '../../notes/tasks.ts';

export interface SearchDocument {
  readonly title: string;
  readonly aliases: readonly string[];
  readonly frontmatterTags: readonly string[];
  /** In the text, and not in the frontmatter too. */
  readonly inlineTags: readonly string[];
  readonly frontmatter: Readonly<Record<string, unknown>>;
  readonly headings: readonly string[];
  /** Whether something looks like a task; absent where nothing does. */
  readonly mayHoldTasks?: true;
}

/** The weight of an occurrence by field; each is added to that of the occurrence in the whole text. */
const WEIGHTS = { title: 4, path: 2, alias: 4, tag: 3, heading: 1 };

/** A larger file is data: only its title is looked for, near the top. */
const LARGEST_OUTLINED = 1024 * 1024;
const TITLE_WITHIN = 20_000;

/** `codeOf` finds the code of the text, in which there are neither headings nor tags. */
export async function documentOf(
  path: string,
  text: string,
  codeOf: (text: string) => readonly Range[] = codeWithHeadings,
): Promise<SearchDocument> {
  const { data } = await parseFrontmatter(text);
  const outlined = text.length <= LARGEST_OUTLINED;
  // No scan for code without need, and one for both: this is done for every note.
  const code = outlined && mayHideHeadings(text) ? codeOf(text) : undefined;
  const outline = outlined ? outlineOf(text, code ?? []) : outlineOf(text.slice(0, TITLE_WITHIN));
  const frontmatterTags = distinct(
    ['tags', 'tag'].flatMap((key) => readListKey(data, key)).map(normalizeTag),
  );
  const inline = outlined ? distinct(scanInlineTags(text, code).map(({ tag }) => tag)) : [];
  return {
    title: titleOf(path, data, outline),
    aliases: ['aliases', 'alias'].flatMap((key) => readListKey(data, key)),
    frontmatterTags,
    inlineTags: inline.filter((tag) => !frontmatterTags.includes(tag)),
    frontmatter: data,
    headings: outlined ? outline.map((heading) => heading.text) : [],
    mayHoldTasks: mayHoldTasks(text) || undefined,
  };
}

/** What looks like a tag in other code, indented, is told from one by `scanInlineTags`. */
function codeWithHeadings(text: string): readonly Range[] {
  return blocksAtMargin(text) ?? codeBlocks(text);
}

/** Links and emphasis are taken out of so much of a title; the rest stays as it is written. */
const LONGEST_NAME = 1_000;
/** What a reader does not see of links and emphasis in a heading, and what is shown of each. */
const MARKUP: readonly (readonly [RegExp, string])[] = [
  [/!?\[\[[^\][|]*\|([^\][]+)\]\]/g, '$1'],
  [/!?\[\[([^\][|]+)\]\]/g, '$1'],
  [/!?\[([^\][]+)\]\([^()]*\)/g, '$1'],
  [/(\*\*?|__|~~|==|`)(?=\S)([^*_~=`]+)(?<=\S)\1/g, '$2'],
];

/** Most titles have none of these signs. */
const MARKED = /[[*_~=`]/;

/** The title without its links and emphasis. */
export function titleAsRead(title: string): string {
  if (!MARKED.test(title)) return title;
  const written = title.slice(0, LONGEST_NAME);
  return MARKUP.reduce((text, [pattern, shown]) => text.replace(pattern, shown), written);
}

/** What a note may be called by: its title, as it is written and as it is read, and its aliases. */
export function namesOf({ title, aliases }: Pick<SearchDocument, 'title' | 'aliases'>): string[] {
  return distinct([title, titleAsRead(title), ...aliases]);
}

export interface WeightedPart {
  readonly field: keyof typeof WEIGHTS;
  readonly text: string;
  readonly weight: number;
}

/** The fields that count more than plain text, with their weights. */
export function weightedParts(path: string, document: SearchDocument): WeightedPart[] {
  const tags = [...document.frontmatterTags, ...document.inlineTags];
  const parts: WeightedPart[] = [
    { field: 'title', text: document.title, weight: WEIGHTS.title },
    pathPart(path),
    { field: 'alias', text: document.aliases.join('\n'), weight: WEIGHTS.alias },
    { field: 'tag', text: tags.join('\n'), weight: WEIGHTS.tag },
    { field: 'heading', text: document.headings.join('\n'), weight: WEIGHTS.heading },
  ];
  return parts.filter(({ text }) => text !== '');
}

/** What of the path counts as a field. */
export function pathPart(path: string): WeightedPart {
  return { field: 'path', text: path.replace(/\.(?:md|markdown|txt)$/i, ''), weight: WEIGHTS.path };
}

function distinct(items: readonly string[]): string[] {
  return [...new Set(items.filter((item) => item !== ''))];
}
