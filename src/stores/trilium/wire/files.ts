/** Attachments and revisions in ETAPI. */
import { readAttachment, readAttachments, readRevision, readRevisions } from './read.ts';
import type { Transport } from './transport.ts';
import { type Attachment, assertId, type CallOptions, type Content, type Revision } from './types.ts';

interface NewAttachment {
  readonly ownerId: string;
  readonly role: string;
  readonly mime: string;
  readonly title: string;
  /** Text only; bytes are uploaded afterwards. */
  readonly content?: string | undefined;
  readonly position?: number | undefined;
}

export interface AttachmentPatch {
  readonly role?: string | undefined;
  readonly mime?: string | undefined;
  readonly title?: string | undefined;
  readonly position?: number | undefined;
}

export interface AttachmentsApi {
  create(attachment: NewAttachment, options?: CallOptions): Promise<Attachment>;
  get(attachmentId: string, options?: CallOptions): Promise<Attachment>;
  patch(attachmentId: string, patch: AttachmentPatch, options?: CallOptions): Promise<Attachment>;
  remove(attachmentId: string, options?: CallOptions): Promise<void>;
  content(attachmentId: string, options?: CallOptions): Promise<Content>;
  putContent(attachmentId: string, content: string | Uint8Array, options?: CallOptions): Promise<void>;
  list(noteId: string, options?: CallOptions): Promise<Attachment[]>;
}

export function attachmentsApi({ json, content, nothing }: Transport): AttachmentsApi {
  const at = (attachmentId: string, ...rest: string[]) => [
    'attachments',
    assertId(attachmentId, 'attachment'),
    ...rest,
  ];
  return {
    create: async (attachment, options) => {
      assertId(attachment.ownerId);
      return json({ ...options, method: 'POST', path: ['attachments'], json: attachment }, readAttachment);
    },
    get: async (attachmentId, options) => json({ ...options, path: at(attachmentId) }, readAttachment),
    patch: async (attachmentId, patch, options) =>
      json({ ...options, method: 'PATCH', path: at(attachmentId), json: patch }, readAttachment),
    remove: async (attachmentId, options) =>
      nothing({ ...options, method: 'DELETE', path: at(attachmentId) }),
    content: async (attachmentId, options) => content({ ...options, path: at(attachmentId, 'content') }),
    putContent: async (attachmentId, body, options) =>
      nothing({ ...options, method: 'PUT', path: at(attachmentId, 'content'), body }),
    list: async (noteId, options) =>
      json(
        {
          ...options,
          path: ['notes', assertId(noteId), 'attachments'],
          since: { version: '0.102', what: 'The list of attachments' },
        },
        readAttachments,
      ),
  };
}

/** Revisions. Creating one works in every version; reading them needs 0.102. */
export interface RevisionsApi {
  /** Takes a revision of the current note. Trilium keeps the description since 0.103. */
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
        json: description !== undefined ? { description } : undefined,
      }),
    list: async (noteId, options) =>
      json({ ...options, path: ['notes', assertId(noteId), 'revisions'], since }, readRevisions),
    get: async (revisionId, options) => json({ ...options, path: at(revisionId), since }, readRevision),
    content: async (revisionId, options) => content({ ...options, path: at(revisionId, 'content'), since }),
  };
}
