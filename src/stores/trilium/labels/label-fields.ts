/**
 * The labels of a note as the fields of its frontmatter, and back:
 * - `#status=open` is `status: open`; several labels of one name are a list;
 * - `#todo`, a label without a value, is a tag, and so is `#tag=to-do`, for tags that cannot be a label's name or mean
 *   something to Trilium (`to-do`, `a/b`, `template`);
 * - a key that cannot be a label's name, or would mean something to Trilium, is kept in `#frontmatter={"a b": 1}`.
 */

import { readListKey } from '../../../notes/frontmatter/lists.ts';
import { isRecord } from '../../../notes/frontmatter/print.ts';
import { normalizeTag } from '../../../notes/tags.ts';
import { AppError } from '../../../shared/errors.ts';
import { readLabelValue, writeLabelValue } from './label-value.ts';
import { isFreeName } from './reserved-names.ts';

export interface Label {
  readonly name: string;
  readonly value: string;
}

type Fields = Record<string, unknown>;

const TAGS = 'tags';
const TAG = 'tag';
const CARRIER = 'frontmatter';
/** Each is a request of its own. */
const MOST_LABELS = 200;
const LONGEST_VALUE = 100_000;

/** One label's part of the frontmatter. */
type Part =
  | { readonly kind: 'tag'; readonly tag: string }
  | { readonly kind: 'field'; readonly key: string; readonly value: unknown }
  | { readonly kind: 'carried'; readonly fields: Fields };

export function partOf({ name, value }: Label): Part {
  if (value === '') return { kind: 'tag', tag: name };
  if (name === TAG || name === TAGS) return { kind: 'tag', tag: value.toWellFormed() };
  const read = readLabelValue(value);
  return name === CARRIER && isRecord(read)
    ? { kind: 'carried', fields: read }
    : { kind: 'field', key: name, value: read };
}

export function fieldsOf(labels: readonly Label[]): Fields {
  const values = new Map<string, unknown[]>();
  const add = (key: string, value: unknown) => values.set(key, [...(values.get(key) ?? []), value]);
  for (const label of labels) {
    const part = partOf(label);
    if (part.kind === 'tag') add(TAGS, part.tag);
    else if (part.kind === 'field') add(part.key, part.value);
    else for (const [key, value] of Object.entries(part.fields)) add(key, value);
  }
  const entries = [...values].map(([key, list]) => [key, key === TAGS ? tagList(list) : single(list)]);
  return Object.fromEntries(entries);
}

const single = (values: readonly unknown[]): unknown => (values.length === 1 ? values[0] : values);

const tagList = (tags: readonly unknown[]): unknown[] => [...new Set(tags)];

/** Throws for what labels cannot hold, before anything is sent. */
export function labelsFor(fields: Fields): Label[] {
  const labels = Object.entries(fields).flatMap(([key, value]) =>
    key === TAGS ? tagLabels(fields) : fieldLabels(key, value),
  );
  if (labels.length > MOST_LABELS)
    throw refused(`It would take ${labels.length} labels of the note`, `At most ${MOST_LABELS} are made.`);
  const long = labels.find(({ value }) => value.length > LONGEST_VALUE);
  if (long)
    throw refused(`${long.name} is too long for a label`, `${LONGEST_VALUE} characters are the limit.`);
  return labels;
}

function fieldLabels(key: string, value: unknown): Label[] {
  if (!isFreeName(key) || key === TAG || key === CARRIER)
    return [{ name: CARRIER, value: JSON.stringify({ [key]: value }) }];
  // A list of one, or of none, would read as the item alone.
  const values = Array.isArray(value) && value.length > 1 ? value : [value];
  return values.map((one) => ({ name: key, value: writeLabelValue(one) }));
}

function tagLabels(fields: Fields): Label[] {
  const given = fields[TAGS];
  const isOdd = (item: unknown) => typeof item === 'object' && item !== null;
  if (Array.isArray(given) ? given.some(isOdd) : isOdd(given))
    throw refused('tags holds more than words', 'Give tags as a list of words.');
  const tags = readListKey(fields, TAGS).map(normalizeTag);
  return [...new Set(tags)].filter((tag) => tag !== '').map(tagLabel);
}

function tagLabel(tag: string): Label {
  const isName = isFreeName(tag) && tag !== TAG && tag !== TAGS && tag !== CARRIER;
  return isName ? { name: tag, value: '' } : { name: TAG, value: tag };
}

function refused(problem: string, hint: string): AppError {
  return new AppError('unsupported', 'This frontmatter cannot be kept as labels', {
    subject: problem,
    hint: `${hint} Nothing was written.`,
  });
}
