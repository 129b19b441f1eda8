import * as z from 'zod';
import { updateFrontmatter as update } from '../../notes/ops/patch-note.ts';
import { parseNotePath } from '../../notes/path.ts';
import { path } from '../shared/parameters.ts';
import { defineTool, frontmatter, operationResult } from './backend.ts';

export const updateFrontmatter = defineTool({
  name: 'update_frontmatter',
  title: 'Update frontmatter',
  description:
    'Set frontmatter keys of a note; its text, other keys, comments and formatting stay byte for byte. With merge false, keys not given are removed. For tags use manage_tags. Example: {"path":"plan.md","frontmatter":{"status":"done"}}',
  effect: 'write',
  input: () =>
    z.strictObject({
      path: path(),
      frontmatter: frontmatter().describe('Keys and values to set'),
      merge: z.boolean().default(true).describe('Keep keys not given'),
    }),
  output: () => operationResult(),
  async run({ path: raw, ...changes }, { backend, signal }) {
    const target = parseNotePath(raw);
    const changed = await update(backend, target, changes, signal);
    const message = changed
      ? `Successfully updated frontmatter: ${target}`
      : `Frontmatter already as asked: ${target}`;
    return { value: { success: true, path: target, message } };
  },
});
