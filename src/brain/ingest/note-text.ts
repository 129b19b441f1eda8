/** The text a note will have. What is there already is not said twice, and nothing but the addition changes. */
import { bodyStartOf } from '../../notes/frontmatter/body-start.ts';
import { mergeFrontmatter } from '../../notes/frontmatter/edit.ts';
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { joinBlocks } from '../../notes/join-blocks.ts';
import { withLineEnding } from '../../notes/text.ts';

export interface Addition {
  readonly content: string;
  readonly title?: string;
  readonly tags: readonly string[];
  /** ISO time, for a note that is new. */
  readonly created: string;
}

/** A note of its own; `before` is what it takes the place of, and says when it was made. */
export async function wholeText(
  { content, title, tags, created }: Addition,
  before?: string,
): Promise<string> {
  const own = (await parseFrontmatter(content)).data;
  const madeAt = before === undefined ? created : (await parseFrontmatter(before)).data.created;
  return mergeFrontmatter(content, {
    ...(title !== undefined && { title }),
    ...(tags.length > 0 && { tags: Array.isArray(own.tags) ? tags : union(listOf(own.tags), tags) }),
    ...(own.created === undefined && madeAt !== undefined && { created: madeAt }),
  });
}

/** With the content at its end, unless it has it; its title stays. */
export async function appendedText({ content, tags }: Addition, before: string): Promise<string> {
  const addition = (await parseFrontmatter(content)).body;
  const there = (await parseFrontmatter(before)).data.tags;
  const tagged =
    tags.length === 0
      ? before
      : await mergeFrontmatter(before, { tags: Array.isArray(there) ? tags : union(listOf(there), tags) });
  const start = bodyStartOf(tagged);
  const body = tagged.slice(start);
  return holds(body, addition) ? tagged : tagged.slice(0, start) + joinBlocks(body, addition, 'after');
}

/** As whole lines, whatever ends them. */
export function holds(body: string, piece: string): boolean {
  const lines = (text: string) => `\n${withLineEnding(text, '\n').replace(/^\n+|\n+$/g, '')}\n`;
  return lines(body).includes(lines(piece));
}

/** Tags as a word, or as words with commas between. */
function listOf(tags: unknown): string[] {
  return typeof tags === 'string' ? tags.split(',').flatMap((tag) => tag.trim() || []) : [];
}

function union(old: readonly string[], added: readonly string[]): string[] {
  return [...new Set([...old, ...added])];
}
