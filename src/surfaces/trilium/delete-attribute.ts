import * as z from 'zod';
import { defineTool } from './backend.ts';
import { id } from './parameters.ts';

export const deleteAttribute = defineTool({
  name: 'delete_attribute',
  title: 'Delete attribute',
  description:
    'Take a label or relation away. The answer holds what it was, so that it can be set again. Example: {"attributeId":"xyz789"}',
  effect: 'destroy',
  deletes: true,
  idempotent: true,
  input: () => z.object({ attributeId: id(undefined, 'attribute') }),
  async run({ attributeId }, { backend: { client }, signal }) {
    // Trilium says yes to any id.
    const { utcDateModified: _, ...was } = await client.attributes.get(attributeId, { signal });
    await client.attributes.remove(attributeId, { signal });
    return { value: { success: true, ...was } };
  },
});
