/** Points in time as people write them: `2h`, `3d`, `yesterday`, `2026-11-17`, `2026-11-17T09:30`. */
import { AppError } from '../shared/errors.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 7 * 86_400_000,
};
const AGO = /^(\d{1,6}) ?([smhdw])$/;
const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/i;

export const SINCE_FORMS = '30m, 2h, 3d, today, yesterday, 2026-11-17 or 2026-11-17T09:30';

/** Milliseconds since 1970. Times without a zone are local ones. */
export function parseSince(text: string, now: number = Date.now()): number {
  const word = text.trim().toLowerCase();
  const at = agoOf(word, now) ?? dayOf(word, now) ?? dateOf(word);
  if (at === undefined)
    throw new AppError('invalid_input', 'Not a time', {
      subject: text.slice(0, 60),
      hint: `Use ${SINCE_FORMS}.`,
    });
  if (at > now)
    throw new AppError('invalid_input', 'This time is still to come', {
      subject: text.slice(0, 60),
      hint: `It is ${new Date(now).toISOString()} now.`,
    });
  return at;
}

function agoOf(text: string, now: number): number | undefined {
  const [, count, unit] = AGO.exec(text) ?? [];
  return unit === undefined ? undefined : now - Number(count) * (UNIT_MS[unit] ?? 0);
}

function dayOf(text: string, now: number): number | undefined {
  const daysBack = ['today', 'yesterday'].indexOf(text);
  if (daysBack < 0) return undefined;
  const day = new Date(now);
  day.setHours(0, 0, 0, 0);
  // The day before may have had 23 or 25 hours.
  day.setDate(day.getDate() - daysBack);
  return day.getTime();
}

function dateOf(text: string): number | undefined {
  const [, year, month, day, hour = '00', minute = '00', second = '00', zone = ''] = DATE.exec(text) ?? [];
  if (year === undefined) return undefined;
  const date = `${year}-${month}-${day}`;
  const midnight = new Date(`${date}T00:00Z`);
  // A date that no calendar has, such as 30 February, would be read as one in the next month.
  if (Number.isNaN(midnight.getTime()) || !midnight.toISOString().startsWith(date)) return undefined;
  const at = new Date(`${date}T${hour}:${minute}:${second}${zone.toUpperCase()}`).getTime();
  return Number.isNaN(at) ? undefined : at;
}
