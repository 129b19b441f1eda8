/** Notes that exist before a test begins. */
import type { Database } from './database.ts';

export interface SeedNote {
  readonly id?: string;
  readonly title: string;
  readonly type?: string;
  readonly mime?: string;
  readonly content?: string | Buffer;
  readonly isProtected?: boolean;
  readonly blobId?: string;
  /** When it was made; long ago by default. */
  readonly created?: string;
  readonly labels?: Readonly<Record<string, string>>;
  /** Labels that come down to the notes below. */
  readonly inherited?: Readonly<Record<string, string>>;
  readonly relations?: Readonly<Record<string, string>>;
  readonly children?: readonly SeedNote[];
}

const LONG_AGO = '2020-01-01 00:00:00.000';

export function plantRoot(db: Database, created = LONG_AGO): void {
  const before = { dateCreated: `${created}+0000`, utcDateCreated: `${created}Z` };
  const html = { type: 'text', mime: 'text/html' };
  db.addNote({ noteId: 'root', title: 'root', ...html, ...before }, '');
  db.addBranch('root', 'none', { notePosition: 0 });
  db.addNote({ noteId: '_hidden', title: 'Hidden Notes', type: 'doc', mime: '', ...before }, '');
  db.addBranch('_hidden', 'root', { notePosition: 999_999_999 });
  db.addNote({ noteId: '_options', title: 'Options', type: 'contentWidget', mime: '', ...before }, '');
  db.addBranch('_options', '_hidden');
}

export function plant(db: Database, parentNoteId: string, seeds: readonly SeedNote[]): void {
  for (const seed of seeds) {
    const { id, title, type = 'text', mime = type === 'text' ? 'text/html' : '', created = LONG_AGO } = seed;
    const note = db.addNote(
      {
        title,
        type,
        mime,
        isProtected: seed.isProtected ?? false,
        dateCreated: `${created}+0000`,
        utcDateCreated: `${created}Z`,
        ...(id !== undefined && { noteId: id }),
        ...(seed.blobId !== undefined && { blobId: seed.blobId }),
      },
      seed.content ?? '',
    );
    db.addBranch(note.noteId, parentNoteId);
    for (const [name, value] of Object.entries(seed.labels ?? {})) db.addLabel(note.noteId, name, value);
    for (const [name, value] of Object.entries(seed.inherited ?? {}))
      db.addLabel(note.noteId, name, value, true);
    for (const [name, value] of Object.entries(seed.relations ?? {}))
      db.addAttribute({ noteId: note.noteId, type: 'relation', name, value });
    plant(db, note.noteId, seed.children ?? []);
  }
}
