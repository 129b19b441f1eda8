import * as z from 'zod';
import { noteInfo } from '../../notes/ops/read-note.ts';
import { defineTool, failures, paths, prettyPrint } from './backend.ts';
import { batch } from './batch.ts';

export const getNotesInfo = defineTool({
  name: 'get_notes_info',
  title: 'Get note metadata',
  description:
    'Get size in bytes, time of change (milliseconds since 1970) and whether there is frontmatter, for up to 10 notes, without their text. Example: {"paths":["a.md","b.md"]}',
  effect: 'read',
  input: () => z.strictObject({ paths: paths(), prettyPrint: prettyPrint() }),
  output: () =>
    z.object({
      ok: z.array(
        z.object({ path: z.string(), size: z.number(), modified: z.number(), hasFrontmatter: z.boolean() }),
      ),
      err: failures(),
    }),
  async run(input, { backend, signal }) {
    return { value: { ...(await batch(input.paths, (path) => noteInfo(backend.notes, path), signal)) } };
  },
});
