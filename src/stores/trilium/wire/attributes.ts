/** Labels and relations. */
import { AppError } from '../../../shared/errors.ts';
import { assertId } from './ids.ts';
import { readAttribute } from './read.ts';
import type { Transport } from './transport.ts';
import type { Attribute, CallOptions } from './types.ts';

export interface NewAttribute {
  readonly noteId: string;
  readonly type: 'label' | 'relation';
  /** Trilium replaces what may not stand in a name by `_`. */
  readonly name: string;
  /** Of a relation: the id of a note. */
  readonly value: string;
  readonly isInheritable?: boolean | undefined;
  readonly position?: number | undefined;
  readonly attributeId?: string | undefined;
}

export interface AttributePatch {
  /** Of labels only. */
  readonly value?: string | undefined;
  readonly position?: number | undefined;
}

export interface AttributesApi {
  create(attribute: NewAttribute, options?: CallOptions): Promise<Attribute>;
  get(attributeId: string, options?: CallOptions): Promise<Attribute>;
  patch(attributeId: string, patch: AttributePatch, options?: CallOptions): Promise<Attribute>;
  remove(attributeId: string, options?: CallOptions): Promise<void>;
}

/** Trilium answers an attribute without a name with 500 and keeps it in memory: its note cannot be deleted any more. */
export function assertNamed({ name }: Pick<NewAttribute, 'name'>): void {
  if (name.trim() !== '') return;
  throw new AppError('invalid_input', 'The name is blank', {
    subject: 'name',
    hint: 'A label or relation needs a name with letters or digits in it. Nothing was written.',
  });
}

export function attributesApi({ json, nothing }: Transport): AttributesApi {
  const at = (attributeId: string) => ['attributes', assertId(attributeId, 'attribute')];
  return {
    create: async (attribute, options) => {
      assertId(attribute.noteId);
      assertNamed(attribute);
      if (attribute.type === 'relation') assertId(attribute.value);
      if (attribute.attributeId !== undefined) assertId(attribute.attributeId, 'attribute');
      return json({ ...options, method: 'POST', path: ['attributes'], json: attribute }, readAttribute);
    },
    get: async (attributeId, options) => json({ ...options, path: at(attributeId) }, readAttribute),
    patch: async (attributeId, patch, options) =>
      json({ ...options, method: 'PATCH', path: at(attributeId), json: patch }, readAttribute),
    remove: async (attributeId, options) => nothing({ ...options, method: 'DELETE', path: at(attributeId) }),
  };
}
