/** A history of a test's own, and notes whose changes it records. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import type { Change } from '../../src/history/change.ts';
import type { ChangeOrigin } from '../../src/history/change-heads.ts';
import { type History, type HistoryOptions, openHistory } from '../../src/history/history.ts';
import { undoChanges } from '../../src/history/undo.ts';
import type { EditTexts } from '../../src/notes/edit-recorder.ts';
import type { NotePath } from '../../src/notes/path.ts';
import { PathFilter } from '../../src/notes/path-filter.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { recorded } from '../../src/stores/wrap/recorded.ts';
import { temporaryFolder } from '../kit/temp.ts';

export const MB = 1024 * 1024;
export const path = (text: string) => text as NotePath;
export const bytes = (text: string) => Buffer.from(text);

export function historyIn(folder: string, options: Partial<HistoryOptions> = {}): History {
  const history = openHistory({ folder, days: 90, maxBytes: 100 * MB, log: silentLog, ...options });
  onTestFinished(() => history.close());
  return history;
}

export const ORIGIN: ChangeOrigin = {
  notebook: 'notes',
  tool: 'write_note',
  by: { client: 'Claude 1.2', session: 's1' },
};

/** Records a change of one note that is made at once. Resolves to its id. */
export async function record(
  history: History,
  to: string,
  texts: EditTexts,
  origin: Partial<ChangeOrigin> = {},
): Promise<string> {
  const recorder = history.record({ ...ORIGIN, ...origin });
  const kind = texts.before === undefined ? 'create' : texts.after === undefined ? 'delete' : 'write';
  const open = await recorder.begin({ kind, path: to }, texts);
  await open.done();
  return recorder.id!;
}

export function openFolder(folder: string, options: { permanentDelete?: boolean } = {}): Promise<NoteStore> {
  const filter = new PathFilter();
  return openFolderStore(folder, { isVisible: (file) => !filter.isHidden(file), ...options });
}

/** Makes a change through `store`; resolves to it as the history has it. */
export async function changing(
  history: History,
  store: NoteStore,
  edit: (notes: NoteStore) => Promise<unknown>,
  origin: Partial<ChangeOrigin> = {},
): Promise<Change> {
  const recorder = history.record({ ...ORIGIN, ...origin });
  await edit(recorded(store, recorder));
  return (await history.change(recorder.id ?? ''))!;
}

/** Undoes changes as a change of its own. */
export async function undoing(history: History, store: NoteStore, changes: readonly Change[]) {
  const undoes = changes.map(({ id }) => id);
  const recorder = history.record({ ...ORIGIN, tool: 'undo', undoes });
  const result = await undoChanges(changes, recorded(store, recorder), { history });
  return { ...result, id: recorder.id };
}

export function filesOf(folder: string, ending: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .map((name) => join(folder, name));
}

/** Many small changes, of which only the last ones fit into the limit. */
export async function busyDay(writes: number): Promise<void> {
  const maxBytes = 1.5 * MB;
  let now = Date.UTC(2026, 0, 1);
  const limits = { maxBytes, segmentBytes: 160 * 1024, now: () => now };
  const history = historyIn(await temporaryFolder(), limits);
  const text = (n: number) => bytes(`# Note ${n % 50}\n${`line ${n} of ${(n * 7919) % 10_007}\n`.repeat(8)}`);
  let most = 0;
  for (let n = 0; n < writes; n += 250) {
    const write = async (_: unknown, m: number) => {
      now += 86_400_000 / writes;
      await record(history, `${(n + m) % 50}.md`, { before: text(n + m), after: text(n + m + 50) });
    };
    await Promise.all(Array.from({ length: 250 }, write));
    most = Math.max(most, await history.size());
  }
  expect(most).toBeLessThanOrEqual(maxBytes);
  await history.close();
  expect(await history.size()).toBeLessThanOrEqual(maxBytes);
  const left = await history.list({}, writes);
  expect(left.length).toBeGreaterThan(500);
  expect(left.length).toBeLessThan(writes);
  for (const { edits } of left.filter((_, n) => n % 97 === 0 || n > left.length - 50))
    for (const hash of [edits[0]!.before!, edits[0]!.after!]) expect(await history.text(hash)).toBeDefined();
}
