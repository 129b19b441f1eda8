/** Every tool over every note of two corpora: what a tool does not say it changes, it does not change. */
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { mapConcurrently } from '../../src/shared/async/semaphore.ts';
import { bytesOf, treeOf } from '../holes/served.ts';
import { type Corpus, type CorpusName, openCorpus } from './corpus.ts';

const PROBE = 'zqxprobe';

/** Runs `check` on every note; it may change the note and says what is wrong with the result. The bytes are put back. */
async function forEveryNote(
  corpus: Corpus,
  check: (path: string, bytes: Buffer) => Promise<string | undefined>,
): Promise<string[]> {
  const wrong: string[] = [];
  await mapConcurrently(corpus.notes, 4, async (path) => {
    const bytes = bytesOf(corpus.folder, path);
    const problem = await check(path, bytes);
    if (problem !== undefined) wrong.push(`${path}: ${problem}`);
    if (!bytesOf(corpus.folder, path).equals(bytes)) writeFileSync(join(corpus.folder, path), bytes);
  });
  return wrong;
}

/** The text inserted into `before` to make `after`, when nothing was removed; undefined otherwise. */
function insertion(before: Buffer, after: Buffer): string | undefined {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start++;
  const grown = after.length - before.length;
  return grown >= 0 && before.subarray(start).equals(after.subarray(start + grown))
    ? after.subarray(start, start + grown).toString()
    : undefined;
}

/** Up to three pieces of single lines that stand in the text once. */
function uniquePieces(text: string): string[] {
  const lines = text.split(/[\r\n]+/).filter((line) => line.trim() !== '' && line.length < 2_000);
  const chosen = [lines[0], lines[Math.floor(lines.length / 2)], lines.at(-1)].map((line) =>
    line?.slice(0, 200),
  );
  return [...new Set(chosen)].filter(
    (piece): piece is string =>
      piece?.isWellFormed() === true && text.indexOf(piece) === text.lastIndexOf(piece),
  );
}

