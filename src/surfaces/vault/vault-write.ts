import * as z from 'zod';
import { countLines } from '../../notes/markdown/lines.ts';
import { editFile } from '../../notes/ops/edit-note.ts';
import { writeFile } from '../../notes/ops/write-note.ts';
import { type NotePath, parseNotePath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { content, expectedVersion } from '../shared/parameters.ts';
import { assertTextFile, defineTool, filePath, onFile, onNamedFile } from './backend.ts';

export const vaultWrite = defineTool({
  name: 'vault_write',
  title: 'Write a file',
  description:
    'Create a text file, or replace all of one; created says which. To change part of a file use vault_edit. Hidden paths such as .obsidian/ cannot be written. Example: {"path":"daily/2026-01-15.md","content":"# Log\\n"}',
  effect: 'destroy',
  input: () =>
    z.strictObject({
      path: filePath(),
      content: content().describe('The whole text'),
      create_dirs: z.boolean().default(true).describe('Make missing folders'),
      expected_version: expectedVersion(),
    }),
  output: () =>
    z.object({ path: z.string(), created: z.boolean(), size: z.number(), total_lines: z.number() }),
  async run({ path: raw, content: text, create_dirs, expected_version }, { backend, signal }) {
    const target = parseNotePath(raw);
    assertTextFile(target);
    const { created, size } = await onFile(backend.files, target, () =>
      writeFile(
        backend,
        target,
        { content: text, createFolders: create_dirs, expectedVersion: expected_version },
        signal,
      ),
    );
    return { value: { path: target, created, size, total_lines: countLines(text) } };
  },
});

export const vaultEdit = defineTool({
  name: 'vault_edit',
  title: 'Replace text in a file',
  description:
    'Replace a piece of text that stands exactly once in a file; all else stays byte for byte. Both texts are literal, not patterns. For a whole new text use vault_write. Example: {"path":"api.md","old_text":"status: draft","new_text":"status: published"}',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: filePath(),
      old_text: content()
        .min(1, 'must not be empty')
        .describe('Text to find, with its white space and line breaks; must be unique'),
      new_text: content().describe('Text to put there; empty to delete'),
    }),
  output: () => z.object({ path: z.string(), replaced: z.boolean(), total_lines: z.number() }),
  async run({ path: raw, old_text: oldText, new_text: newText }, { backend, signal }) {
    assertTextFile(parseNotePath(raw));
    if (oldText === newText)
      throw new AppError('invalid_input', 'old_text and new_text are the same', {
        hint: 'Nothing to change.',
      });
    const edit = async (target: NotePath) => {
      assertTextFile(target);
      const text = await editFile(backend, target, { oldText, newText }, signal);
      return { value: { path: target, replaced: true, total_lines: countLines(text) } };
    };
    return onNamedFile(backend, raw, edit, signal);
  },
});
