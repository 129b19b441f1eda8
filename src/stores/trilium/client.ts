/** The wire client of one Trilium server: ETAPI endpoints as methods, grouped by topic. */
import { type AttachmentsApi, attachmentsApi, type RevisionsApi, revisionsApi } from './wire/files.ts';
import {
  type AttributesApi,
  attributesApi,
  type BranchesApi,
  branchesApi,
  type NotesApi,
  notesApi,
} from './wire/notes.ts';
import {
  type CalendarApi,
  calendarApi,
  type SearchApi,
  type SystemApi,
  searchApi,
  systemApi,
} from './wire/system.ts';
import { createTransport, type TransportOptions } from './wire/transport.ts';

export type ClientOptions = TransportOptions;

export interface TriliumClient {
  /** For messages; without credentials. */
  readonly host: string;
  readonly notes: NotesApi;
  readonly branches: BranchesApi;
  readonly attributes: AttributesApi;
  readonly attachments: AttachmentsApi;
  readonly revisions: RevisionsApi;
  readonly search: SearchApi;
  readonly calendar: CalendarApi;
  readonly system: SystemApi;
  close(): void;
}

export function createTriliumClient(options: ClientOptions): TriliumClient {
  const transport = createTransport(options);
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
    close: () => transport.close(),
  };
}
