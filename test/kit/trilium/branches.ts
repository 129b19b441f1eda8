/** Places of notes in the tree. Nothing here looks whether a note ends up below itself: neither does the real one. */
import { type Answer, type FakeRequest, json, jsonBody, notFound, nothing } from './answer.ts';
import type { BranchRow } from './database.ts';
import { deleteBranch } from './deletion.ts';
import { findNote } from './notes.ts';
import { checkProperties, existingNote, flag, integer, textOrNull } from './properties.ts';
import type { Trilium } from './trilium.ts';
import { branchView } from './views.ts';

/** On a place that exists, what is not said is reset. */
export function postBranch({ db }: Trilium, asked: FakeRequest): Answer {
  const body = jsonBody(asked);
  checkProperties(body, {
    noteId: existingNote(db),
    parentNoteId: existingNote(db),
    notePosition: integer,
    prefix: textOrNull,
    isExpanded: flag,
  });
  const { noteId, parentNoteId, ...place } = body as unknown as BranchRow;
  const exists = db.branch(`${parentNoteId}_${noteId}`) !== undefined;
  return json(branchView(db.addBranch(noteId, parentNoteId, place)), exists ? 200 : 201);
}

function findBranch({ db }: Trilium, branchId: string): BranchRow {
  const branch = db.branch(branchId);
  if (!branch) throw notFound('Branch', branchId);
  return branch;
}

export function getBranch(trilium: Trilium, { params: [branchId = ''] }: FakeRequest): Answer {
  return json(branchView(findBranch(trilium, branchId)));
}

export function patchBranch(trilium: Trilium, asked: FakeRequest): Answer {
  const branch = findBranch(trilium, asked.params[0] ?? '');
  const body = jsonBody(asked);
  checkProperties(body, { notePosition: integer, prefix: textOrNull, isExpanded: flag });
  Object.assign(branch, body, { utcDateModified: trilium.db.utc() });
  return json(branchView(branch));
}

export function removeBranch({ db }: Trilium, { params: [branchId = ''] }: FakeRequest): Answer {
  deleteBranch(db, branchId);
  return nothing;
}

export function refreshOrdering({ db }: Trilium, { params: [parentNoteId = ''] }: FakeRequest): Answer {
  findNote(db, parentNoteId);
  return nothing;
}
