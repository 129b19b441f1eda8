/** A call's arguments for the eyes of who approves: no secrets, nothing hidden, of a bounded size. */
import { isSecretName, redactText } from '../../shared/redact.ts';
import { showHidden } from '../catalog/scan/hidden.ts';
import { maskSecrets } from '../catalog/scan/secrets.ts';

const MAX_TEXT = 500;
const MAX_ENTRIES = 50;
const MAX_DEPTH = 6;
const MAX_PREVIEW = 4_000;
const REDACTED = '[redacted]';

export function previewArguments(args: unknown): string {
  const text = JSON.stringify(preview(args, 0)) ?? '';
  return text.length > MAX_PREVIEW ? `${text.slice(0, MAX_PREVIEW)}…` : text;
}

function preview(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return previewText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ENTRIES).map((item) => preview(item, depth + 1));
    return value.length > MAX_ENTRIES ? [...items, `… ${value.length - MAX_ENTRIES} more`] : items;
  }
  return previewObject(Object.entries(value), depth);
}

function previewObject(entries: readonly (readonly [string, unknown])[], depth: number): unknown {
  const shown = entries
    .slice(0, MAX_ENTRIES)
    .map(([name, value]) => [
      previewText(name),
      isSecretName(name) && value !== null ? REDACTED : preview(value, depth + 1),
    ]);
  const left = entries.length - shown.length;
  return Object.fromEntries(left > 0 ? [...shown, ['…', `${left} more`]] : shown);
}

function previewText(text: string): string {
  const safe = showHidden(redactText(maskSecrets(text.slice(0, 4 * MAX_TEXT))));
  return text.length > MAX_TEXT ? `${safe.slice(0, MAX_TEXT)}… (${text.length} characters)` : safe;
}
