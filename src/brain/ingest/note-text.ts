/** The text a note will have. What is there already is not said twice, and nothing but the addition changes. */

import { mergeFrontmatter } from '../../notes/frontmatter/edit.ts';
import { readListKey } from '../../notes/frontmatter/lists.ts';
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { bodyStartOf } from '../../notes/frontmatter/split.ts';
import { joinBlocks } from '../../notes/insert-block.ts';
import { AppError } from '../../shared/errors.ts';

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

/** With the content at its end, unless it has it. Of the content's frontmatter its tags come along. */
export async function appendedText({ content, tags }: Addition, before: string): Promise<string> {
  const { body: addition, data: own } = await parseFrontmatter(content);
  const there = (await parseFrontmatter(before)).data.tags;
  const wanted = union(readListKey(own, 'tags'), tags);
  const all = Array.isArray(there) ? wanted : union(listOf(there), wanted);
  const tagged = wanted.length === 0 ? before : await mergeFrontmatter(before, { tags: all });
  const start = bodyStartOf(tagged);
  const body = tagged.slice(start);
  if (holds(body, addition)) return tagged;
  const text = tagged.slice(0, start) + joinBlocks(body, addition, 'after');
  if (bodyStartOf(text) === start) return text;
  throw new AppError('invalid_input', 'The text would become frontmatter', {
    hint: 'Nothing was changed. The note begins with a --- line that the text would close. Put it into another note.',
  });
}

/** As whole lines, whatever ends them. */
export function holds(body: string, piece: string): boolean {
  const lines = (text: string) => `\n${text.replace(/\r\n?/g, '\n').replace(/^\n+|\n+$/g, '')}\n`;
  return lines(body).includes(lines(piece));
}

/** Tags as a word, or as words with commas between. */
function listOf(tags: unknown): string[] {
  return typeof tags === 'string' ? tags.split(',').flatMap((tag) => tag.trim() || []) : [];
}

function union(old: readonly string[], added: readonly string[]): string[] {
  return [...new Set([...old, ...added])];
}
