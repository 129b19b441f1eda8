/** The Trilium tools over a fake with a history, and undoing as people and assistants do it. */
import { onTestFinished } from 'vitest';
import { trackChanges } from '../../src/app/change-tracking.ts';
import { openTrilium } from '../../src/app/trilium-changes.ts';
import type { Change } from '../../src/history/change.ts';
import type { History } from '../../src/history/history.ts';
import type { EditableNotes } from '../../src/history/overlay.ts';
import { planUndo, type UndoOptions, type UndoResult, undoChanges } from '../../src/history/undo.ts';
import type { ToolCallRecord } from '../../src/mcp/tool.ts';
import type { OverwritePolicy } from '../../src/notes/overwrite-guard.ts';
import { silentLog } from '../../src/shared/log.ts';
import { createTriliumBackend } from '../../src/surfaces/trilium/backend.ts';
import { temporaryFolder } from '../kit/temp.ts';
import type { SeedNote } from '../kit/trilium/seed.ts';
import { type FakeOptions, type FakeTrilium, startTrilium } from '../kit/trilium/server.ts';
import { connectTools, PLAIN, WEB, type WithTools } from '../wire/trilium/support.ts';
import { clientFor } from './kit.ts';

interface Options extends Omit<FakeOptions, 'notes'> {
  readonly subtree?: string;
  readonly overwrite?: OverwritePolicy;
  readonly folder?: string;
  readonly isOff?: boolean;
  readonly onCalled?: (called: ToolCallRecord) => void;
}

export interface WithHistory extends WithTools {
  readonly fake: FakeTrilium;
  readonly history: History;
  readonly folder: string;
  /** Another client of the same Trilium, through the same Quire. */
  connect(session?: string): Promise<WithTools>;
  /** The newest first. */
  changes(): Promise<Change[]>;
  undo(changes?: readonly Change[], options?: UndoOptions): Promise<UndoResult>;
  plan(changes?: readonly Change[]): Promise<UndoResult>;
}

const NO_NOTES = {} as EditableNotes;

export async function withHistory(notes: readonly SeedNote[], options: Options = {}): Promise<WithHistory> {
  const {
    subtree,
    overwrite = 'guarded',
    folder = await temporaryFolder(),
    isOff = false,
    onCalled,
    ...rest
  } = options;
  const fake = await startTrilium({ afterContentMs: 1, ...rest, notes });
  const client = clientFor(fake.url);
  const place = { folder, days: 90, maxBytes: 500_000_000, required: true };
  const config = {
    tools: 'trilium',
    readOnly: false,
    overwrite,
    review: 'off',
    trilium: { url: fake.url, token: 't', subtree },
  } as const;
  const services = { log: silentLog, ...(!isOff && { history: place }) };
  const tracking = trackChanges(
    'wiki',
    config,
    services,
    openTrilium(async () => client, subtree),
  );
  onTestFinished(() => tracking.close());
  const backend = createTriliumBackend(client, {
    conversion: PLAIN,
    webBase: WEB,
    subtree,
    scopeOf: tracking.scopeOf,
  });
  const connect = (session?: string) => connectTools(backend, { session, onCalled });
  const changes = () => tracking.history!.list({}, 1_000);
  const parts = () => ({
    history: tracking.history!,
    restorers: tracking.scopeOf({ tool: 'undo_changes', effect: 'write', session: 'undoing' }).restorers,
  });
  return {
    ...(await connect('first')),
    fake,
    history: tracking.history!,
    folder,
    connect,
    changes,
    undo: async (chosen, undoing) =>
      undoChanges(chosen ?? (await changes()).slice(0, 1), NO_NOTES, parts(), undoing),
    plan: async (chosen) => planUndo(chosen ?? (await changes()).slice(0, 1), NO_NOTES, parts()),
  };
}

const LINKS = ['internalLink', 'imageLink'];

/**
 * Everything that the history promises to bring back. Ids of attachments are Trilium's own, and so is the order of notes
 * that it sorts by itself.
 */
export function treeOf({ db }: FakeTrilium): unknown {
  const attachments = [...db.attachments.values()].filter(({ deleteId }) => deleteId === undefined);
  const names = new Map(attachments.map((one) => [one.attachmentId, `<${one.ownerId} ${one.title}>`]));
  const named = (text: string) => [...names].reduce((all, [id, name]) => all.replaceAll(id, name), text);
  const notes = [...db.notes.values()].filter(({ deleteId }) => deleteId === undefined);
  return notes
    .map((note) => ({
      noteId: note.noteId,
      title: note.title,
      type: note.type,
      mime: note.mime,
      created: note.utcDateCreated,
      text: named(db.content(note).toString('latin1')),
      branches: db
        .parentBranches(note.noteId)
        .map(({ branchId, parentNoteId, prefix, notePosition, isExpanded }) => ({
          branchId,
          prefix,
          notePosition: db.hasLabel(parentNoteId, 'sorted') ? 0 : notePosition,
          isExpanded,
        }))
        .sort((a, b) => (a.branchId < b.branchId ? -1 : 1)),
      attributes: db
        .ownAttributes(note.noteId)
        .filter(({ name }) => !LINKS.includes(name))
        .map(({ utcDateModified: _, deleteId: __, ...facts }) => facts)
        .sort((a, b) => (a.attributeId < b.attributeId ? -1 : 1)),
      attachments: attachments
        .filter(({ ownerId }) => ownerId === note.noteId)
        .map((one) =>
          [one.title, one.role, one.mime, one.position, db.content(one).toString('latin1')].join(' | '),
        )
        .sort(),
    }))
    .sort((a, b) => (a.noteId < b.noteId ? -1 : 1));
}

/** Why a change cannot be undone. */
export function reasonsOf({ conflicts }: UndoResult): string[] {
  return conflicts.map(({ path, reason, texts: { before, after, current } }) =>
    [path, reason, ...[before, after, current].map((text) => text && Buffer.from(text).toString())].join(
      ' | ',
    ),
  );
}
