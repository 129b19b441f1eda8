/** Sets a label or relation of a note itself, never an inherited one. */
import type { TriliumClient } from './client.ts';
import type { Attribute, TriliumNote } from './wire/entities.ts';
import { assertNamed, type NewAttribute } from './wire/notes.ts';

/** `attributeId` is that of a new attribute. */
export interface AttributeSetting extends NewAttribute {
  /** `upsert` changes an existing attribute, `add` creates another. */
  readonly mode?: 'upsert' | 'add';
}

interface SetAttribute {
  readonly attribute: Attribute;
  readonly outcome: 'created' | 'updated' | 'replaced' | 'unchanged';
  /** Id of an attribute that could not be changed and was replaced. */
  readonly replacedAttributeId?: string;
  /** The attribute before the change; revisions do not keep attributes. */
  readonly previous?: Attribute;
  /** Ids of the note's other attributes of that name, unchanged. */
  readonly others: readonly string[];
}

export function ownAttributes({ noteId, attributes }: TriliumNote): Attribute[] {
  return attributes.filter((attribute) => attribute.noteId === noteId);
}

export async function setAttribute(
  client: Pick<TriliumClient, 'notes' | 'attributes'>,
  { mode, ...setting }: AttributeSetting,
): Promise<SetAttribute> {
  assertNamed(setting);
  const note = await client.notes.get(setting.noteId);
  const same = ownAttributes(note).filter(
    ({ type, name }) => type === setting.type && name === storedName(setting.name),
  );
  const present = same.find(({ value }) => value === setting.value) ?? same[0];
  const isNew = mode === 'add' || setting.attributeId !== undefined || !present;
  const others = same.filter((one) => isNew || one !== present).map(({ attributeId }) => attributeId);
  if (isNew) return { attribute: await client.attributes.create(setting), outcome: 'created', others };
  return { ...(await change(client, present, setting)), others };
}

/** ETAPI cannot change a relation's target or inheritability, so the attribute is replaced. */
async function change(
  client: Pick<TriliumClient, 'attributes'>,
  present: Attribute,
  setting: NewAttribute,
): Promise<Omit<SetAttribute, 'others'>> {
  const { value, position } = setting;
  const isOtherValue = value !== present.value;
  const isOtherReach = setting.isInheritable !== undefined && setting.isInheritable !== present.isInheritable;
  if (isOtherReach || (isOtherValue && present.type === 'relation')) {
    const { isInheritable = present.isInheritable, position: at = present.position } = setting;
    const attribute = await client.attributes.create({ ...setting, isInheritable, position: at });
    await client.attributes.remove(present.attributeId);
    return { attribute, outcome: 'replaced', replacedAttributeId: present.attributeId, previous: present };
  }
  const isOtherPosition = position !== undefined && position !== present.position;
  if (!isOtherValue && !isOtherPosition) return { attribute: present, outcome: 'unchanged' };
  const patch = { value: isOtherValue ? value : undefined, position: isOtherPosition ? position : undefined };
  return {
    attribute: await client.attributes.patch(present.attributeId, patch),
    outcome: 'updated',
    previous: present,
  };
}

/** Trilium replaces characters that a name may not contain by `_`. */
export function storedName(name: string): string {
  return name.replace(/[^\p{L}\p{N}_:]/gu, '_');
}
