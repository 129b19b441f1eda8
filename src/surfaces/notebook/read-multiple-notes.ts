import * as z from 'zod';
import { parseNote } from '../../notes/ops/read-note.ts';
import { AppError } from '../../shared/errors.ts';
import { isBinary } from '../shared/binary.ts';
import { PAGE_CHARACTERS, textPage } from '../shared/paging.ts';
import { defineTool, failures, paths, prettyPrint } from './backend.ts';
import { batch } from './batch.ts';

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
        }),
      ),
      err: failures(),
    }),
  async run(input, { backend, signal }) {
    const share = Math.floor(PAGE_CHARACTERS / input.paths.length);
    const value = await batch(
      input.paths,
      async (path) => {
        if (isBinary(path)) {
          // What is missing or denied must say so: read_note would not show it either.
          await (backend.notes.stat ?? backend.notes.read)(path);
          throw new AppError('unsupported', 'Not a text note', {
            subject: path,
            hint: 'Use read_note for it.',
          });
        }
        const { frontmatter, content, problem } = await parseNote(await backend.notes.read(path));
        const page = textPage(content, 0, share);
        const notes = [
          ...(problem === undefined ? [] : [`Invalid frontmatter (${problem}): content is the whole file.`]),
          ...(page.next === undefined || !input.includeContent
            ? []
            : [
                `Cut after character ${page.next} of ${content.length}; continue with read_note offset=${page.next}.`,
              ]),
        ];
        return {
          path,
          frontmatter: input.includeFrontmatter ? frontmatter : undefined,
          content: input.includeContent ? page.text : undefined,
          next: input.includeContent ? page.next : undefined,
          note: notes.length > 0 ? notes.join(' ') : undefined,
        };
      },
      signal,
    );
    return { value: { ...value } };
  },
});
