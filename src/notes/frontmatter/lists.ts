/**
 * Keys that hold several words, such as `tags` and `aliases`. People write them as a list, as one word, or as
 * words with commas between; all three are read alike. Items that are not text (years, for example) stay as
 * they are.
 */
import { AppError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/records.ts';
import { removeFrontmatterKey, setFrontmatter } from './edit.ts';
import { parseFrontmatter } from './parse.ts';

/** The items as text. */
export function readListKey(data: Record<string, unknown>, key: string): string[] {
  return itemsOf(data, key).flatMap((item) => itemText(item) ?? []);
}

interface ListChange {
  readonly add?: readonly string[];
  readonly remove?: (item: string) => boolean;
}

/** Removes first, then adds what is not there. A key left without items goes; no change gives the same text. */
export async function editListKey(text: string, key: string, change: ListChange): Promise<string> {
  const { data, problem } = await parseFrontmatter(text);
  if (problem !== undefined)
    throw new AppError('invalid_input', 'Invalid frontmatter', {
      subject: problem,
      hint: 'The note was not changed. Correct the block between the --- lines first.',
    });
  const current = Object.hasOwn(data, key) ? data[key] : undefined;
  if (isRecord(current))
    throw new AppError('invalid_input', 'Invalid frontmatter', {
      subject: `${key} holds an object, not a list`,
      hint: `Set ${key} to a list first.`,
    });
  const items = itemsOf(data, key);
  const kept = items.filter((item) => {
    const word = itemText(item);
    return word === undefined || !change.remove?.(word);
  });
  const present = new Set(kept.map(itemText));
  const added = [...new Set(change.add ?? [])].filter((item) => !present.has(item));
  if (kept.length === items.length && added.length === 0) return text;
  if (kept.length + added.length === 0) return removeFrontmatterKey(text, key);
  // Words with commas between stay one line for as long as nothing new comes in.
  const staysText = typeof current === 'string' && added.length === 0;
  return setFrontmatter(text, { [key]: staysText ? kept.join(', ') : [...kept, ...added] });
}

function itemsOf(data: Record<string, unknown>, key: string): unknown[] {
  const value = Object.hasOwn(data, key) ? data[key] : undefined;
  if (Array.isArray(value)) return value;
  if (typeof value === 'string') return value.split(',').flatMap((word) => word.trim() || []);
  return value === undefined || value === null || isRecord(value) ? [] : [value];
}

function itemText(item: unknown): string | undefined {
  if (typeof item === 'string') return item === '' ? undefined : item;
  return typeof item === 'number' || typeof item === 'boolean' ? String(item) : undefined;
}
