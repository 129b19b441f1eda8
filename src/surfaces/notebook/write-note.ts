import * as z from 'zod';
import { writeNote as write } from '../../notes/ops/write-note.ts';
import { parseNotePath } from '../../notes/path.ts';
import { content, path } from '../shared/parameters.ts';
import { defineTool, frontmatter, operationResult } from './backend.ts';

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
    }),
  output: () => operationResult(),
  async run({ path: raw, content: text, frontmatter: keys, mode }, { backend, signal }) {
    const target = parseNotePath(raw);
    await write(backend, target, { content: text, mode, frontmatter: keys || undefined }, signal);
    return {
      value: { success: true, path: target, message: `Successfully wrote note: ${target} (mode: ${mode})` },
    };
  },
});
