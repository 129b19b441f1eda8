import * as z from 'zod';
import { countLines } from '../../notes/markdown/lines.ts';
import { writeFile } from '../../notes/ops/write-note.ts';
import { parseNotePath } from '../../notes/path.ts';
import { content } from '../shared/parameters.ts';
import { assertTextFile, defineTool, filePath, onFile } from './backend.ts';

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
    }),
  output: () =>
    z.object({ path: z.string(), created: z.boolean(), size: z.number(), total_lines: z.number() }),
  async run({ path: raw, content: text, create_dirs }, { backend, signal }) {
    const target = parseNotePath(raw);
    assertTextFile(target);
    const { created, size } = await onFile(backend.files, target, () =>
      writeFile(backend, target, { content: text, createFolders: create_dirs }, signal),
    );
    return { value: { path: target, created, size, total_lines: countLines(text) } };
  },
});
