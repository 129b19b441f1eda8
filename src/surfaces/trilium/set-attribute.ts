import * as z from 'zod';
import { setAttribute as set } from '../../stores/trilium/attributes.ts';
import { assertFree } from '../../stores/trilium/subtree/notes.ts';
import { defineTool } from './backend.ts';
import { id, name, newId, position } from './parameters.ts';

export const setAttribute = defineTool({
  name: 'set_attribute',
  title: 'Set attribute',
  description:
    'Set a note\'s own label or relation (a relation\'s value is a noteId). mode "upsert" changes the one of that name, "add" makes one more. Returns the attribute and outcome: created, updated, replaced or unchanged; previous is how it was. Example: {"noteId":"abc123","type":"label","name":"status","value":"open"}',
  effect: 'write',
  idempotent: false,
  input: () =>
    z.object({
      noteId: id(),
      type: z.enum(['label', 'relation']),
      name: name(),
      value: z.string().max(100_000),
      mode: z.enum(['upsert', 'add']).default('upsert'),
      isInheritable: z.boolean().optional().describe('Whether the notes below have it too'),
      position: position().optional(),
      attributeId: newId('Makes a new one of this id').optional(),
    }),
  async run(setting, { backend: { client }, signal }) {
    const { attributeId } = setting;
    if (attributeId !== undefined)
      await assertFree(client.attributes.get(attributeId, { signal }), attributeId);
    const { attribute, outcome, replacedAttributeId, previous, others } = await set(client, setting, {
      signal,
    });
    return {
      value: {
        ...attribute,
        outcome,
        replacedAttributeId,
        previous,
        othersOfThatName: others.length > 0 ? others : undefined,
      },
    };
  },
});
