/**
 * Tools that read notes, one or several at a time, and folders. Of several notes, a failed one is reported beside the
 * others and does not fail the call.
 */
import * as z from 'zod';
import type { Output } from '../../mcp/tool.ts';
import { onNote } from '../../notes/ops/find-note.ts';
import { noteInfo, parseNote, readNote as read, suggestingWhenMissing } from '../../notes/ops/read-note.ts';
import { type NotePath, parseFolderPath } from '../../notes/path.ts';
import type { Notebook } from '../../notes/store.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { binaryBlock, isBinary, notTextSentence, opening } from '../shared/binary.ts';
import { folderPath, PAGE_CHARACTERS, pageEnd, path, textPage } from '../shared/parameters.ts';
import { defineTool, failures, offset, paths, prettyPrint } from './backend.ts';

export const readNote = defineTool({
  name: 'read_note',
  title: 'Read a note',
  description:
    'Read one note: frontmatter as `fm`, text as `content`. For several notes use read_multiple_notes, for metadata only get_frontmatter or get_notes_info, to find notes search_notes. Long notes come in pages: call again with the offset given in `next`. Example: {"path":"projects/plan.md"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: path(),
      offset: offset(`Character of the content to start at; pages hold ${PAGE_CHARACTERS}`),
      prettyPrint: prettyPrint(),
    }),
  output: () =>
    z.object({
      fm: z.record(z.string(), z.unknown()),
      content: z.string(),
      next: z.number().optional(),
      total: z.number().optional(),
      note: z.string().optional(),
      url: z.string().optional(),
    }),
  async run(input, { backend, signal }) {
    return onNote(backend, input.path, (target) => show(target, input, backend), { signal });
  },
});

async function show(
  target: NotePath,
  input: { readonly offset: number },
  backend: Notebook,
): Promise<Output> {
  if (isBinary(target)) {
    const note = await suggestingWhenMissing(backend.notes, target, () => backend.notes.read(target));
    return {
      value: { fm: {}, content: '', note: notTextSentence(note), url: opening(backend).url(target) },
      blocks: [binaryBlock(note)],
    };
  }
  const { frontmatter, content, problem, note: shown } = await read(backend.notes, target);
  void backend.guard?.[input.offset > 0 ? 'shownPart' : 'shown'](shown);
  const page = textPage(content, input.offset);
  return {
    value: {
      fm: frontmatter,
      content: page.text,
      next: page.next,
      total: page.next !== undefined ? content.length : undefined,
      note: remarks(problem, page.next, content.length, 'call read_note again with'),
      url: opening(backend).url(target),
    },
    note: shown,
  };
}

/** Undefined for a valid note that is shown whole. */
function remarks(
  problem: string | undefined,
  next: number | undefined,
  total: number,
  howToGoOn: string,
): string | undefined {
  const invalid =
    problem === undefined ? [] : [`Invalid frontmatter (${problem}): content is the whole file.`];
  const cut =
    next === undefined ? [] : [`Cut after character ${next} of ${total}; ${howToGoOn} offset=${next}.`];
  return [...invalid, ...cut].join(' ') || undefined;
}

const READS_AT_ONCE = 5;

export async function batch<T>(
  notebook: Pick<Notebook, 'searcher'>,
  paths: readonly string[],
  task: (path: NotePath) => Promise<T>,
  signal: AbortSignal,
) {
  const one = async (raw: string) => {
    try {
      return { ok: [await onNote(notebook, raw, task, { signal })], err: [] };
    } catch (error) {
      if (!isAppError(error)) throw error;
      return { ok: [], err: [{ path: raw.trim(), error: reasonOf(error) }] };
    }
  };
  const results = await mapConcurrently(paths, READS_AT_ONCE, one, signal);
  return { ok: results.flatMap(({ ok }) => ok), err: results.flatMap(({ err }) => err) };
}

/** Without the path, which the answer has in a field of its own. */
function reasonOf(error: AppError): string {
  return error.code === 'not_found' || error.hint === undefined
    ? error.title
    : `${error.title}. ${error.hint}`;
}

