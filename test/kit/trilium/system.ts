/** About the whole of it: what runs here, how much it holds, and copies of it. */
import { type Answer, type FakeRequest, json, nothing } from './answer.ts';
import type { Database } from './database.ts';
import type { Trilium } from './trilium.ts';

const BUILD = {
  buildDate: '2025-06-07T09:45:40Z',
  buildRevision: '7cbff47078012e32279c110c49b904bd24dcecb3',
};
const NODE = 'v24.22.0';

/** Its time is that of the start, not of the question: the `Date` header has the clock. */
export function appInfo({ startedMs, version }: Trilium): Answer {
  return json({
    appVersion: version,
    dbVersion: 240,
    syncVersion: 39,
    ...BUILD,
    clipperProtocolVersion: '1.0',
    utcDateTime: new Date(startedMs).toISOString(),
    nodeVersion: NODE,
    dataDirectory: '/data/trilium',
  });
}

/** Any name is taken. */
export function backup({ db }: Trilium, { params: [name = ''] }: FakeRequest): Answer {
  db.backups.push(`backup-${name}.db`);
  return nothing;
}

export function openApi(): Answer {
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: 'openapi: "3.0.3"\ninfo:\n  title: ETAPI\n',
  };
}

export function metrics(trilium: Trilium, { query }: FakeRequest): Answer {
  const figures = figuresOf(trilium);
  if (query.get('format') === 'json') return json(figures);
  return {
    status: 200,
    headers: { 'content-type': 'text/plain; charset=utf-8; version=0.0.4' },
    body: prometheus(figures),
  };
}

function countBy<T>(rows: Iterable<T>, keyOf: (row: T) => string): Record<string, number> {
  const counts = new Map<string, number>();
  for (const row of rows) counts.set(keyOf(row), (counts.get(keyOf(row)) ?? 0) + 1);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]));
}

function isAlive(row: { deleteId?: string | undefined }): boolean {
  return row.deleteId === undefined;
}

function figuresOf({ db, version, tokens }: Trilium) {
  const notes = [...db.notes.values()];
  const active = notes.filter(isAlive);
  const attachments = [...db.attachments.values()];
  const dates = active.map(({ utcDateCreated }) => utcDateCreated).sort();
  return {
    version: { app: version, db: 240, node: NODE, sync: 39, ...BUILD },
    database: {
      totalNotes: notes.length,
      deletedNotes: notes.length - active.length,
      activeNotes: active.length,
      protectedNotes: active.filter(({ isProtected }) => isProtected).length,
      totalAttachments: attachments.length,
      deletedAttachments: attachments.filter((one) => !isAlive(one)).length,
      activeAttachments: attachments.filter(isAlive).length,
      totalRevisions: db.revisions.size,
      totalBranches: [...db.branches.values()].filter(isAlive).length,
      totalAttributes: [...db.attributes.values()].filter(isAlive).length,
      totalBlobs: blobsInUse(db),
      totalEtapiTokens: tokens.size,
      totalRecentNotes: 0,
    },
    noteTypes: countBy(active, ({ type }) => type),
    attachmentTypes: countBy(attachments.filter(isAlive), ({ mime }) => mime),
    statistics: {
      oldestNote: dates[0],
      newestNote: dates.at(-1),
      lastModified: active
        .map(({ utcDateModified }) => utcDateModified)
        .sort()
        .at(-1),
      databaseSizeBytes: 1_589_248,
    },
    timestamp: new Date(db.nowMs).toISOString(),
  };
}

function blobsInUse(db: Database): number {
  const rows = [db.notes, db.attachments, db.revisions].flatMap((table) => [...table.values()]);
  return new Set(rows.map(({ blobId }) => blobId)).size;
}

function prometheus({
  version,
  database,
  noteTypes,
  attachmentTypes,
  statistics,
}: ReturnType<typeof figuresOf>) {
  const blocks: string[] = [];
  const gauge = (name: string, help: string, value: number | undefined, labels = '') =>
    blocks.push(`# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name}${labels} ${value}\n`);
  const seconds = (utc = '') => Math.floor(Date.parse(utc.replace(' ', 'T')) / 1000);
  gauge(
    'trilium_info',
    'Trilium instance information',
    1,
    `{version="${version.app}",db_version="${version.db}",node_version="${version.node}",sync_version="${version.sync}",build_date="${version.buildDate}",build_revision="${version.buildRevision}"}`,
  );
  gauge('trilium_notes_total', 'Total number of notes including deleted', database.totalNotes);
  gauge('trilium_notes_deleted', 'Number of deleted notes', database.deletedNotes);
  gauge('trilium_notes_active', 'Number of active notes', database.activeNotes);
  gauge('trilium_notes_protected', 'Number of protected notes', database.protectedNotes);
  gauge(
    'trilium_attachments_total',
    'Total number of attachments including deleted',
    database.totalAttachments,
  );
  gauge('trilium_attachments_deleted', 'Number of deleted attachments', database.deletedAttachments);
  gauge('trilium_attachments_active', 'Number of active attachments', database.activeAttachments);
  gauge('trilium_revisions_total', 'Total number of note revisions', database.totalRevisions);
  gauge('trilium_branches_total', 'Number of active branches', database.totalBranches);
  gauge('trilium_attributes_total', 'Number of active attributes', database.totalAttributes);
  gauge('trilium_blobs_total', 'Total number of blob records', database.totalBlobs);
  gauge('trilium_etapi_tokens_total', 'Number of active ETAPI tokens', database.totalEtapiTokens);
  gauge('trilium_recent_notes_total', 'Number of recent notes tracked', database.totalRecentNotes);
  for (const [type, count] of Object.entries(noteTypes))
    gauge('trilium_notes_by_type', 'Number of notes by type', count, `{type="${type}"}`);
  for (const [mime, count] of Object.entries(attachmentTypes))
    gauge(
      'trilium_attachments_by_type',
      'Number of attachments by MIME type',
      count,
      `{mime_type="${mime}"}`,
    );
  gauge('trilium_database_size_bytes', 'Database size in bytes', statistics.databaseSizeBytes);
  gauge('trilium_oldest_note_timestamp', 'Timestamp of the oldest note', seconds(statistics.oldestNote));
  gauge('trilium_newest_note_timestamp', 'Timestamp of the newest note', seconds(statistics.newestNote));
  gauge(
    'trilium_last_modified_timestamp',
    'Timestamp of the last modification',
    seconds(statistics.lastModified),
  );
  return blocks.join('\n');
}
