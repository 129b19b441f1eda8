/** A server killed under load, again and again: what its record must say then. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Change, RecordedEdit } from '../../src/history/change.ts';
import { hashOf } from '../../src/history/text-pack.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { inspectorOf } from '../../src/stores/wrap/recorded.ts';
import { randomFrom } from '../kit/random.ts';
import { startBinary, type ToolClient } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { historyIn, openFolder, undoing } from './kit.ts';

/** A change that the server acknowledged: the note, and what makes its edit unlike every other one. */
interface Acknowledged {
  readonly path: string;
  readonly token?: string;
}

const SEED = {
  'index.md': '[[0/seed]] [[1/seed]] [[2/seed]]\n',
  '0/seed.md': 'seed [[index]]\n',
  '1/seed.md': 'seed [[index]]\n',
  '2/seed.md': 'seed [[index]]\n',
};

type Random = () => number;

export async function killAgainAndAgain(kills: number, seed: number): Promise<void> {
  const random = randomFrom(seed);
  const [folder, state] = [await temporaryFolder(SEED), await temporaryFolder()];
  const store = await openFolder(folder);
  let cutOff = 0;
  for (let kill = 0; kill < kills; kill++) {
    const before = await hashesOf(store);
    const since = Date.now();
    const acknowledged = await loadUntilKilled(folder, state, kill, random);
    const history = historyIn(await historyFolder(state));
    await history.recover(inspectorOf(store));
    const changes = (await history.list({ since }, 5_000)).filter(({ tool }) => tool !== 'undo');
    cutOff += changes.length - acknowledged.length;
    for (const wanted of acknowledged) await expectRecorded(wanted, changes, (hash) => history.text(hash));
    expectAgreement(before, changes, await hashesOf(store));
    const { conflicts } = await undoing(history, store, changes);
    expect(conflicts).toEqual([]);
    expect(await hashesOf(store)).toEqual(before);
    await history.close();
  }
  // Of many blows some fall in the middle of a change.
  if (kills >= 100) expect(cutOff).toBeGreaterThan(0);
}

async function historyFolder(state: string): Promise<string> {
  const base = join(state, 'quire/history');
  const [name] = await readdir(base);
  return join(base, name ?? '');
}

async function loadUntilKilled(
  folder: string,
  state: string,
  kill: number,
  random: Random,
): Promise<Acknowledged[]> {
  const env = { XDG_STATE_HOME: state, QUIRE_STARTUP: 'plain' };
  const { call, pid } = await startBinary(folder, [], { env });
  const acknowledged: Acknowledged[] = [];
  let isKilled = false;
  const workers = [0, 1, 2].map(async (worker) => {
    for (let n = 0; !isKilled; n++)
      await step(call, `${worker}`, `k${kill}w${worker}n${n}`, random)
        .then((done) => !isKilled && acknowledged.push(...done))
        .catch(() => {});
  });
  const begun = Date.now();
  while (acknowledged.length === 0 && Date.now() - begun < 5_000) await sleep(1);
  await sleep(random() * 60);
  // Nothing that is acknowledged from now on was certainly acknowledged before the blow.
  isKilled = true;
  process.kill(pid, 'SIGKILL');
  await Promise.race([Promise.all(workers), sleep(2_000)]);
  return acknowledged;
}

/** One of the calls that change notes, in a folder that no other worker writes to. */
async function step(
  call: ToolClient['call'],
  worker: string,
  token: string,
  random: Random,
): Promise<Acknowledged[]> {
  const own = `${worker}/${token}.md`;
  const changed = async (tool: string, args: Record<string, unknown>, wanted: Acknowledged) => {
    const { isError, text } = await call(tool, args);
    if (isError) throw new Error(text);
    return [wanted];
  };
  const write = (path: string, mode = 'overwrite') =>
    changed('write_note', { path, content: `${token}\n`.repeat(1 + random() * 300), mode }, { path, token });
  const choice = Math.floor(random() * 6);
  if (choice === 0) return write(own);
  if (choice === 1) return write(`${worker}/seed.md`, 'append');
  if (choice === 2) return write(`${worker}/same.md`);
  if (choice === 3) {
    const made = await write(own);
    const removed = { path: own, confirmPath: own };
    return [...made, ...(await changed('delete_note', removed, { path: own }))];
  }
  if (choice === 4) {
    const made = await write(own);
    const newPath = `${worker}/moved/${token}.md`;
    return [...made, ...(await changed('move_note', { oldPath: own, newPath }, { path: newPath }))];
  }
  const [oldString, newString] = ['seed', `seed ${token}`];
  const path = `${worker}/seed.md`;
  return changed('patch_note', { path, oldString, newString, replaceAll: true }, { path, token });
}

async function expectRecorded(
  { path, token }: Acknowledged,
  changes: readonly Change[],
  textOf: (hash: string) => Promise<Buffer | undefined>,
): Promise<void> {
  const edits = changes
    .flatMap((change) => change.edits)
    .filter((edit) => [edit.path, edit.to].includes(path));
  if (token === undefined) {
    expect(edits.some(({ kind, state }) => (kind === 'delete' || kind === 'move') && state === 'done')).toBe(
      true,
    );
    return;
  }
  for (const { after, state } of edits)
    if (after !== undefined && state === 'done' && (await textOf(after))?.includes(token)) return;
  expect.fail(`no change of ${path} with ${token} is recorded`);
}

/** The notes are what the record says that became of them. */
function expectAgreement(
  before: ReadonlyMap<string, string>,
  changes: readonly Change[],
  now: ReadonlyMap<string, string>,
): void {
  const notes = new Map(before);
  const edits = changes.flatMap((change) => change.edits).sort((a, b) => a.at - b.at);
  for (const edit of ordered(edits)) {
    const { kind, path, to = path, before: old, after, state } = edit;
    if (state === 'unknown') {
      for (const place of [path, to]) setOrDelete(notes, place, now.get(place));
      continue;
    }
    expect(state).toBe('done');
    expect(notes.get(path)).toBe(old);
    if (kind === 'move') notes.delete(path);
    setOrDelete(notes, to, after);
  }
  expect(new Map([...notes].sort())).toEqual(new Map([...now].sort()));
}

/** Edits of one note within one millisecond, by what each found. */
function ordered(edits: RecordedEdit[]): RecordedEdit[] {
  for (let at = 0; at + 1 < edits.length; at++) {
    const [a, b] = [edits[at]!, edits[at + 1]!];
    if (a.at === b.at && a.path === b.path && b.after === a.before) edits.splice(at, 2, b, a);
  }
  return edits;
}

function setOrDelete(notes: Map<string, string>, path: string, hash: string | undefined): void {
  if (hash === undefined) notes.delete(path);
  else notes.set(path, hash);
}

async function hashesOf(store: NoteStore): Promise<Map<string, string>> {
  const metas = await store.list();
  const entries = await Promise.all(
    metas.map(async ({ path }) => [path, hashOf((await store.read(path)).bytes)] as const),
  );
  return new Map(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
