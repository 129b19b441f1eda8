/**
 * Updates the labels of a note to match its frontmatter with as few changes as possible. Relations are never
 * touched.
 */
import { jsonEqual } from '../../../notes/frontmatter/print.ts';
import { AppError, isAppError } from '../../../shared/errors.ts';
import type { TriliumClient } from '../client.ts';
import type { Attribute } from '../wire/entities.ts';
import { type Label, partOf } from './label-fields.ts';

interface LabelChanges {
  readonly create: readonly (Label & { readonly position: number })[];
  readonly patch: readonly {
    readonly attribute: Attribute;
    readonly value: string;
    readonly position: number;
  }[];
  readonly remove: readonly Attribute[];
}

const STEP = 10;

/** `present` is in order. A label with an equal value keeps its spelling. */
export function labelChanges(present: readonly Attribute[], wanted: readonly Label[]): LabelChanges {
  const left = new Set(present);
  const take = (fits: (attribute: Attribute) => boolean): Attribute | undefined => {
    const found = [...left].find(fits);
    if (found) left.delete(found);
    return found;
  };
  const same = wanted.map((label) => take((one) => jsonEqual(partOf(one), partOf(label))));
  const placed = wanted.map((label, at) => {
    const isValued = label.value !== '';
    return same[at] ?? take((one) => isValued && one.value !== '' && one.name === label.name);
  });
  const create: LabelChanges['create'][number][] = [];
  const patch: LabelChanges['patch'][number][] = [];
  let last = 0;
  for (const [at, label] of wanted.entries()) {
    const attribute = placed[at];
    const position = attribute && attribute.position > last ? attribute.position : last + STEP;
    last = position;
    if (!attribute) create.push({ ...label, position });
    else {
      const value = same[at] ? attribute.value : label.value;
      if (value !== attribute.value || position !== attribute.position)
        patch.push({ attribute, value, position });
    }
  }
  return { create, patch, remove: [...left] };
}

/**
 * Excludes labels that were created or changed by another writer since `known` was read; they stay beside the
 * written ones.
 */
export function sparingOthers(changes: LabelChanges, known: readonly Attribute[]): LabelChanges {
  const isKnown = ({ attributeId, value }: Attribute) =>
    known.some((one) => one.attributeId === attributeId && one.value === value);
  const others = changes.patch.filter(({ attribute }) => !isKnown(attribute));
  const anew = others.flatMap(({ attribute, value, position }) =>
    value === attribute.value ? [] : [{ name: attribute.name, value, position }],
  );
  return {
    create: [...changes.create, ...anew],
    patch: changes.patch.filter(({ attribute }) => isKnown(attribute)),
    remove: changes.remove.filter(isKnown),
  };
}

export function countChanges({ create, patch, remove }: LabelChanges): number {
  return create.length + patch.length + remove.length;
}

type Client = Pick<TriliumClient, 'attributes'>;

/** Additions come first and removals last, so that a failure in between loses nothing. */
export async function writeLabels(
  { attributes }: Client,
  noteId: string,
  { create, patch, remove }: LabelChanges,
): Promise<void> {
  const steps = [
    ...create.map((label) => ({
      what: shown(label),
      run: () => createExactly({ attributes }, { noteId, ...label }),
    })),
    ...patch.map(({ attribute, value, position }) => ({
      what: shown({ name: attribute.name, value }),
      run: () =>
        attributes.patch(attribute.attributeId, {
          value: value !== attribute.value ? value : undefined,
          position: position !== attribute.position ? position : undefined,
        }),
    })),
    ...remove.map((attribute) => ({
      what: `no ${shown(attribute)}`,
      run: () => attributes.remove(attribute.attributeId),
    })),
  ];
  for (const [at, { run }] of steps.entries())
    try {
      await run();
    } catch (error) {
      throw unfinished(error, noteId, { done: at, left: steps.slice(at).map(({ what }) => what) });
    }
}

/** Refuses a name that Trilium altered, because it would be another key. */
async function createExactly(
  { attributes }: Client,
  label: Label & { readonly noteId: string; readonly position: number },
): Promise<void> {
  const made = await attributes.create({ ...label, type: 'label' });
  if (made.name === label.name && made.value === label.value) return;
  await attributes.remove(made.attributeId);
  throw new AppError('unsupported', 'Trilium does not take this label', { subject: shown(label) });
}

function shown({ name, value }: Label): string {
  const whole = value === '' ? `#${name}` : `#${name}=${value}`;
  return whole.length > 80 ? `${whole.slice(0, 80).toWellFormed()}…` : whole;
}

function unfinished(
  error: unknown,
  noteId: string,
  { done, left }: { readonly done: number; readonly left: readonly string[] },
): unknown {
  if (!isAppError(error)) return error;
  const more = left.length > 10 ? ` and ${left.length - 10} more` : '';
  return new AppError(error.code, 'The text is written, but not all of its frontmatter', {
    subject: noteId,
    hint: `${error.message} Missing: ${left.slice(0, 10).join(', ')}${more}; ${done} of the changes are made. Nothing was lost: read the note and write its frontmatter again.`,
    reason: error.reason,
    upstream: error.upstream,
    cause: error,
  });
}
