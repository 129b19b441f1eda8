/** Replicas that record changes in one PostgreSQL, killed at any moment: nothing acknowledged is lost, and others go on. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { expect, it, onTestFinished } from 'vitest';
import { postgresHistory } from '../../src/history/postgres/engine.ts';
import { hashOf } from '../../src/history/text-pack.ts';
import { silentLog } from '../../src/shared/log.ts';
import { connectHttp } from '../kit/http.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { openState } from '../kit/postgres-state.ts';
import { startReplicas } from '../kit/replicas.ts';
import { connected } from '../kit/server.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';

interface Writer {
  readonly process: ChildProcess;
  readonly lines: string[];
}

async function writers(url: string, names: readonly string[]): Promise<Writer[]> {
  // Beside the sources, where the client library is found.
  const outfile = join(await temporaryFolder(), 'replica.mjs');
  await build({
    entryPoints: [fileURLToPath(new URL('history-replica.ts', import.meta.url))],
    bundle: true,
    platform: 'node',
    format: 'esm',
    loader: { '.sql': 'text' },
    banner: {
      js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);",
    },
    external: ['pg-native'],
    outfile,
  });
  return names.map((name) => {
    const child = spawn(process.execPath, [outfile, url, name], { stdio: ['ignore', 'pipe', 'inherit'] });
    onTestFinished(() => void child.kill('SIGKILL'));
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    return { process: child, lines };
  });
}

const idsOf = ({ lines }: Writer, what: string) =>
  lines.filter((line) => line.startsWith(`${what} `)).map((line) => line.slice(what.length + 1));

describeWith(postgresNeed, 'replicas with a history on PostgreSQL', () => {
  it('lose nothing that they acknowledged when they are killed, and another one takes the lease over', async () => {
    const url = await freshDatabase();
    const database = await openState(url);
    const [one, other] = (await writers(url, ['a', 'b'])) as [Writer, Writer];
    const count = () => Math.min(...[one, other].map((writer) => idsOf(writer, 'done').length));
    await expect.poll(count).toBeGreaterThan(30);
    await expect.poll(() => [one, other].flatMap((writer) => idsOf(writer, 'lease'))).toHaveLength(1);
    const [holder, waiting] = idsOf(one, 'lease').length > 0 ? [one, other] : [other, one];
    const exited = once(holder.process, 'exit');
    holder.process.kill('SIGKILL');
    await exited;
    await expect.poll(() => idsOf(waiting, 'lease')).toHaveLength(1);
    expect(Number(idsOf(waiting, 'lease')[0])).toBeGreaterThan(Number(idsOf(holder, 'lease')[0]));
    waiting.process.kill('SIGKILL');
    let ahead = 0;
    const history = postgresHistory(database).openHistory('notes', {
      days: 90,
      maxBytes: 1e9,
      log: silentLog,
      now: () => Date.now() + ahead,
    });
    onTestFinished(() => history.close());
    const changes = new Map((await history.list({}, Number.POSITIVE_INFINITY)).map((one) => [one.id, one]));
    for (const writer of [one, other])
      for (const id of idsOf(writer, 'begun')) {
        const [edit] = changes.get(id)?.edits ?? [];
        expect(edit).toBeDefined();
        expect(await history.text(edit!.after!)).toBeDefined();
      }
    const ids = [...changes.keys()];
    for (const writer of [one, other]) {
      const own = new Set(idsOf(writer, 'begun'));
      expect(ids.filter((id) => own.has(id)).reverse()).toEqual([...own]);
    }
    expect(new Set([...changes.values()].map(({ group }) => group)).size).toBe(1);
    expect(await history.text(hashOf(Buffer.from('a 0')))).toEqual(Buffer.from('a 0'));
    // What the killed ones had begun is settled by whoever lives.
    ahead = 300_000;
    await history.recover(async () => 'done');
    const open = await database.query('select 1 from quire.history_open');
    expect(open).toEqual([]);
  });

  it('list and undo on one what was made through another', async () => {
    const notes = await temporaryFolder({ 'a.md': 'old\n' });
    const { servers } = await startReplicas(2, {
      database: await freshDatabase(),
      args: [notes, '--tools', 'notebook,history'],
    });
    const [first, second] = await Promise.all(
      servers.map(async ({ address }) => connected(await connectHttp(address))),
    );
    await first!.call('write_note', { path: 'b.md', content: 'new\n' });
    await first!.call('patch_note', { path: 'a.md', oldString: 'old', newString: 'changed' });
    const changesOn = async (client: typeof first) => {
      const { json } = await client!.call('list_changes');
      return (json as { changes: { id: string; group: string }[] }).changes;
    };
    const changes = await changesOn(second);
    expect(changes).toHaveLength(2);
    for (const { id } of changes) expect((await second!.call('undo_changes', { id })).isError).toBe(false);
    expect(await fileText(notes, 'a.md')).toBe('old\n');
    expect(await changesOn(first)).toHaveLength(4);
  });
});
