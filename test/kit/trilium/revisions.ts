/** Former states of notes. */
import { type Answer, etapiError, type FakeRequest, json, notFound } from './answer.ts';
import { contentAnswer } from './content.ts';
import type { RevisionRow } from './database.ts';
import { findNote } from './notes.ts';
import type { Trilium } from './trilium.ts';
import { listedRevisionView, revisionView } from './views.ts';

/** Newest first. */
export function listRevisions({ db }: Trilium, { params: [noteId = ''] }: FakeRequest): Answer {
  findNote(db, noteId);
  const mine = [...db.revisions.values()].filter((one) => one.noteId === noteId).reverse();
  return json(mine.map((one) => listedRevisionView(db, one)));
}

function findRevision({ db }: Trilium, revisionId: string): RevisionRow {
  const revision = db.revisions.get(revisionId);
  if (!revision) throw notFound('Revision', revisionId);
  return revision;
}

export function getRevision(trilium: Trilium, { params: [revisionId = ''] }: FakeRequest): Answer {
  return json(revisionView(trilium.db, findRevision(trilium, revisionId)));
}

export function getRevisionContent(trilium: Trilium, { params: [revisionId = ''] }: FakeRequest): Answer {
  const revision = findRevision(trilium, revisionId);
  if (revision.isProtected)
    throw etapiError(
      400,
      'REVISION_IS_PROTECTED',
      `Revision '${revisionId}' is protected and content cannot be read through ETAPI.`,
    );
  return contentAnswer(revision.title, revision, trilium.db.content(revision));
}
