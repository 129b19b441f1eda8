/** System, calendar and search endpoints of ETAPI. */
import { AppError } from '../../../shared/errors.ts';
import { readAppInfo, readNote, readSearch } from './read.ts';
import type { Transport } from './transport.ts';
import { type AppInfo, assertId, type CallOptions, type SearchAnswer, type TriliumNote } from './types.ts';

export interface SystemApi {
  appInfo(options?: CallOptions): Promise<AppInfo>;
  /** Trilium's clock in milliseconds, if the response has it. The `utcDateTime` of app-info is the time of its start. */
  clock(options?: CallOptions): Promise<number | undefined>;
  /** Requested once. */
  version(): Promise<string>;
  /** Writes `backup-<name>.db` into Trilium's own data directory. */
  backup(name: string, options?: CallOptions): Promise<void>;
}

const BACKUP_PATIENCE = 6;

export function systemApi({ json, nothing, version }: Transport): SystemApi {
  return {
    appInfo: (options) => json({ ...options, path: ['app-info'] }, readAppInfo),
    clock: (options) =>
      json({ ...options, path: ['app-info'] }, (_, answer) => {
        const time = Date.parse(answer.header('date') ?? '');
        return Number.isNaN(time) ? undefined : time;
      }),
    version,
    backup: async (name, options) =>
      nothing({ patience: BACKUP_PATIENCE, ...options, method: 'PUT', path: ['backup', checkedName(name)] }),
  };
}

/** Trilium accepts any name, and makes it part of a file name. */
function checkedName(name: string): string {
  if (!/^[A-Za-z0-9_-]{1,100}$/.test(name))
    throw new AppError('invalid_input', 'Invalid backup name', {
      hint: 'Use letters, digits, _ and - only.',
    });
  return name;
}

/** Journal notes. A request creates a missing note, so it is never retried. Dates are validated in calendar-dates.ts. */

type DayRequest = (date: string, options?: CallOptions) => Promise<TriliumNote>;

export interface CalendarApi {
  readonly inbox: DayRequest;
  readonly day: DayRequest;
  readonly weekFirstDay: DayRequest;
  readonly week: DayRequest;
  readonly month: DayRequest;
  readonly year: DayRequest;
}

export function calendarApi({ json }: Transport): CalendarApi {
  const asking =
    (path: readonly string[], since?: { version: string; what: string }): DayRequest =>
    (date, options) =>
      json({ ...options, path: [...path, date], isRead: false, since: since || undefined }, readNote);
  return {
    inbox: asking(['inbox']),
    day: asking(['calendar', 'days']),
    weekFirstDay: asking(['calendar', 'week-first-day'], {
      version: '0.93',
      what: 'The first day of a week',
    }),
    week: asking(['calendar', 'weeks']),
    month: asking(['calendar', 'months']),
    year: asking(['calendar', 'years']),
  };
}

/** A plain search. How Trilium treats limits, orders and errors is in search/find.ts. */
export interface SearchRequest {
  readonly search: string;
  /** Searches titles and attributes only. */
  readonly fastSearch?: boolean | undefined;
  readonly includeArchivedNotes?: boolean | undefined;
  readonly ancestorNoteId?: string | undefined;
  /** `eq1`, `lt3`, `gt2`. */
  readonly ancestorDepth?: string | undefined;
  /** Makes Trilium respect an order inside the query. Other values do not work as documented. */
  readonly orderBy?: 'relevancy' | undefined;
  readonly debug?: boolean | undefined;
}

export type SearchApi = (request: SearchRequest, options?: CallOptions) => Promise<SearchAnswer>;

/** Timeout factor, because full-text search over many notes is slow. */
const SEARCH_PATIENCE = 3;

export function searchApi({ json }: Transport): SearchApi {
  return async ({ ancestorNoteId, ...query }, options) =>
    json(
      {
        patience: SEARCH_PATIENCE,
        ...options,
        path: ['notes'],
        query: {
          ...query,
          ancestorNoteId: ancestorNoteId === undefined ? undefined : assertId(ancestorNoteId),
        },
      },
      readSearch,
    );
}
