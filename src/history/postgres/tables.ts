/** What the statements of a history in PostgreSQL have in common. */
import { STATE_SCHEMA } from '../../state/postgres/schema.ts';
import type { TextHash } from '../text-pack.ts';

const table = (name: string) => `${STATE_SCHEMA}.history_${name}`;

export const EDIT = table('edit');
export const OPEN = table('open');
export const TEXT = table('text');
export const UNDOING = table('undoing');
export const AUTHOR = table('author');
export const SPACE = table('space');
export const PROPOSAL = table('proposal');
export const PROPOSAL_TEXT = table('proposal_text');
export const STAMP = table('stamp');
export const HISTORY_ID = table('id');
export const SEEN = `${STATE_SCHEMA}.seen_version`;

/** Parameters of a statement that is put together: `add` returns the name of the next one. */
export class Values {
  readonly all: unknown[] = [];

  add(value: unknown): string {
    this.all.push(value ?? null);
    return `$${this.all.length}`;
  }

  text(value: string | undefined): string {
    return `${this.add(value === undefined ? undefined : storable(value))}::text`;
  }

  hash(value: TextHash | undefined): string {
    return `${this.add(value === undefined ? undefined : Buffer.from(value, 'base64url'))}::bytea`;
  }

  /** Microseconds since 1970: by this clock, or by the one that all replicas share. */
  clock(now: (() => number) | undefined): string {
    return now
      ? `${this.add(Math.round(now() * 1000))}::bigint`
      : '(extract(epoch from clock_timestamp()) * 1000000)::bigint';
  }
}

/** PostgreSQL keeps neither NUL nor half of a surrogate pair. */
export function storable(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD');
}

export function textHashOf(bytes: Buffer | null): TextHash | undefined {
  return bytes?.toString('base64url');
}
