/** Places of notes in the tree. ETAPI makes loops without a word: see place.ts for how a note is moved. */
import { assertId } from './ids.ts';
import { readBranch } from './read.ts';
import type { Transport } from './transport.ts';
import type { Branch, CallOptions } from './types.ts';

export interface NewBranch {
  readonly noteId: string;
  readonly parentNoteId: string;
  readonly notePosition?: number | undefined;
  readonly prefix?: string | undefined;
  readonly isExpanded?: boolean | undefined;
}

export interface BranchPatch {
  readonly notePosition?: number | undefined;
  readonly prefix?: string | undefined;
  readonly isExpanded?: boolean | undefined;
}

export interface BranchesApi {
  /** Of a place that exists, what is not said here is reset. */
  create(branch: NewBranch, options?: CallOptions): Promise<Branch>;
  get(branchId: string, options?: CallOptions): Promise<Branch>;
  patch(branchId: string, patch: BranchPatch, options?: CallOptions): Promise<Branch>;
  /** The last place of a note takes the note along. Says nothing of places that were never there. */
  remove(branchId: string, options?: CallOptions): Promise<void>;
  /** Shows changed positions to those who look at Trilium. */
  refreshOrdering(parentNoteId: string, options?: CallOptions): Promise<void>;
}

export function branchesApi({ json, nothing }: Transport): BranchesApi {
  const at = (branchId: string) => ['branches', assertId(branchId, 'branch')];
  return {
    create: async ({ noteId, parentNoteId, ...place }, options) =>
      json(
        {
          ...options,
          method: 'POST',
          path: ['branches'],
          json: { ...place, noteId: assertId(noteId), parentNoteId: assertId(parentNoteId) },
        },
        readBranch,
      ),
    get: async (branchId, options) => json({ ...options, path: at(branchId) }, readBranch),
    patch: async (branchId, patch, options) =>
      json({ ...options, method: 'PATCH', path: at(branchId), json: patch }, readBranch),
    remove: async (branchId, options) => nothing({ ...options, method: 'DELETE', path: at(branchId) }),
    refreshOrdering: async (parentNoteId, options) =>
      nothing({ ...options, method: 'POST', path: ['refresh-note-ordering', assertId(parentNoteId)] }),
  };
}
