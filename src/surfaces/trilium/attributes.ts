import * as z from 'zod';
import { setAttribute as set } from '../../stores/trilium/attributes.ts';
import { assertFree } from '../../stores/trilium/subtree/guard.ts';
import type { Attribute } from '../../stores/trilium/wire/entities.ts';
import { defineTool } from './backend.ts';
import { exactlyOne, id, name, newId, position } from './parameters.ts';

export const getAttributes = defineTool({
  name: 'get_attributes',
  title: 'Get attributes',
  description:
    'Labels and relations. With noteId: {noteId, labels, relations}, those a note inherits marked with isInherited; with attributeId: that one. Example: {"noteId":"abc123"}',
  effect: 'read',
  input: () =>
    z
      .object({ noteId: id().optional(), attributeId: id(undefined, 'attribute').optional() })
      .superRefine((input, context) => exactlyOne(['noteId', 'attributeId'], input, context)),
  async run({ noteId, attributeId = '' }, { backend: { client } }) {
    if (noteId === undefined) return { value: { ...(await client.attributes.get(attributeId)) } };
    const { attributes } = await client.notes.get(noteId);
    const rows = (type: string) =>
      attributes.filter((one) => one.type === type).map((one) => markedAttribute(one, noteId));
    return { value: { noteId, labels: rows('label'), relations: rows('relation') } };
  },
});

function markedAttribute(attribute: Attribute, noteId: string): Record<string, unknown> {
  return { ...attribute, isInherited: attribute.noteId !== noteId ? true : undefined };
}

export const setAttribute = defineTool({
  name: 'set_attribute',
  title: 'Set attribute',
  description:
    'Set a note\'s own label or relation (a relation\'s value is a noteId). mode "upsert" changes the one of that name, "add" makes one more. Returns the attribute, outcome (created, updated, replaced, unchanged) and previous. Example: {"noteId":"abc123","type":"label","name":"status","value":"open"}',
  effect: 'write',
  annotations: { idempotentHint: false },
  input: () =>
    z.object({
      noteId: id(),
      type: z.enum(['label', 'relation']),
      name: name(),
      value: z.string().max(100_000),
      mode: z.enum(['upsert', 'add']).default('upsert'),
      isInheritable: z.boolean().optional().describe('Notes below have it too'),
      position: position().optional(),
      attributeId: newId('Makes a new one of this id').optional(),
    }),
  async run(setting, { backend: { client } }) {
    const { attributeId } = setting;
    if (attributeId !== undefined) await assertFree(client.attributes.get(attributeId), attributeId);
    const { attribute, outcome, replacedAttributeId, previous, others } = await set(client, setting);
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

export const deleteAttribute = defineTool({
  name: 'delete_attribute',
  title: 'Delete attribute',
  description:
    'Take a label or relation away. The answer holds what it was, so that it can be set again. Example: {"attributeId":"xyz789"}',
  effect: 'destroy',
  deletes: true,
  annotations: { idempotentHint: true },
  input: () => z.object({ attributeId: id(undefined, 'attribute') }),
  async run({ attributeId }, { backend: { client } }) {
    // Trilium answers a deletion with success for any id.
    const { utcDateModified: _, ...was } = await client.attributes.get(attributeId);
    await client.attributes.remove(attributeId);
    return { value: { success: true, ...was } };
  },
});
