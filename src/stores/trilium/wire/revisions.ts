/** Former states of notes. Making one works everywhere; looking at them needs 0.102. */
import { assertId } from './ids.ts';
import { readRevision, readRevisions } from './read.ts';
import type { Transport } from './transport.ts';
import type { CallOptions, Content, Revision } from './types.ts';

export interface RevisionsApi {
  /** Of the note as it is. The description is kept since 0.103. */
  create(noteId: string, description?: string, options?: CallOptions): Promise<void>;
  /** Newest first. */
  list(noteId: string, options?: CallOptions): Promise<Revision[]>;
  get(revisionId: string, options?: CallOptions): Promise<Revision>;
  content(revisionId: string, options?: CallOptions): Promise<Content>;
}

const since = { version: '0.102', what: 'Reading revisions' };

export function revisionsApi({ json, content, nothing }: Transport): RevisionsApi {
  const at = (revisionId: string, ...rest: string[]) => [
    'revisions',
    assertId(revisionId, 'revision'),
    ...rest,
  ];
  return {
    create: async (noteId, description, options) =>
      nothing({
        ...options,
        method: 'POST',
        path: ['notes', assertId(noteId), 'revision'],
        ...(description !== undefined && { json: { description } }),
      }),
    list: async (noteId, options) =>
      json({ ...options, path: ['notes', assertId(noteId), 'revisions'], since }, readRevisions),
    get: async (revisionId, options) => json({ ...options, path: at(revisionId), since }, readRevision),
    content: async (revisionId, options) => content({ ...options, path: at(revisionId, 'content'), since }),
  };
}
