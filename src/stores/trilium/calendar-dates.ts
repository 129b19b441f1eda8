/** Validates dates of journal notes, because Trilium would create a note for the 30th of February too. */
import { AppError } from '../../shared/errors.ts';
import type { TriliumClient } from './client.ts';
import type { TriliumNote } from './wire/entities.ts';

export type CalendarKind = 'day' | 'week' | 'month' | 'year' | 'inbox';

const DAY = { pattern: /^\d{4}-\d\d-\d\d$/, like: 'YYYY-MM-DD, for example 2026-02-28' };
const FORMATS: Readonly<Record<CalendarKind, { pattern: RegExp; like: string }>> = {
  day: DAY,
  inbox: DAY,
  week: { pattern: /^\d{4}-W\d\d$/, like: 'YYYY-Www with W01 to W53, for example 2026-W07' },
  month: { pattern: /^\d{4}-\d\d$/, like: 'YYYY-MM, for example 2026-02' },
  year: { pattern: /^\d{4}$/, like: 'YYYY, for example 2026' },
};
const DAY_MS = 86_400_000;

/** The given date, or the current period by this machine's clock. */
export function calendarDate(kind: CalendarKind, date?: string, now: Date = new Date()): string {
  if (date === undefined) return currentPeriod(kind, now);
  const { pattern, like } = FORMATS[kind];
  if (!pattern.test(date)) throw invalid(kind, date, `Write it as ${like}.`);
  if (!isReal(kind, date))
    throw invalid(kind, date, `There is no such ${kind === 'inbox' ? 'day' : kind} in the calendar.`);
  return date;
}

function isReal(kind: CalendarKind, date: string): boolean {
  const [year = 0, second = 1, day = 1] = date.split(/-W?/).map(Number);
  if (kind === 'week') return second >= 1 && second <= weeksOf(year);
  const real = new Date(Date.UTC(2000, second - 1, day));
  real.setUTCFullYear(year, second - 1, day);
  return real.getUTCFullYear() === year && real.getUTCMonth() === second - 1 && real.getUTCDate() === day;
}

/**
 * Number of weeks in a year by any of Trilium's settings: ISO 8601, or counted from the week of the first of
 * January.
 */
function weeksOf(year: number): number {
  const counts = [4, 1].flatMap((fixed) =>
    [1, 0].map((firstDay) => weekStart(year + 1, fixed, firstDay) - weekStart(year, fixed, firstDay)),
  );
  return Math.max(...counts) / (7 * DAY_MS);
}

/** Start of the week that contains this day of January. */
function weekStart(year: number, day: number, firstDay: number): number {
  const time = Date.UTC(year, 0, day);
  return time - ((new Date(time).getUTCDay() - firstDay + 7) % 7) * DAY_MS;
}

function currentPeriod(kind: CalendarKind, now: Date): string {
  const today = Date.UTC(now.getFullYear(), now.getMonth(), now.getDate());
  if (kind === 'week') return isoWeek(today);
  return new Date(today).toISOString().slice(0, kind === 'year' ? 4 : kind === 'month' ? 7 : 10);
}

/** ISO 8601: a week belongs to the year of its Thursday. */
function isoWeek(time: number): string {
  const thursday = time + (3 - ((new Date(time).getUTCDay() + 6) % 7)) * DAY_MS;
  const year = new Date(thursday).getUTCFullYear();
  const number = 1 + Math.floor((thursday - weekStart(year, 4, 1)) / (7 * DAY_MS));
  return `${year}-W${String(number).padStart(2, '0')}`;
}

function invalid(kind: CalendarKind, date: string, hint: string): AppError {
  return new AppError('invalid_input', `Not a valid ${kind === 'inbox' ? 'day' : kind}`, {
    subject: date.replace(/\p{C}/gu, '\uFFFD').slice(0, 40),
    hint,
  });
}

const LABELS: Readonly<Record<Exclude<CalendarKind, 'inbox'>, string>> = {
  day: 'dateNote',
  week: 'weekNote',
  month: 'monthNote',
  year: 'yearNote',
};

/**
 * Finds existing journal and inbox notes by their labels, because ETAPI's endpoints by date create a missing
 * note. `date` must be validated: it becomes part of a query.
 */
export async function findSpecialNote(
  client: TriliumClient,
  kind: CalendarKind,
  date: string,
): Promise<TriliumNote | undefined> {
  if (kind !== 'inbox') return findInJournal(client, { name: LABELS[kind], value: date });
  const inbox = await findLabelled(client, { name: 'inbox' });
  return inbox ?? findInJournal(client, { name: LABELS.day, value: date });
}

interface Label {
  readonly name: string;
  /** Undefined matches any value. */
  readonly value?: string;
}

/** Restricted to the main journal, because workspace calendars use the same labels. */
async function findInJournal(client: TriliumClient, label: Label): Promise<TriliumNote | undefined> {
  const journal = await findLabelled(client, { name: 'calendarRoot' });
  return journal && findLabelled(client, label, journal.noteId);
}

async function findLabelled(
  client: TriliumClient,
  { name, value }: Label,
  below?: string,
): Promise<TriliumNote | undefined> {
  const search = value === undefined ? `#${name}` : `#${name} = "${value}"`;
  const request = { search, includeArchivedNotes: true, fastSearch: true, ancestorNoteId: below };
  const { results } = await client.search(request);
  return results.find(({ noteId, attributes }) =>
    attributes.some(
      (attribute) =>
        attribute.noteId === noteId &&
        attribute.type === 'label' &&
        attribute.name === name &&
        (value === undefined || attribute.value === value),
    ),
  );
}
