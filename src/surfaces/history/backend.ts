/** What the history tools work on, and how they show a change. */
import * as z from 'zod';
import type { Change, RecordedEdit } from '../../history/change.ts';
import type { History } from '../../history/history.ts';
import type { LandConflict } from '../../history/land.ts';
import type { Proposal, ProposedEdit } from '../../history/proposal.ts';
import type { UndoChanges } from '../../history/undo.ts';
import { defineToolFor } from '../../mcp/tool.ts';
import type { AppError } from '../../shared/errors.ts';
import type { Caller } from '../../shared/principal.ts';
import type { ProposedTexts } from './proposal-view.ts';

export interface HistoryBackend {
  /** Opens the notes at the first call, where they are not open yet. */
  open(): Promise<OpenChanges>;
  /** Undefined where changes cannot be proposed. */
  proposals(): Promise<ProposalBackend | undefined>;
  /** Hidden notes are no part of the notebook, even where another notebook recorded their changes. */
  isVisible(edit: Pick<RecordedEdit, 'path' | 'to' | 'form'>): boolean;
  /** Whether the change came through the caller. */
  isOwn(change: Change, caller: Caller): boolean;
  /** Why the caller may not undo the change. */
  refusalOf(change: Change, caller: Caller): AppError | undefined;
}

/** Proposals of the notebook, for the caller who made them and the person before the same screen. */
export interface ProposalBackend {
  /** Those that came through the caller's login, the newest first. */
  list(caller: Caller): Promise<readonly Proposal[]>;
  texts(proposal: Proposal, edit: ProposedEdit): Promise<ProposedTexts>;
  /** For one decision by the view; undefined where the person has to decide elsewhere. */
  ticketFor(id: string, caller: Caller): string | undefined;
  /** Whether the decision comes from the view. A ticket is used up. */
  take(
    id: string,
    caller: Caller,
    given: { readonly page: string; readonly ticket: string },
  ): Promise<boolean>;
  decide(
    id: string,
    caller: Caller,
    verdict: {
      readonly accept: ReadonlyMap<number, 'whole' | ReadonlySet<number>>;
      readonly reject: readonly number[];
      readonly comment?: string;
    },
  ): Promise<{ readonly proposal: Proposal; readonly conflicts: readonly LandConflict[] }>;
}

export interface OpenChanges {
  readonly history: Pick<History, 'list' | 'preceding' | 'change' | 'text' | 'mark'>;
  readonly undo: UndoChanges;
}

export const defineTool = defineToolFor<HistoryBackend>();

export const since = (meaning: string) => z.string().max(60).optional().describe(meaning);

/** A change of hidden notes alone is not there for the caller. */
export function isShown({ edits }: Change, { isVisible }: HistoryBackend): boolean {
  return edits.some((edit) => isVisible(edit));
}

/** Notes of a change that a list names. */
const MOST_NOTES = 20;

export function changeView(change: Change, caller: Caller, backend: HistoryBackend) {
  const { id, at, group, tool, by, undoes, undoneBy, acceptedBy } = change;
  const edits = change.edits.filter((edit) => backend.isVisible(edit));
  return {
    id,
    at: new Date(at).toISOString(),
    group,
    tool,
    by: by.client ?? by.principal,
    acceptedBy,
    notes: edits.slice(0, MOST_NOTES).map(editView),
    moreNotes: edits.length > MOST_NOTES ? edits.length - MOST_NOTES : undefined,
    undoes,
    undoneBy,
    canUndo: undoneBy === undefined && backend.refusalOf(change, caller) === undefined,
  };
}

export function editView({ path, to, kind, title, part, state }: RecordedEdit) {
  return { path, to, title, part, edit: kind, state: state === 'done' ? undefined : state };
}

export const changeShape = () =>
  z.object({
    id: z.string(),
    at: z.string(),
    group: z.string(),
    tool: z.string(),
    by: z.string().optional(),
    acceptedBy: z.string().optional(),
    notes: z.array(editShape()),
    moreNotes: z.number().optional(),
    undoes: z.array(z.string()).optional(),
    undoneBy: z.string().optional(),
    canUndo: z.boolean(),
  });

const editShape = () =>
  z.object({
    path: z.string(),
    to: z.string().optional(),
    title: z.string().optional(),
    part: z.string().optional(),
    edit: z.string(),
    state: z.string().optional(),
  });
