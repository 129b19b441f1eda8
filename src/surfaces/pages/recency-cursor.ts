/**
 * Where a list by recency goes on: behind the last page shown. Pages that change meanwhile move to the front, and
 * then the time, which is blurred as in the list itself, says where to go on; some may be shown twice, none is
 * left out.
 */
import type { NoteMeta } from '../../notes/store.ts';
import { AppError } from '../../shared/errors.ts';
import { decodeCursor, encodeCursor } from '../shared/cursor.ts';
import { blurredTime } from './blurred-time.ts';

interface Place {
  readonly time: number;
  readonly path: string;
}

type Listed = Pick<NoteMeta, 'path' | 'lastModified'>;

export function encodePlace({ path, lastModified }: Listed): string {
  return encodeCursor(`${blurredTime(lastModified)}:${path}`);
}

export function decodePlace(cursor: string): Place {
  const [, time, path] = /^(-?\d+):([\s\S]+)$/.exec(decodeCursor(cursor)) ?? [];
  if (time === undefined || path === undefined)
    throw new AppError('invalid_input', 'Invalid cursor', { details: { parameter: 'cursor' } });
  return { time: Number(time), path };
}

/** `listed` has the newest first. */
export function indexAfter(listed: readonly Listed[], { time, path }: Place): number {
  const at = listed.findIndex((meta) => meta.path === path && blurredTime(meta.lastModified) === time);
  if (at >= 0) return at + 1;
  const next = listed.findIndex((meta) => blurredTime(meta.lastModified) <= time);
  return next < 0 ? listed.length : next;
}
