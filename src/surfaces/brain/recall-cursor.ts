/**
 * Where a search goes on. The order of what is found may change with how much is looked for, so a cursor says what was
 * shown, not how much: nothing comes twice, and nothing is passed over. It outlives the server.
 */
import { createHash } from 'node:crypto';
import { AppError } from '../../shared/errors.ts';

const VERSION = 1;
const HASH_DIGITS = 8;
/** Whoever pages further has the wrong question. */
export const MOST_SHOWN = 200;

export function shownKey(chunkHash: string): string {
  return chunkHash.slice(0, HASH_DIGITS);
}

/** Undefined where there is no further page. */
export function encodeShown(shown: readonly string[], search: unknown): string | undefined {
  if (shown.length >= MOST_SHOWN) return undefined;
  return Buffer.from(`${VERSION} ${digest(search)} ${shown.join('')}`).toString('base64url');
}

export function decodeShown(cursor: string | undefined, search: unknown): string[] {
  if (cursor === undefined) return [];
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  const { 1: version, 2: of, 3: keys = '' } = /^(\d+) ([0-9a-f]{16}) ([0-9a-f]*)$/.exec(text) ?? [];
  if (Number(version) !== VERSION || keys.length % HASH_DIGITS > 0 || keys.length > MOST_SHOWN * HASH_DIGITS)
    throw invalid('it is not one of this tool');
  if (of !== digest(search)) throw invalid('it belongs to another search');
  return keys.match(/.{8}/g) ?? [];
}

function invalid(problem: string): AppError {
  return new AppError('invalid_input', 'Invalid cursor', {
    subject: problem,
    hint: 'Use next_cursor of the last answer with the same arguments, or leave cursor out to begin anew.',
    details: { parameter: 'cursor' },
  });
}

function digest(search: unknown): string {
  return createHash('sha256').update(JSON.stringify(search)).digest('hex').slice(0, 16);
}
