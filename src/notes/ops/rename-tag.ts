/**
 * Renames a tag in all notes, with the tags nested below it, in frontmatter and text. Code, links, headings and
 * colours stay as they are, because they are no tags. Each note is changed at once or not at all; one that cannot be
 * changed does not keep others from it.
 */
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { setFrontmatter } from '../frontmatter/edit.ts';
import { readListKey } from '../frontmatter/lists.ts';
import { parseFrontmatter } from '../frontmatter/parse.ts';
import { jsonEqual } from '../frontmatter/print.ts';
import { splitFrontmatter } from '../frontmatter/split.ts';
import { takesFrontmatter } from '../frontmatter/values.ts';
import type { NotePath } from '../path.ts';
import type { SearchOptions } from '../searcher.ts';
import type { Notebook } from '../store.ts';
import { isColour, isTagOrBelow, normalizeTag, scanInlineTags, tagKey, tagProblem } from '../tags.ts';
import { applySplices, type Splice } from '../text/text.ts';
import { taggedNotes } from './tag-index.ts';
import { editText } from './update-note.ts';

interface TagRename {
  readonly from: string;
  readonly to: string;
}

interface RenameOptions {
  readonly isWanted: (path: NotePath) => boolean;
  readonly dryRun: boolean;
}

export interface RenamedNote {
  readonly path: NotePath;
  /** How often the tag stood in the frontmatter, and in the text. */
  readonly frontmatter: number;
  readonly inline: number;
  /** The first line that is another one now. */
  readonly line: number;
  readonly before: string;
  readonly after: string;
}

interface FailedNote {
  readonly path: NotePath;
  readonly error: AppError;
}

export interface RenameResult extends TagRename {
  readonly changed: readonly RenamedNote[];
  readonly failed: readonly FailedNote[];
  /** Notes that had the new tag before. */
  readonly merged: number;
}

const PARALLEL = 8;

export async function renameTag(
  notebook: Notebook,
  given: TagRename,
  { isWanted, dryRun }: RenameOptions,
  asking: SearchOptions,
): Promise<RenameResult> {
  const rename = { from: lawful(given.from, 'from'), to: lawful(given.to, 'to') };
  assertOther(rename);
  const [from, to] = [tagKey(rename.from), tagKey(rename.to)];
  const all = await taggedNotes(await notebook.searcher.notes(asking));
  const tagged = all.filter(({ path }) => isWanted(path));
  const holders = tagged.filter(({ keys }) => keys.some((key) => isTagOrBelow(key, from)));
  const merged = from === to ? 0 : tagged.filter(({ keys }) => keys.includes(to)).length;
  let done = 0;
  const results = await mapConcurrently(
    holders,
    notebook.notes.readsAtOnce ?? PARALLEL,
    async ({ path }) => {
      const result = await renameIn(notebook, path, rename, dryRun, asking.signal);
      asking.onProgress?.(++done, holders.length);
      return result;
    },
    asking.signal,
  );
  return {
    ...rename,
    merged,
    changed: results.flatMap((result) => (result && !('error' in result) ? [result] : [])),
    failed: results.flatMap((result) => (result && 'error' in result ? [result] : [])),
  };
}

function lawful(given: string, parameter: string): string {
  const tag = normalizeTag(given);
  const problem = tagProblem(tag);
  if (problem === undefined) return tag;
  throw new AppError('invalid_input', `${parameter}: "${given.slice(0, 60)}" ${problem}`);
}

function assertOther({ from, to }: TagRename): void {
  if (from === to) throw new AppError('invalid_input', 'to: is the same tag as from');
  if (isColour(to))
    throw new AppError('invalid_input', `to: "${to}" would be taken for a colour in texts`, {
      hint: 'Choose a tag with a letter behind f, or with "-" or "_" in it.',
    });
}

async function renameIn(
  notebook: Notebook,
  path: NotePath,
  rename: TagRename,
  dryRun: boolean,
  signal: AbortSignal | undefined,
): Promise<RenamedNote | FailedNote | undefined> {
  let counts = { frontmatter: 0, inline: 0 };
  const edit = async (text: string) => {
    const renamed = await renamedText(text, rename, takesFrontmatter(path));
    counts = { frontmatter: renamed.frontmatter, inline: renamed.inline };
    return renamed.text;
  };
  try {
    const { before, after } = await editText(notebook, path, edit, { dryRun, signal });
    return before === after ? undefined : { path, ...counts, ...firstDifference(before, after) };
  } catch (error) {
    signal?.throwIfAborted();
    if (isAppError(error)) return { path, error };
    throw error;
  }
}

