import * as z from 'zod';
import { countLines } from '../../notes/markdown/lines.ts';
import { editFile } from '../../notes/ops/edit-note.ts';
import { parseNotePath } from '../../notes/path.ts';
import { AppError } from '../../shared/errors.ts';
import { content } from '../shared/parameters.ts';
import { assertTextFile, defineTool, filePath, onFile } from './backend.ts';

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
    const target = parseNotePath(raw);
    assertTextFile(target);
    if (oldText === newText)
      throw new AppError('invalid_input', 'old_text and new_text are the same', {
        hint: 'Nothing to change.',
      });
    const text = await onFile(backend.files, target, () =>
      editFile(backend, target, { oldText, newText }, signal),
    );
    return { value: { path: target, replaced: true, total_lines: countLines(text) } };
  },
});
