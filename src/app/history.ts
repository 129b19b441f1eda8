/** The history of a notebook beside its notes, for the command line and for the history tools. */
import type { NotebookConfig } from '../config/schema.ts';
import type { History } from '../history/history.ts';
import type { Proposals } from '../history/proposals.ts';
import { planUndo, type UndoChanges, undoChanges } from '../history/undo.ts';
import type { NoteStore } from '../notes/store.ts';
import { AppError } from '../shared/errors.ts';
import { openHistoryOf, proposalsOf, trackChanges } from './change-tracking.ts';
import type { TrackedNotes } from './notebooks.ts';
import { openStore } from './open-notes.ts';
import type { ReviewDesk } from './review.ts';
import type { HistoryPlace, Services } from './services.ts';

/** The name under which undoing is recorded, whoever undoes. */
const UNDO = 'undo';

interface UndoNotes extends TrackedNotes {
  readonly history: History;
}

const refuse = async (): Promise<never> => {
  throw new AppError('unsupported', 'This change cannot be undone here');
};

/** For tools that change a Trilium without a store: all their changes are restored in another way. */
const NO_STORE: NoteStore = {
  name: 'no store',
  list: refuse,
  read: refuse,
  write: refuse,
  remove: refuse,
  close: async () => {},
};

/** Undoing over notes that are open. It is recorded as a change like any other, so that it can be undone. */
export function createUndo({ store = NO_STORE, tracking, history }: UndoNotes): UndoChanges {
  return async (changes, caller, { dryRun, copies }) => {
    await tracking.recovered;
    const ids = changes.map(({ id }) => id);
    const origin = { ...caller, tool: UNDO, effect: 'destroy' } as const;
    const { recorder, over, restorers } = tracking.scopeOf(origin, ids);
    const parts = { history, restorers };
    if (dryRun) return planUndo(changes, store, parts, { copies });
    const takeBack = async () => {
      const own = recorder?.id === undefined ? undefined : await history.change(recorder.id);
      if (!own) return;
      const back = tracking.scopeOf(origin, [own.id]);
      await undoChanges([own], back.over(store), { history, restorers: back.restorers });
    };
    try {
      const result = await undoChanges(changes, over(store), parts, { copies });
      if (result.conflicts.length === 0) return { ...result, id: recorder?.id };
      await takeBack();
      return { steps: [], conflicts: result.conflicts };
    } catch (error) {
      await takeBack();
      throw error;
    }
  };
}

/** The history of a notebook that this process does not serve. */
export interface NotebookHistory {
  readonly name: string;
  readonly history: History;
  /** Changes of these notes that wait for a person, and those that were decided. */
  readonly proposals: Proposals;
  /** Opens the notes at its first call. */
  readonly undo: UndoChanges;
  /** Opens the notes at its first call. Throws `read_only` for notes that are not to be changed. */
  desk(): Promise<ReviewDesk>;
  close(): Promise<void>;
}

export function openNotebookHistory(
  name: string,
  config: NotebookConfig,
  { place, ...given }: Pick<Services, 'log' | 'database' | 'databaseUrl'> & { readonly place: HistoryPlace },
): NotebookHistory {
  const services = { ...given, history: place };
  const reading = openHistoryOf(config, place, services);
  const open = async () => {
    const { store } = await openStore(config, services);
    const tracking = trackChanges(name, config, services, store);
    return { store, tracking, history: tracking.history ?? reading };
  };
  let notes: ReturnType<typeof open> | undefined;
  const opened = () => {
    notes ??= open();
    return notes;
  };
  return {
    name,
    history: reading,
    proposals: proposalsOf(config, place, services),
    undo: async (...request) => createUndo(await opened())(...request),
    desk: async () => {
      const { desk, recovered } = (await opened()).tracking;
      if (!desk) throw new AppError('read_only', 'These notes are served read-only', { subject: name });
      await recovered;
      return desk;
    },
    close: async () => {
      await reading.close();
      const left = await notes?.catch(() => undefined);
      await left?.tracking.close();
      await left?.store.close();
    },
  };
}
