/** The wire to one Trilium: every endpoint of ETAPI as a method, by topic. What is safe to do with them is next door. */
import { type AttachmentsApi, attachmentsApi } from './wire/attachments.ts';
import { type AttributesApi, attributesApi } from './wire/attributes.ts';
import { type BranchesApi, branchesApi } from './wire/branches.ts';
import { type CalendarApi, calendarApi } from './wire/calendar.ts';
import { type NotesApi, notesApi } from './wire/notes.ts';
import { type RevisionsApi, revisionsApi } from './wire/revisions.ts';
import { type SearchApi, searchApi } from './wire/search.ts';
import { type SystemApi, systemApi } from './wire/system.ts';
import { createTransport, type TransportOptions } from './wire/transport.ts';

export type ClientOptions = TransportOptions;

export interface TriliumClient {
  /** For messages; without the token. */
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