export const readMultipleNotes = defineTool({
  name: 'read_multiple_notes',
  title: 'Read several notes',
  description:
    'Read up to 10 notes in one call. Notes that cannot be read are listed in `err`; the others still come in `ok`. Long notes are cut: continue them with read_note and its offset. Example: {"paths":["a.md","b.md"],"includeContent":false}',
  effect: 'read',
  input: () =>
    z.strictObject({
      paths: paths(),
      includeContent: z.boolean().default(true).describe('Return the text'),
      includeFrontmatter: z.boolean().default(true).describe('Return the frontmatter'),
      prettyPrint: prettyPrint(),
    }),
  output: () =>
    z.object({
      ok: z.array(
        z.object({
          path: z.string(),
          frontmatter: z.record(z.string(), z.unknown()).optional(),
          content: z.string().optional(),
          next: z.number().optional(),
          note: z.string().optional(),
          url: z.string().optional(),
        }),
      ),
      err: failures(),
    }),
  async run(input, { backend, signal }) {
    const share = Math.floor(PAGE_CHARACTERS / input.paths.length);
    const { url, links } = opening(backend);
    const value = await batch(
      backend,
      input.paths,
      async (path) => {
        if (isBinary(path)) {
          // A missing or denied note must be reported as such, as read_note does.
          await (backend.notes.stat ?? backend.notes.read)(path);
          throw new AppError('unsupported', 'Not a text note', {
            subject: path,
            hint: 'Use read_note for it.',
          });
        }
        const shown = await backend.notes.read(path);
        void backend.guard?.[input.includeContent ? 'shown' : 'shownPart'](shown);
        const { frontmatter, content, problem } = await parseNote(shown);
        const { text, next } = input.includeContent ? textPage(content, 0, share) : {};
        return {
          path,
          frontmatter: input.includeFrontmatter ? frontmatter : undefined,
          content: text,
          next,
          note: remarks(problem, next, content.length, 'continue with read_note'),
          url: url(path),
        };
      },
      signal,
    );
    return { value, blocks: links(value.ok) };
  },
});

export const getNotesInfo = defineTool({
  name: 'get_notes_info',
  title: 'Get note metadata',
  description:
    'Get size in bytes, time of change (milliseconds since 1970) and whether there is frontmatter, for up to 10 notes, without their text. Example: {"paths":["a.md","b.md"]}',
  effect: 'read',
  input: () => z.strictObject({ paths: paths(), prettyPrint: prettyPrint() }),
  output: () =>
    z.object({
      ok: z.array(
        z.object({ path: z.string(), size: z.number(), modified: z.number(), hasFrontmatter: z.boolean() }),
      ),
      err: failures(),
    }),
  async run(input, { backend, signal }) {
    return { value: await batch(backend, input.paths, (path) => noteInfo(backend.notes, path), signal) };
  },
});

export const listDirectory = defineTool({
  name: 'list_directory',
  title: 'List a folder',
  description:
    'List the folders and notes directly in one folder, sorted. To find notes by what they say use search_notes. Example: {"path":"projects"}',
  effect: 'read',
  input: () =>
    z.strictObject({
      path: folderPath('', 'Folder; empty for the top'),
      offset: offset('Entries to skip, from a previous answer'),
      prettyPrint: prettyPrint(),
    }),
  output: () =>
    z.object({
      dirs: z.array(z.string()),
      files: z.array(z.string()),
      next: z.number().optional(),
      total: z.number().optional(),
      note: z.string().optional(),
    }),
  async run(input, { backend }) {
    const folder = parseFolderPath(input.path);
    if (!backend.notes.listFolder) throw new AppError('unsupported', 'This notebook has no folders');
    const { folders, files } = await backend.notes.listFolder(folder).catch((error: unknown) => {
      throw isAppError(error, 'not_found')
        ? new AppError('not_found', 'File not found', {
            subject: folder,
            hint: 'No such folder. If it is a note, use read_note.',
          })
        : error;
    });
    const entries = [...folders, ...files];
    const end = pageEnd(entries, input.offset, (name) => name.length + 3);
    const value = {
      dirs: folders.slice(input.offset, end),
      files: files.slice(Math.max(0, input.offset - folders.length), Math.max(0, end - folders.length)),
    };
    if (end >= entries.length) return { value };
    const note = `Entries ${input.offset + 1} to ${end} of ${entries.length}; call again with offset=${end} for more.`;
    return { value: { ...value, next: end, total: entries.length, note } };
  },
});
