import * as z from 'zod';
import type { Attribute } from '../../stores/trilium/wire/types.ts';
import { defineTool } from './backend.ts';
import { exactlyOne, id } from './parameters.ts';

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
  async run({ noteId, attributeId = '' }, { backend: { client }, signal }) {
    const options = { signal };
    if (noteId === undefined) return { value: { ...(await client.attributes.get(attributeId, options)) } };
    const { attributes } = await client.notes.get(noteId, options);
    const rows = (type: string) =>
      attributes.filter((one) => one.type === type).map((one) => markedAttribute(one, noteId));
    return { value: { noteId, labels: rows('label'), relations: rows('relation') } };
  },
});

function markedAttribute(attribute: Attribute, noteId: string): Record<string, unknown> {
  return { ...attribute, isInherited: attribute.noteId !== noteId ? true : undefined };
}
