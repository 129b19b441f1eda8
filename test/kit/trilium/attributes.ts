/** Labels and relations. */
import { type Answer, type FakeRequest, generic, json, jsonBody, notFound, nothing } from './answer.ts';
import { type AttributeRow, alive } from './database.ts';
import { attributeType, checkProperties, entityId, existingNote, flag, integer, text } from './properties.ts';
import type { Trilium } from './trilium.ts';
import { attributeView } from './views.ts';

export function postAttribute({ db }: Trilium, asked: FakeRequest): Answer {
  const body = jsonBody(asked);
  checkProperties(body, {
    noteId: existingNote(db),
    type: attributeType,
    name: text,
    value: text,
    isInheritable: flag,
    position: integer,
    attributeId: entityId,
  });
  const given = body as unknown as AttributeRow;
  if (given.type === 'relation' && !db.note(given.value)) throw notFound('Note', given.value);
  if ((given.name ?? '').trim() === '') {
    db.damaged.add(given.noteId);
    throw generic(`Invalid empty name in attribute 'undefined' of note '${given.noteId}'`);
  }
  const name = given.name.replace(/[^\p{L}\p{N}_:]/gu, '_');
  return json(attributeView(db.addAttribute({ ...given, name, value: given.value ?? '' })), 201);
}

function findAttribute({ db }: Trilium, attributeId: string): AttributeRow {
  const attribute = alive(db.attributes.get(attributeId));
  if (!attribute) throw notFound('Attribute', attributeId);
  return attribute;
}

export function getAttribute(trilium: Trilium, { params: [attributeId = ''] }: FakeRequest): Answer {
  return json(attributeView(findAttribute(trilium, attributeId)));
}

/** Changes an attribute, except the target of a relation. */
export function patchAttribute(trilium: Trilium, asked: FakeRequest): Answer {
  const attribute = findAttribute(trilium, asked.params[0] ?? '');
  const body = jsonBody(asked);
  checkProperties(
    body,
    attribute.type === 'label' ? { value: text, position: integer } : { position: integer },
  );
  Object.assign(attribute, body, { utcDateModified: trilium.db.utc() });
  return json(attributeView(attribute));
}

export function removeAttribute({ db }: Trilium, { params: [attributeId = ''] }: FakeRequest): Answer {
  db.attributes.delete(attributeId);
  return nothing;
}
