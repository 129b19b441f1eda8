/** Frontmatter given from outside: JSON values only, within bounds, with keys that a line of YAML can hold. */
import { AppError } from '../../shared/errors.ts';
import { extensionOf, type NotePath } from '../path.ts';
import { UNPRINTABLE } from './print.ts';

const MAX_DEPTH = 16;
const MAX_KEYS = 1_000;
const MAX_KEY_CHARACTERS = 256;

export function assertFrontmatterValues(data: unknown): asserts data is Record<string, unknown> {
  if (!isPlainObject(data)) refuse(`it must be an object of keys and values, not ${describe(data)}`);
  checkObject(data, { path: '', parents: [], keys: { count: 0 } });
}

interface Place {
  readonly path: string;
  readonly parents: readonly object[];
  readonly keys: { count: number };
}

function checkObject(object: Record<string, unknown>, place: Place): void {
  const inner = { ...place, parents: [...place.parents, object] };
  if (Object.getOwnPropertySymbols(object).length > 0) refuseAt(place.path, 'holds a symbol as a key');
  for (const [key, value] of Object.entries(object)) {
    checkKey(key, place.path);
    if (++place.keys.count > MAX_KEYS) refuse(`it holds more than ${MAX_KEYS} keys`);
    checkValue(value, { ...inner, path: place.path === '' ? key : `${place.path}.${key}` });
  }
}

function checkKey(key: string, path: string): void {
  const parent = path === '' ? 'it' : path;
  if (key === '') refuse(`${parent} holds an empty key`);
  if (key === '__proto__') refuse(`${parent} holds the key __proto__`);
  if (UNPRINTABLE.test(key)) refuse(`${parent} holds a key with a line break or control character`);
  if (!key.isWellFormed()) refuse(`${parent} holds a key that is not valid Unicode`);
  if (key.length > MAX_KEY_CHARACTERS)
    refuse(`${parent} holds a key longer than ${MAX_KEY_CHARACTERS} characters`);
}

function checkValue(value: unknown, place: Place): void {
  if (value === null || typeof value === 'boolean') return;
  if (typeof value === 'string') {
    if (!value.isWellFormed()) refuseAt(place.path, 'is not valid Unicode text');
    return;
  }
  if (typeof value === 'number') {
    if (!Number.isFinite(value)) refuseAt(place.path, `must be a finite number, not ${value}`);
    return;
  }
  if (!Array.isArray(value) && !isPlainObject(value))
    refuseAt(
      place.path,
      `must be text, a number, true, false, null, a list or an object, not ${describe(value)}`,
    );
  if (place.parents.includes(value)) refuseAt(place.path, 'holds itself');
  if (place.parents.length > MAX_DEPTH) refuseAt(place.path, `is nested more than ${MAX_DEPTH} levels deep`);
  if (Array.isArray(value)) checkList(value, place);
  else checkObject(value, place);
}

function checkList(list: readonly unknown[], place: Place): void {
  const parents = [...place.parents, list];
  // Not `forEach`: it would step over holes.
  for (let index = 0; index < list.length; index++)
    checkValue(list[index], { ...place, parents, path: `${place.path}[${index}]` });
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return `a ${value.constructor?.name ?? 'special'} object`;
  return value === undefined ? 'undefined' : `a ${typeof value}`;
}

function refuseAt(path: string, details: string): never {
  refuse(path === '' ? `it ${details}` : `${path} ${details}`);
}

function refuse(details: string): never {
  const subject = details.length > 300 ? `${details.slice(0, 300)}…` : details;
  throw new AppError('invalid_input', 'Invalid frontmatter', { subject });
}

const DATA = /^\.(?:json|jsonc|jsonl|yaml|yml|toml|csv|tsv|xml|canvas|base|svg|html)$/;

/** Frontmatter belongs to prose. In a data file a leading `---` is data, and adding one would break it. */
export function takesFrontmatter(path: string): boolean {
  return !DATA.test(extensionOf(path));
}

export function assertTakesFrontmatter(path: NotePath): void {
  if (takesFrontmatter(path)) return;
  throw new AppError('unsupported', 'No frontmatter in this kind of file', {
    subject: path,
    hint: `Nothing was changed. ${extensionOf(path)} files hold data; edit them with patch_note or write_note.`,
  });
}
