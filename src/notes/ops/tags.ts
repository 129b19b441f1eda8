/** A note's tags: those in its frontmatter and the `#inline` ones in its text. */
import { AppError } from '../../shared/errors.ts';
import { editListKey, readListKey } from '../frontmatter/lists.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import { assertTakesFrontmatter } from '../frontmatter/values.ts';
import type { NotePath } from '../path.ts';
import type { Notebook, NoteStore } from '../store.ts';
import { normalizeTag, sameTag, scanInlineTags, tagProblem } from '../tags.ts';
import { textOf } from '../text/text.ts';
import { suggestingWhenMissing } from './read-note.ts';
import { editText } from './update-note.ts';

export interface Tags {
  readonly frontmatter: readonly string[];
  readonly inline: readonly string[];
}

interface TagChange {
  readonly add?: readonly string[];
  readonly remove?: readonly string[];
  /** Take removed tags out of the text as well. */
  readonly inline?: boolean;
}

export async function listTags(store: NoteStore, path: NotePath): Promise<Tags> {
  return tagsIn(textOf(await suggestingWhenMissing(store, path, () => store.read(path))));
}

/** Resolves to the tags the note has afterwards. */
export async function changeTags(
  notebook: Notebook,
  path: NotePath,
  change: TagChange,
  signal?: AbortSignal,
): Promise<Tags> {
  assertTakesFrontmatter(path);
  const add = lawfulTags(change.add ?? []);
  const remove = (change.remove ?? []).map(normalizeTag);
  const edit = async (before: string) => {
    const present = (await tagsIn(before)).frontmatter;
    return editListKey(change.inline ? withoutInlineTags(before, remove) : before, await tagsKey(before), {
      add: add.filter((tag) => !present.some((other) => sameTag(other, tag))),
      remove: (item) => remove.some((tag) => sameTag(tag, normalizeTag(item))),
    });
  };
  const { after } = await suggestingWhenMissing(notebook.notes, path, () =>
    editText(notebook, path, edit, { signal }),
  );
  return tagsIn(after);
}

async function tagsIn(text: string): Promise<Tags> {
  const { data } = await parseFrontmatter(text);
  const own = ['tags', 'tag'].flatMap((key) => readListKey(data, key)).map(normalizeTag);
  return { frontmatter: distinct(own), inline: distinct(scanInlineTags(text).map(({ tag }) => tag)) };
}

/** Obsidian reads `tag` as well; a note that uses it keeps it. */
async function tagsKey(text: string): Promise<string> {
  const { data } = await parseFrontmatter(text);
  return !('tags' in data) && 'tag' in data ? 'tag' : 'tags';
}

function lawfulTags(raw: readonly string[]): string[] {
  return distinct(
    raw.map((given) => {
      const tag = normalizeTag(given);
      const problem = tagProblem(tag);
      if (problem !== undefined)
        throw new AppError('invalid_input', `tags: "${given.slice(0, 60)}" ${problem}`);
      return tag;
    }),
  );
}

/** Takes the tag and one blank beside it. */
function withoutInlineTags(text: string, tags: readonly string[]): string {
  let kept = '';
  let from = 0;
  for (const { tag, start, end } of scanInlineTags(text)) {
    if (!tags.some((other) => sameTag(other, tag))) continue;
    const blankBefore = start > from && text[start - 1] === ' ';
    const cutFrom = blankBefore ? start - 1 : start;
    const cutTo = !blankBefore && text[end] === ' ' ? end + 1 : end;
    kept += text.slice(from, cutFrom);
    from = cutTo;
  }
  return kept + text.slice(from);
}

function distinct(tags: readonly string[]): string[] {
  return tags.filter((tag, at) => tag !== '' && tags.findIndex((other) => sameTag(other, tag)) === at);
}
