/** SHA-256 in hex over the canonical JSON of RFC 8785: keys sorted by UTF-16 units, no white space. */
import { hash } from 'node:crypto';
import { AppError } from '../shared/errors.ts';

const MAX_DEPTH = 100;

export function canonicalJson(value: unknown): string {
  return write(value, 0);
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw refused('it is nested too deeply');
  if (typeof value === 'string') return writeText(value);
  if (typeof value === 'number' && !Number.isFinite(value))
    throw refused('it holds a number that is not finite');
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map((item) => write(item ?? null, depth + 1)).join(',')}]`;
  if (typeof value === 'object') return writeObject(value, depth);
  throw refused(`it holds a ${typeof value}`);
}

function writeObject(value: object, depth: number): string {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([key, item]) => `${writeText(key)}:${write(item, depth + 1)}`).join(',')}}`;
}

function writeText(text: string): string {
  if (!text.isWellFormed()) throw refused('it holds half a character');
  return JSON.stringify(text);
}

function refused(subject: string): AppError {
  return new AppError('invalid_input', 'This is not JSON', { subject });
}

export function sha256(text: string): string {
  return hash('sha256', text);
}

export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}
