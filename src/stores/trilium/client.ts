/** The wire client of one Trilium server: ETAPI endpoints as methods, grouped by topic. */
import { AppError } from '../../shared/errors.ts';
import { assertId, readAppInfo, readNote, readSearch, type TriliumNote } from './wire/entities.ts';
import { attachmentsApi, attributesApi, branchesApi, notesApi, revisionsApi } from './wire/notes.ts';
import { type CallLimits, createTransport, type Transport, type TransportOptions } from './wire/transport.ts';

export type ClientOptions = TransportOptions;

export interface TriliumClient {
  /** For messages; without credentials. */
  readonly host: string;
  readonly notes: ReturnType<typeof notesApi>;
  readonly branches: ReturnType<typeof branchesApi>;
  readonly attributes: ReturnType<typeof attributesApi>;
  readonly attachments: ReturnType<typeof attachmentsApi>;
  readonly revisions: ReturnType<typeof revisionsApi>;
  readonly search: ReturnType<typeof searchApi>;
  readonly calendar: ReturnType<typeof calendarApi>;
  readonly system: ReturnType<typeof systemApi>;
  /** A client of the same Trilium whose requests end with the signal or after the time. */
  limited(limits: CallLimits): TriliumClient;
  close(): void;
}

export function createTriliumClient(options: ClientOptions): TriliumClient {
  return clientOver(createTransport(options));
}

function clientOver(transport: Transport): TriliumClient {
  return {
    host: transport.host,
    notes: notesApi(transport),
    branches: branchesApi(transport),
    attributes: attributesApi(transport),
    attachments: attachmentsApi(transport),
    revisions: revisionsApi(transport),
    search: searchApi(transport),
    calendar: calendarApi(transport),
    system: systemApi(transport),
    limited: (limits) => clientOver(transport.limited(limits)),
    close: transport.close,
  };
}

const BACKUP_PATIENCE = 6;

function systemApi({ json, nothing, version }: Transport) {
  return {
    appInfo: () => json({ path: ['app-info'] }, readAppInfo),
    /** Trilium's clock in milliseconds, if the response has it. The `utcDateTime` of app-info is the time of its start. */
    clock: () =>
      json({ path: ['app-info'] }, (_, answer) => {
        const time = Date.parse(answer.header('date') ?? '');
        return Number.isNaN(time) ? undefined : time;
      }),
    version,
    /** Writes `backup-<name>.db` into Trilium's own data directory. Trilium itself accepts any name. */
    backup: async (name: string) => {
      if (!/^[A-Za-z0-9_-]{1,100}$/.test(name))
        throw new AppError('invalid_input', 'Invalid backup name', {
          hint: 'Use letters, digits, _ and - only.',
        });
      return nothing({ method: 'PUT', path: ['backup', name], patience: BACKUP_PATIENCE });
    },
  };
}

/** Journal notes. A request creates a missing note, so it is never retried. Dates are validated in calendar-dates.ts. */
function calendarApi({ json }: Transport) {
  const asking =
    (path: readonly string[], since?: { version: string; what: string }) =>
    (date: string): Promise<TriliumNote> =>
      json({ path: [...path, date], isRead: false, since }, readNote);
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
  readonly fastSearch?: boolean;
  readonly includeArchivedNotes?: boolean;
  readonly ancestorNoteId?: string;
  /** `eq1`, `lt3`, `gt2`. */
  readonly ancestorDepth?: string;
  /** Makes Trilium respect an order inside the query. Other values do not work as documented. */
  readonly orderBy?: 'relevancy';
  readonly debug?: boolean;
}

/** Timeout factor, because full-text search over many notes is slow. */
const SEARCH_PATIENCE = 3;

function searchApi({ json }: Transport) {
  return async (request: SearchRequest) => {
    if (request.ancestorNoteId !== undefined) assertId(request.ancestorNoteId);
    return json({ path: ['notes'], query: { ...request }, patience: SEARCH_PATIENCE }, readSearch);
  };
}
