import * as z from 'zod';
import { patchNote as patch } from '../../notes/ops/patch-note.ts';
import { parseNotePath } from '../../notes/path.ts';
import { content, path } from '../shared/parameters.ts';
import { defineTool, operationResult } from './backend.ts';

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
    const target = parseNotePath(raw);
    const matchCount = await patch(backend, target, replacement, signal);
    const message = `Successfully patched note: ${target} (${matchCount} occurrence${matchCount === 1 ? '' : 's'} replaced)`;
    return { value: { success: true, path: target, message, matchCount } };
  },
});
