import * as z from 'zod';
import { createNote, replaceSeen } from '../../notes/ops/create-note.ts';
import { relocate } from '../../notes/ops/links.ts';
import { trashNote } from '../../notes/ops/trash.ts';
import { readIfThere } from '../../notes/ops/update-note.ts';
import { parsePagePath } from '../../notes/page-path.ts';
import type { NotePath } from '../../notes/path.ts';
import { isAppError } from '../../shared/errors.ts';
import { assertNewName, assertSize, assertWritable, parseMove } from './access.ts';
import { callerOf, defineTool, moveOnce, repeatKey } from './backend.ts';
import { changedSince, nothingToOverwrite, onNamedPage, onPages } from './page-errors.ts';
import { body, integer, page, repeated } from './parameters.ts';

export const createPage = defineTool({
  name: 'create_page',
  title: 'Create page',
  description:
    'Make a new page; fails if there is one of that name. Returns {created, path, lastModified}; that lastModified can go to write_page at once. Missing folders are made. At most 256 KB. Example: {"page":"projects/garden","body":"# Garden\\n"}',
  effect: 'write',
  input: () => z.strictObject({ page: page(), body: body() }),
  async run({ page: raw, body: text }, call) {
    const { backend } = call;
    const path = parsePagePath(raw);
    assertWritable(backend, path);
    assertNewName(path);
    assertSize(path, text);
    const { note, ...result } = await onPages(backend.notes, [path], () =>
      createNote(backend, path, text, {
        key: repeatKey(call, 'create', path, text),
        recent: backend.repeats.creates,
      }),
    );
    const lastModified = backend.markers.issue(callerOf(call), note);
    return {
      value: { created: true, path, lastModified, ...repeated(result) },
      facts: { page: path, bytes: note.size, last_modified: lastModified, ...repeated(result) },
    };
  },
});

export const writePage = defineTool({
  name: 'write_page',
  title: 'Write page (overwrite, collision-safe)',
  description:
    'Overwrite a page you have read: expected_last_modified is the lastModified that read_page, create_page or write_page gave with it. If the page has changed since, nothing is written and you get a conflict: read it again. Makes no new pages (create_page does); to add text use append_to_page. Returns {written, path, lastModified}. Example: {"page":"projects/plan","body":"# Plan\\n","expected_last_modified":1794710389349}',
  effect: 'destroy',
  input: () =>
    z.strictObject({
      page: page(),
      body: body(),
      expected_last_modified: integer(Number.MIN_SAFE_INTEGER).describe(
        'lastModified from read_page, create_page or write_page',
      ),
    }),
  async run({ page: raw, body: text, expected_last_modified: marker }, call) {
    const { backend } = call;
    const path = parsePagePath(raw);
    assertWritable(backend, path);
    assertSize(path, text);
    const caller = callerOf(call);
    const { note, unchanged } = await onPages(backend.notes, [path], () =>
      replaceSeen(backend, path, { text, marker, caller }, backend.markers).catch((error: unknown) => {
        if (isAppError(error, 'not_found')) throw nothingToOverwrite(path);
        throw isAppError(error, 'conflict') ? changedSince(path, marker) : error;
      }),
    );
    const lastModified = backend.markers.issue(caller, note);
    const result = repeated({ deduplicated: unchanged });
    return {
      value: { written: true, path, lastModified, ...result },
      facts: {
        page: path,
        bytes: note.size,
        expected_last_modified: marker,
        last_modified: lastModified,
        ...result,
      },
    };
  },
});

export const movePage = defineTool({
  name: 'move_page',
  title: 'Move page',
  description:
    'Give a page another name or folder; fails if there is a page of that name. Links to it in other pages stay as they are. A page can be brought back out of _trash/ this way. Returns {from, to, moved}. Example: {"from":"inbox/idea","to":"projects/idea"}',
  effect: 'destroy',
  input: () =>
    z.strictObject({ from: page('The page as it is called now'), to: page('Its new name, with folder') }),
  async run({ from: rawFrom, to: rawTo }, call) {
    const { backend, signal } = call;
    const moveFrom = async (from: NotePath) => {
      const to = parseMove(backend, from, rawTo);
      const moved = await moveOnce(backend, {
        key: repeatKey(call, 'move', from, to),
        from,
        async move() {
          await onPages(backend.notes, [from, to], () => relocate(backend.notes, from, to, signal));
          return { to };
        },
      });
      const result = repeated(moved);
      return { value: { from, to, moved: true, ...result }, facts: { page: from, to, ...result } };
    };
    return onNamedPage(backend, rawFrom, moveFrom, { signal });
  },
});

export const deletePage = defineTool({
  name: 'delete_page',
  title: 'Delete page (soft delete)',
  description:
    'Take a page away: it moves to _trash/YYYY-MM/ under its own path and can be read or brought back from there. Returns {deleted, trashPath}. To rename a page use move_page. Example: {"page":"projects/old plan"}',
  effect: 'destroy',
  deletes: true,
  input: () => z.strictObject({ page: page() }),
  async run({ page: raw }, call) {
    const { backend, signal } = call;
    const trash = async (path: NotePath) => {
      assertWritable(backend, path, 'it is in _trash/ already');
      const { to: trashPath, ...result } = await moveOnce(backend, {
        key: repeatKey(call, 'delete', path),
        from: path,
        mustExist: false,
        async move() {
          const { notes, now, guard } = backend;
          const current = guard && (await readIfThere(notes, path));
          if (current) await guard?.assertSeen(path, current);
          return { to: await trashNote(notes, path, now(), signal) };
        },
      });
      return {
        value: { deleted: true, trashPath, ...repeated(result) },
        facts: { page: path, trash_path: trashPath, ...repeated(result) },
      };
    };
    // A call repeated later must not find another page of the same name.
    return onNamedPage(backend, raw, trash, { signal, takesPathsOnly: true });
  },
});
