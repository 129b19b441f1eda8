import * as z from 'zod';
import { takeRevision } from '../../stores/trilium/revisions.ts';
import { defineTool } from './backend.ts';
import { format, id } from './parameters.ts';

export const createRevision = defineTool({
  name: 'create_revision',
  title: 'Create revision',
  description:
    'Keep a copy of a note as it is, in its list of revisions. Tools that write take one by themselves. Example: {"noteId":"abc123","description":"before the rewrite"}',
  effect: 'write',
  idempotent: false,
  input: () =>
    z.object({
      noteId: id(),
      format: format('Has no effect'),
      description: z.string().max(500).default('').describe('Kept by Trilium 0.103 and newer'),
    }),
  async run({ noteId, description }, call) {
    const { client, addresses } = call.backend;
    const options = { signal: call.signal };
    const note = await client.notes.get(noteId, options);
    addresses.prepare(note);
    await takeRevision(client, noteId, description, options);
    const url = await addresses.of(note);
    const text = `Revision created for note ${noteId}. It is in the list of revisions of the note. View the note: ${url}`;
    return { value: {}, content: [{ type: 'text', text }] };
  },
});