export function describeCorpus(name: CorpusName): void {
  describe(`over all notes of the ${name} corpus`, () => {
    test('reading, listing, searching and dry runs change nothing', async () => {
      const corpus = await openCorpus(name);
      const before = treeOf(corpus.folder);
      const folders = new Set(corpus.notes.map((path) => dirname(path)));
      for (const path of folders) await corpus.call('list_directory', { path: path === '.' ? '' : path });
      await mapConcurrently(corpus.notes, 4, async (path) => {
        const { isError, json } = await corpus.call('read_note', { path });
        if (!isError && json.next !== undefined) await corpus.call('read_note', { path, offset: json.next });
        await corpus.call('get_frontmatter', { path, prettyPrint: true });
        await corpus.call('manage_tags', { path, operation: 'list' });
        await corpus.call('patch_note', { path, oldString: PROBE, newString: 'x' });
      });
      for (let at = 0; at < corpus.notes.length; at += 10) {
        const paths = corpus.notes.slice(at, at + 10);
        const read = await corpus.call('read_multiple_notes', { paths });
        const info = await corpus.call('get_notes_info', { paths });
        for (const { json } of [read, info]) expect(json.ok.length + json.err.length).toBe(paths.length);
      }
      for (const query of ['word', 'the text of', 'é', '[[', '$&', 'title: x', '🎉'])
        await corpus.call('search_notes', { query, limit: 100 });
      for (const path of corpus.notes.slice(0, 4))
        await corpus.call('move_note', { oldPath: path, newPath: `elsewhere/${PROBE}.md`, dryRun: true });
      expect(treeOf(corpus.folder)).toEqual(before);
      expect(corpus.complaints()).toEqual([]);
    });

    test('a patch there and back restores the exact bytes', async () => {
      const corpus = await openCorpus(name);
      let patched = 0;
      const wrong = await forEveryNote(corpus, async (path, bytes) => {
        for (const piece of uniquePieces(bytes.toString())) {
          const there = await corpus.call('patch_note', { path, oldString: piece, newString: PROBE });
          if (there.isError) {
            if (!bytesOf(corpus.folder, path).equals(bytes)) return `refused, yet changed: ${there.json}`;
            continue;
          }
          patched++;
          const expected = bytes.toString().split(piece).join(PROBE);
          if (bytesOf(corpus.folder, path).toString() !== expected)
            return `more than ${JSON.stringify(piece)} changed`;
          const back = await corpus.call('patch_note', { path, oldString: PROBE, newString: piece });
          if (back.isError) return back.json;
          if (!bytesOf(corpus.folder, path).equals(bytes)) return 'not what it was';
        }
        return undefined;
      });
      expect(wrong).toEqual([]);
      expect(patched).toBeGreaterThan(corpus.notes.length / 2);
      expect(corpus.complaints()).toEqual([]);
    });

    test('a new frontmatter key is put in and a change of it changes its value, nothing else', async () => {
      const corpus = await openCorpus(name);
      const set = (path: string, value: string) =>
        corpus.call('update_frontmatter', { path, frontmatter: { [PROBE]: value } });
      const wrong = await forEveryNote(corpus, async (path, bytes) => {
        const added = await set(path, 'one');
        const after = bytesOf(corpus.folder, path);
        if (added.isError) return after.equals(bytes) ? undefined : `refused, yet changed: ${added.json}`;
        const inserted = insertion(bytes, after);
        if (inserted === undefined)
          return `bytes were lost: ${JSON.stringify(after.toString().slice(0, 200))}`;
        if (!/^[\s,{}-]*zqxprobe: one[\s,{}-]*$/.test(inserted))
          return `too much put in: ${JSON.stringify(inserted)}`;
        await set(path, 'two');
        const changed = bytesOf(corpus.folder, path).toString();
        if (changed !== after.toString().replace(`${PROBE}: one`, `${PROBE}: two`))
          return 'the change went too far';
        const { json } = await corpus.call('get_frontmatter', { path });
        return json[PROBE] === 'two'
          ? undefined
          : `it does not read back: ${JSON.stringify(json).slice(0, 200)}`;
      });
      expect(wrong).toEqual([]);
      expect(corpus.complaints()).toEqual([]);
    });

    test('a new value for an existing key changes the lines of that key only', async () => {
      const corpus = await openCorpus(name);
      const wrong = await forEveryNote(corpus, async (path, bytes) => {
        const { isError, json } = await corpus.call('get_frontmatter', { path });
        if (isError) return undefined;
        const text = bytes.toString();
        for (const key of Object.keys(json)
          .filter((name) => /^\w+$/.test(name) && name !== '__proto__')
          .slice(0, 6)) {
          const span = linesOfKey(text, key);
          if (!span) continue;
          const answer = await corpus.call('update_frontmatter', { path, frontmatter: { [key]: PROBE } });
          const after = bytesOf(corpus.folder, path).toString();
          if (answer.isError) {
            if (after !== text) return `${key}: refused, yet changed`;
            continue;
          }
          const kept = after.startsWith(text.slice(0, span.start)) && after.endsWith(text.slice(span.end));
          const middle = after.slice(span.start, after.length - (text.length - span.end));
          if (!kept || !middle.includes(PROBE)) return `${key}: ${JSON.stringify(after.slice(0, 300))}`;
          writeFileSync(join(corpus.folder, path), bytes);
        }
        return undefined;
      });
      expect(wrong).toEqual([]);
      expect(corpus.complaints()).toEqual([]);
    });

    test('a tag added to a list and removed again leaves the exact bytes', async () => {
      const corpus = await openCorpus(name);
      let lists = 0;
      const wrong = await forEveryNote(corpus, async (path, bytes) => {
        const { json: head, isError } = await corpus.call('get_frontmatter', { path });
        const list = isError ? undefined : (head.tags ?? head.tag);
        const tags = [PROBE];
        const added = await corpus.call('manage_tags', { path, operation: 'add', tags });
        if (added.isError)
          return bytesOf(corpus.folder, path).equals(bytes)
            ? undefined
            : `refused, yet changed: ${added.json}`;
        if (!added.json.frontmatter.includes(PROBE)) return 'not added';
        const removed = await corpus.call('manage_tags', { path, operation: 'remove', tags });
        if (removed.isError || removed.json.tags.includes(PROBE)) return 'not removed';
        if (!Array.isArray(list) || list.length === 0) return undefined;
        lists++;
        return bytesOf(corpus.folder, path).equals(bytes)
          ? undefined
          : JSON.stringify(bytesOf(corpus.folder, path).toString().slice(0, 200));
      });
      expect(wrong).toEqual([]);
      expect(lists).toBeGreaterThan(1);
      expect(corpus.complaints()).toEqual([]);
    });

    test('an append or prepend keeps all that was there', async () => {
      const corpus = await openCorpus(name);
      const wrong = await forEveryNote(corpus, async (path, bytes) => {
        for (const mode of ['append', 'prepend']) {
          const { isError, json } = await corpus.call('write_note', { path, content: PROBE, mode });
          const after = bytesOf(corpus.folder, path);
          if (isError) {
            if (!after.equals(bytes)) return `refused, yet changed: ${json}`;
            continue;
          }
          const [head = '', tail = ''] = after.toString().split(PROBE);
          const text = bytes.toString();
          const rest = text.slice(head.trimEnd().length);
          if (!text.startsWith(head.trimEnd()) || rest.trim() !== tail.trim())
            return `${mode}: ${JSON.stringify(after.toString().slice(0, 200))}`;
          writeFileSync(join(corpus.folder, path), bytes);
        }
        return undefined;
      });
      expect(wrong).toEqual([]);
      expect(corpus.complaints()).toEqual([]);
    });

    test('a move there and back restores every file of the notebook', async () => {
      const corpus = await openCorpus(name);
      const before = filesIn(corpus.folder);
      const wrong: string[] = [];
      for (const [at, path] of corpus.notes.entries()) {
        const away = `elsewhere/deeper/still/${PROBE}${at % 16 === 0 ? ' ' : '-'}${at}.md`;
        // Each update of links reads all notes: done for those that are linked and for a part of the others.
        const updateLinks = name === 'examples' || /^links|plain/.test(path) || at % 8 === 0;
        const there = await corpus.call('move_note', { oldPath: path, newPath: away, updateLinks });
        const back = await corpus.call('move_note', { oldPath: away, newPath: path, updateLinks });
        if (there.isError || back.isError) wrong.push(`${path}: ${there.isError ? there.json : back.json}`);
        for (const [file, content] of Object.entries(filesIn(corpus.folder))) {
          if (before[file] === content) continue;
          wrong.push(`${path}: ${file} became ${content.slice(0, 300)}`);
          before[file] = content;
        }
      }
      expect(wrong).toEqual([]);
      expect(Object.keys(filesIn(corpus.folder))).toEqual(Object.keys(before));
      expect(corpus.complaints()).toEqual([]);
    });

    test('a deletion moves the exact bytes to the trash, and a new text replaces them whole', async () => {
      const corpus = await openCorpus(name);
      const wrong = await forEveryNote(corpus, async (path, bytes) => {
        const { isError, json } = await corpus.call('delete_note', { path, confirmPath: path });
        if (isError) return json;
        const kept = bytesOf(corpus.folder, json.trashedTo).equals(bytes);
        const written = await corpus.call('write_note', { path, content: `${PROBE}\r\n` });
        if (written.isError) return written.json;
        return kept && bytesOf(corpus.folder, path).toString() === `${PROBE}\r\n`
          ? undefined
          : 'bytes differ';
      });
      expect(wrong).toEqual([]);
      expect(corpus.complaints()).toEqual([]);
    });
  });
}

function filesIn(folder: string): Record<string, string> {
  return Object.fromEntries(Object.entries(treeOf(folder)).filter(([path]) => !path.endsWith('/')));
}

/** From the line that holds the key at the margin to the next line that begins there. */
function linesOfKey(text: string, key: string): { start: number; end: number } | undefined {
  const start = new RegExp(`^["']?${key}["']?:`, 'm').exec(text)?.index;
  if (start === undefined) return undefined;
  const next = /\n(?![ \t\r\n\]}]|- |-$)/g;
  next.lastIndex = start;
  const end = next.exec(text);
  return { start, end: end ? end.index + 1 : text.length };
}
