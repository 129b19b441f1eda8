/** Notes as ETAPI has them. */
import { assertId } from './ids.ts';
import { readCreated, readHistory, readNote, readSuccess } from './read.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Content, CreatedNote, HistoryRow, TriliumNote } from './types.ts';

export interface NewNote {
  readonly parentNoteId: string;
  readonly title: string;
  readonly type: string;
  readonly content: string;
  readonly mime?: string | undefined;
  readonly notePosition?: number | undefined;
  readonly prefix?: string | undefined;
  readonly isExpanded?: boolean | undefined;
  /** One that exists is overwritten by Trilium: look first. */
  readonly noteId?: string | undefined;
  readonly dateCreated?: string | undefined;
  readonly utcDateCreated?: string | undefined;
}

export interface NotePatch {
  readonly title?: string | undefined;
  /** Trilium stores whatever stands here. */
  readonly type?: string | undefined;
  readonly mime?: string | undefined;
  readonly dateCreated?: string | undefined;
  readonly utcDateCreated?: string | undefined;
}

export type ExportFormat = 'html' | 'markdown' | 'share';

export interface NotesApi {
  create(note: NewNote, options?: CallOptions): Promise<CreatedNote>;
  get(noteId: string, options?: CallOptions): Promise<TriliumNote>;
  patch(noteId: string, patch: NotePatch, options?: CallOptions): Promise<TriliumNote>;
  /** Says nothing of notes that were never there. */
  remove(noteId: string, options?: CallOptions): Promise<void>;
  content(noteId: string, options?: CallOptions): Promise<Content>;
  /** Replaces it, whatever stands there. */
  putContent(noteId: string, content: string | Uint8Array, options?: CallOptions): Promise<void>;
  /** A ZIP file. */
  exportZip(noteId: string, format: ExportFormat, options?: CallOptions): Promise<Uint8Array>;
  importZip(parentNoteId: string, zip: Uint8Array, options?: CallOptions): Promise<CreatedNote>;
  undelete(noteId: string, options?: CallOptions): Promise<void>;
  /** Newest first, at most 500 rows. */
  history(ancestorNoteId?: string, options?: CallOptions): Promise<HistoryRow[]>;
}

/** Whole subtrees take their time. */
const TRANSFER_PATIENCE = 6;

export function notesApi({ json, content, nothing }: Transport): NotesApi {
  const at = (noteId: string, ...rest: string[]) => ['notes', assertId(noteId), ...rest];
  return {
    create: async ({ parentNoteId, noteId, ...note }, options) =>
      json(
        {
          ...options,
          method: 'POST',
          path: ['create-note'],
          json: {
            ...note,
            parentNoteId: assertId(parentNoteId),
            ...(noteId !== undefined && { noteId: assertId(noteId) }),
          },
        },
        readCreated,
      ),
    get: async (noteId, options) => json({ ...options, path: at(noteId) }, readNote),
    patch: async (noteId, patch, options) =>
      json({ ...options, method: 'PATCH', path: at(noteId), json: patch }, readNote),
    remove: async (noteId, options) => nothing({ ...options, method: 'DELETE', path: at(noteId) }),
    content: async (noteId, options) => content({ ...options, path: at(noteId, 'content') }),
    putContent: async (noteId, body, options) =>
      nothing({ ...options, method: 'PUT', path: at(noteId, 'content'), body }),
    exportZip: async (noteId, format, options) => {
      const path = at(noteId, 'export');
      return (await content({ patience: TRANSFER_PATIENCE, ...options, path, query: { format } })).bytes;
    },
    importZip: async (parentNoteId, body, options) =>
      json(
        { patience: TRANSFER_PATIENCE, ...options, method: 'POST', path: at(parentNoteId, 'import'), body },
        readCreated,
      ),
    undelete: async (noteId, options) =>
      json(
        {
          ...options,
          method: 'POST',
          path: at(noteId, 'undelete'),
          since: { version: '0.102', what: 'Bringing notes back' },
        },
        readSuccess,
      ),
    history: async (ancestorNoteId, options) =>
      json(
        {
          ...options,
          path: ['notes', 'history'],
          query: { ancestorNoteId: ancestorNoteId === undefined ? undefined : assertId(ancestorNoteId) },
          since: { version: '0.102', what: 'The change history' },
        },
        readHistory,
      ),
  };
}
