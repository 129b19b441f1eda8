import * as z from 'zod';
import { patchNote as patch } from '../../notes/ops/edit-note.ts';
import { onNote } from '../../notes/ops/find-note.ts';
import { moveNote as move } from '../../notes/ops/move-note.ts';
import { suggestingWhenMissing } from '../../notes/ops/read-note.ts';
import { removeNote, writeNote as write } from '../../notes/ops/write-note.ts';
import { type NotePath, parseNotePath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { content, expectedVersion, path } from '../shared/parameters.ts';
import { defineTool, failures, frontmatter, operationResult } from './backend.ts';

export const writeNote = defineTool({
  name: 'write_note',
  title: 'Write a note',
  description:
    'Create a note, or overwrite, append to or prepend to one. Missing folders are made. To change part of a note use patch_note; to change metadata only use update_frontmatter. append and prepend keep what is there, leave one blank line between and merge frontmatter (new values win, lists are united). Example: {"path":"daily/2026-01-15.md","content":"# Log","frontmatter":{"tags":["daily"]},"mode":"append"}',
  effect: 'destroy',
  input: () =>
    z.strictObject({
      path: path(),
      content: content().describe('Markdown text'),
      frontmatter: frontmatter().optional().describe('Frontmatter keys and values'),
      mode: z
        .enum(['overwrite', 'append', 'prepend'])
        .default('overwrite')
        .describe('overwrite replaces the whole note'),
      expectedVersion: expectedVersion(),
    }),
  output: () => operationResult(),
  async run({ path: raw, content: text, frontmatter: keys, mode, expectedVersion }, { backend, signal }) {
    const given = { content: text, mode, frontmatter: keys || undefined, expectedVersion };
    const put = async (target: NotePath) => {
      await write(backend, target, given, signal);
      const message = `Successfully wrote note: ${target} (mode: ${mode})`;
      return { value: { success: true, path: target, message } };
    };
    // Whoever replaces a whole note says which one by its path.
    return mode === 'overwrite' ? put(parseNotePath(raw)) : onNote(backend, raw, put, { signal });
  },
});

export const patchNote = defineTool({
  name: 'patch_note',
  title: 'Replace text in a note',
  description:
    'Replace an exact piece of text in a note, frontmatter included; the rest stays byte for byte. Fails if oldString stands more than once, unless replaceAll is true. Both strings are literal, not patterns. For a whole new text use write_note. Example: {"path":"api.md","oldString":"status: draft","newString":"status: published"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: path(),
      oldString: content()
        .min(1, 'must not be empty')
        .describe('Text to find, with its white space and line breaks'),
      newString: content().describe('Text to put there; may be empty'),
      replaceAll: z.boolean().default(false).describe('Replace every occurrence'),
    }),
  output: () => operationResult().extend({ matchCount: z.number() }),
  async run({ path: raw, ...replacement }, { backend, signal }) {
    return onNote(backend, raw, async (target) => {
      const matchCount = await patch(backend, target, replacement, signal);
      const message = `Successfully patched note: ${target} (${matchCount} occurrence${matchCount === 1 ? '' : 's'} replaced)`;
      return { value: { success: true, path: target, message, matchCount } };
    });
  },
});

const SHOWN = 200;

export const moveNote = defineTool({
  name: 'move_note',
  title: 'Move or rename a note',
  description:
    'Move or rename a note; missing folders are made. Links to it in other notes, frontmatter and canvases, and its own relative links, are rewritten so that they still lead there. dryRun shows what would change. Example: {"oldPath":"inbox/idea.md","newPath":"projects/idea.md"}',
  effect: 'destroy',
  input: () =>
    z.strictObject({
      oldPath: path('Where the note is'),
      newPath: path('Where it shall be, with file name'),
      overwrite: z.boolean().default(false).describe('Replace a note that stands at newPath'),
      updateLinks: z.boolean().default(true).describe('Rewrite links'),
      dryRun: z.boolean().default(false).describe('Change nothing, only report'),
      expectedVersion: expectedVersion(),
    }),
  output: () =>
    operationResult().extend({
      oldPath: z.string(),
      newPath: z.string(),
      linksUpdated: z.number(),
      updated: z.array(z.object({ path: z.string(), links: z.number() })),
      failed: failures().optional(),
    }),
  async run({ oldPath, newPath, ...options }, { backend, signal }) {
    const to = parseNotePath(newPath);
    const moving = async (from: NotePath) => ({
      from,
      ...(await move(backend, { from, to, ...options }, signal)),
    });
    const { from, updated, failed } = await onNote(backend, oldPath, moving, { signal });
    const linksUpdated = updated.reduce((sum, { links }) => sum + links, 0);
    return {
      value: {
        success: true,
        path: to,
        oldPath: from,
        newPath: to,
        message: messageOf(from, to, options.dryRun, {
          links: linksUpdated,
          notes: updated.length,
          failed: failed.length,
        }),
        linksUpdated,
        updated: updated.slice(0, SHOWN),
        failed: failed.length > 0 ? failed.slice(0, SHOWN) : undefined,
      },
    };
  },
});

function messageOf(
  from: string,
  to: string,
  dryRun: boolean,
  counts: { links: number; notes: number; failed: number },
): string {
  if (from === to) return `Nothing to do: ${from} is already there`;
  const links =
    counts.links === 0
      ? ''
      : ` (${counts.links} link${counts.links === 1 ? '' : 's'} in ${counts.notes} note${counts.notes === 1 ? '' : 's'} ${dryRun ? 'to update' : 'updated'})`;
  const cut = counts.notes > SHOWN ? `; the first ${SHOWN} notes are listed` : '';
  const failed = counts.failed === 0 ? '' : `; ${counts.failed} could not be updated, see failed`;
  return `${dryRun ? 'Would move' : 'Successfully moved'} note from ${from} to ${to}${links}${cut}${failed}`;
}

export const deleteNote = defineTool({
  name: 'delete_note',
  title: 'Delete a note',
  description:
    'Delete one note. confirmPath must repeat path exactly. The note goes to the .trash folder of the notebook, unless the server deletes for good; the answer says which. Folders cannot be deleted. To rename use move_note. Example: {"path":"old.md","confirmPath":"old.md"}',
  effect: 'destroy',
  deletes: true,
  input: () =>
    z.strictObject({
      path: path(),
      confirmPath: path('The same path again, to confirm'),
      expectedVersion: expectedVersion(),
    }),
  output: () => operationResult().extend({ trashedTo: z.string().optional() }),
  async run({ path: raw, confirmPath, expectedVersion }, { backend }) {
    if (raw.trim() !== confirmPath.trim()) {
      throw new AppError('invalid_input', 'Deletion cancelled: confirmation path does not match', {
        hint: 'Nothing was deleted. Give path and confirmPath the same value.',
      });
    }
    return onNote(backend, raw, async (target) => {
      const { trashedTo, recovery = 'gone for good' } = await suggestingWhenMissing(
        backend.notes,
        target,
        () => removeNote(backend, target, expectedVersion),
      );
      const where = trashedTo === undefined ? recovery : `moved to ${trashedTo}`;
      const message = `Successfully deleted note: ${target} (${where})`;
      return { value: { success: true, path: target, message, trashedTo } };
    });
  },
});