interface RenamedText {
  readonly text: string;
  readonly frontmatter: number;
  readonly inline: number;
}

/** Pure; the text itself when it has no such tag. */
export async function renamedText(
  text: string,
  rename: TagRename,
  hasFrontmatter: boolean,
): Promise<RenamedText> {
  const splices = scanInlineTags(text).flatMap(({ tag, start, end }): Splice[] => {
    const other = renamed(tag, rename);
    return other === undefined ? [] : [{ start: start + 1, end, text: other }];
  });
  // The text first: the offsets are those before the frontmatter changes.
  const body = applySplices(text, splices);
  if (!hasFrontmatter) return { text: body, frontmatter: 0, inline: splices.length };
  const { text: whole, count } = await renamedFrontmatter(body, rename);
  return { text: whole, frontmatter: count, inline: splices.length };
}

/** What the tag is called then; undefined when it is another one. */
function renamed(tag: string, { from, to }: TagRename): string | undefined {
  if (!isTagOrBelow(tagKey(tag), tagKey(from))) return undefined;
  const depth = from.split('/').length;
  return [to, ...tag.split('/').slice(depth)].join('/');
}

async function renamedFrontmatter(
  text: string,
  rename: TagRename,
): Promise<{ readonly text: string; readonly count: number }> {
  const { data, problem } = await parseFrontmatter(text);
  let [result, count]: [ReadNote, number] = [{ text, data }, 0];
  if (problem !== undefined) return { text, count };
  for (const key of ['tags', 'tag']) {
    const items = readListKey(data, key);
    const wanted = items.map((item) => renamed(normalizeTag(item), rename) ?? item);
    const touched = wanted.filter((item, at) => item !== items[at]).length;
    if (touched === 0) continue;
    count += touched;
    result = await withList(result, key, wanted, rename);
  }
  return { text: result.text, count };
}

/** A note and the frontmatter in it. */
interface ReadNote {
  readonly text: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** In place where that gives the list; otherwise, where a tag would stand twice, by a new list. */
async function withList(
  { text, data: before }: ReadNote,
  key: string,
  wanted: readonly string[],
  rename: TagRename,
): Promise<ReadNote> {
  const keys = wanted.map((item) => tagKey(normalizeTag(item)));
  const distinct = wanted.filter((_, at) => keys.indexOf(keys[at]!) === at);
  if (distinct.length === wanted.length) {
    const inPlace = replacedInPlace(text, key, rename);
    const { data } = await parseFrontmatter(inPlace);
    const isSame = jsonEqual(readListKey(data, key).map(normalizeTag), wanted.map(normalizeTag));
    if (isSame && jsonEqual({ ...data, [key]: 0 }, { ...before, [key]: 0 })) return { text: inPlace, data };
  }
  const list = typeof before[key] === 'string' ? distinct.join(', ') : distinct;
  const after = await setFrontmatter(text, { [key]: list });
  return { text: after, data: (await parseFrontmatter(after)).data };
}

/** Renames words among the lines of one key, outside comments. */
function replacedInPlace(text: string, key: string, rename: TagRename): string {
  const span = splitFrontmatter(text);
  if (!span) return text;
  const lines = text.slice(span.yamlStart, span.yamlEnd).split('\n');
  let isInside = false;
  const edited = lines.map((line) => {
    const opens = new RegExp(`^["']?${key}["']?\\s*:`).exec(line);
    isInside = opens !== null || (isInside && !/^[^\s\-#\]]/.test(line));
    if (!isInside) return line;
    const at = opens?.[0].length ?? 0;
    const comment = /(^|\s)#/.exec(line.slice(at));
    const end = comment ? at + comment.index : line.length;
    const words = line
      .slice(at, end)
      .replace(/[^\s,[\]"']+/g, (word) =>
        word.startsWith('#')
          ? `#${renamed(word.slice(1), rename) ?? word.slice(1)}`
          : (renamed(word, rename) ?? word),
      );
    return line.slice(0, at) + words + line.slice(end);
  });
  return text.slice(0, span.yamlStart) + edited.join('\n') + text.slice(span.yamlEnd);
}

const LONGEST_LINE = 120;

function firstDifference(before: string, after: string): Pick<RenamedNote, 'line' | 'before' | 'after'> {
  const [old, now] = [before.split('\n'), after.split('\n')];
  const at = now.findIndex((line, index) => line !== old[index]);
  const index = at < 0 ? now.length : at;
  const shown = (line = '') => line.trim().slice(0, LONGEST_LINE).toWellFormed();
  return { line: index + 1, before: shown(old[index]), after: shown(now[index]) };
}
