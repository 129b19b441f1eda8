import * as z from 'zod';
import { defineTool } from './backend.ts';
import { lineOf, onWire } from './output.ts';
import { exactlyOne, givenText, LONGEST_TEXT, tags } from './parameters.ts';

const ONE = exactlyOne('content', 'path');

export const sbIngest = defineTool({
  name: 'sb_ingest',
  title: 'Add to the notes',
  description:
    'Keep a text, or a .md or .txt file of an allowed folder, as a note. Only when the user wants something added: all other tools of the second brain only read. The same content again changes nothing. Example: {"content":"# Call with the bank\\n…","title":"Call with the bank","tags":["bank"],"dest":"inbox"}',
  effect: 'write',
  annotations: { idempotentHint: true },
  input: () =>
    z
      .strictObject({
        content: givenText()
          .refine((text) => Buffer.byteLength(text) <= LONGEST_TEXT, `more than ${LONGEST_TEXT} bytes`)
          .optional()
          .describe('The text, markdown'),
        path: z
          .string()
          .min(1, 'must not be empty')
          .max(4_096)
          .optional()
          .describe('Instead: a file in one of allowed_file_roots'),
        title: z
          .string()
          .max(300, 'longer than 300 characters')
          .refine((text) => /^[^\r\n\u0000-\u001f]*\S[^\r\n\u0000-\u001f]*$/.test(text), 'must be one line')
          .optional()
          .describe('Of the note'),
        tags: tags().default([]).describe('For its frontmatter'),
        dest: z
          .string()
          .refine((text) => /[^\s/\\]/.test(text), 'must name a folder or a note')
          .max(4_096)
          .optional()
          .describe('Folder or note path; with several notebooks it begins with the name of one'),
        on_conflict: z
          .enum(['error', 'append', 'replace'])
          .default('error')
          .describe('When another note is there already'),
        dry_run: z.boolean().default(false).describe('Only say what would happen'),
      })
      .refine(ONE.check, ONE.message),
  output: () =>
    z.object({
      status: z.enum(['created', 'updated', 'unchanged', 'dry_run']),
      source_path: z.string(),
      content_hash: z.string(),
      chunks: z.number(),
      bytes: z.number(),
      warnings: z.array(z.string()),
    }),
  line: lineOf,
  async run({ on_conflict: onConflict, dry_run: dryRun, ...given }, call) {
    const { change, ...outcome } = await call.backend.ingest({ ...given, onConflict, dryRun }, call);
    const facts = {
      path: outcome.sourcePath,
      status: outcome.status,
      ...(change !== undefined && { change }),
    };
    return { value: onWire(outcome), facts };
  },
});
