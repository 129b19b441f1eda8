/** A session reads a note on one replica and writes it on another: what it was shown is known to all of them. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, it, onTestFinished } from 'vitest';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { startReplicas } from '../kit/replicas.ts';
import { fileText, temporaryFolder } from '../kit/temp.ts';

const HELD_BACK = /changed since you read it|not read in this session|deleted or moved since you read it/;

async function started(overwrite: 'guarded' | 'seen', era: 'legacy' | 'auto', tools = 'notebook') {
  const folder = await temporaryFolder({ 'plan.md': 'one\n', 'other.md': 'other\n' });
  const file = join(await temporaryFolder(), 'quire.yaml');
  const config = {
    notebooks: { notes: { folder, overwrite, tools } },
    auth: { mode: 'bearer', tokens: ['token-of-the-test-x1'] },
    console: 'off',
  };
  await writeFile(file, JSON.stringify(config));
  const replicas = await startReplicas(3, { database: await freshDatabase(), args: ['--config', file] });
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode: era } });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', replicas.origin), {
      requestInit: { headers: { Authorization: 'Bearer token-of-the-test-x1' } },
    }),
  );
  onTestFinished(() => client.close());
  const on = async (replica: number, name: string, args: Record<string, unknown>): Promise<string> => {
    replicas.proxy.next = replica;
    const answer = await client.callTool({ name, arguments: args });
    return `${answer.isError ? 'refused: ' : ''}${JSON.stringify(answer.content)}`;
  };
  const read = (replica: number, path = 'plan.md') => on(replica, 'read_note', { path });
  const write = (replica: number, content: string, path = 'plan.md') =>
    on(replica, 'write_note', { path, content });
  return { folder, replicas, on, read, write };
}

describeWith(postgresNeed, 'the guard against replacing unseen text, on three replicas', () => {
  it.each([
    ['older clients', 'legacy'],
    ['clients of 2026-07-28', 'auto'],
  ] as const)('knows what sessions of %s were shown elsewhere', async (_, era) => {
    const { folder, on, read, write } = await started('seen', era);
    expect(await write(0, 'unread\n')).toMatch(/not read in this session/);
    for (let turn = 0; turn < 6; turn++) {
      await read(turn % 3);
      expect(await write((turn + 1) % 3, `turn ${turn}\n`)).not.toMatch(HELD_BACK);
      // Its own change made elsewhere is known, too.
      expect(await write((turn + 2) % 3, `again ${turn}\n`)).not.toMatch(HELD_BACK);
    }
    await read(0);
    await writeFile(join(folder, 'plan.md'), 'by a person\n');
    expect(await write(1, 'mine\n')).toMatch(/changed since you read it/);
    expect(await fileText(folder, 'plan.md')).toBe('by a person\n');
    await read(2);
    expect(await write(0, 'mine\n')).not.toMatch(HELD_BACK);
    expect(await on(1, 'move_note', { oldPath: 'plan.md', newPath: 'moved.md' })).not.toMatch(/refused/);
    expect(await write(2, 'at its new place\n', 'moved.md')).not.toMatch(HELD_BACK);
    expect(await on(0, 'delete_note', { path: 'moved.md', confirmPath: 'moved.md' })).not.toMatch(/refused/);
  });

  it('is warned of a change that was made since the read, wherever it writes', async () => {
    const { folder, replicas, read, write } = await started('guarded', 'legacy');
    await read(0);
    await writeFile(join(folder, 'plan.md'), 'by a person\n');
    replicas.servers[0]?.process.kill('SIGKILL');
    replicas.proxy.targets = replicas.proxy.targets.slice(1);
    for (const replica of [0, 1]) expect(await write(replica, 'mine\n')).toMatch(/changed since you read it/);
    expect(await fileText(folder, 'plan.md')).toBe('by a person\n');
  });

  it('takes markers of pages that another replica gave, for what the session was shown', async () => {
    const { folder, on } = await started('guarded', 'auto', 'pages');
    const markerIn = (answer: string) => Number(/lastModified\\+":(\d+)/.exec(answer)?.[1]);
    const write = (replica: number, marker: number, body: string) =>
      on(replica, 'write_page', { page: 'plan', body, expected_last_modified: marker });
    let marker = markerIn(await on(0, 'read_page', { page: 'plan' }));
    for (let turn = 1; turn <= 6; turn++) {
      const written = await write(turn % 3, marker, `${turn}\n`);
      expect(written).toContain('written');
      marker = markerIn(written);
    }
    expect(await write(1, marker - 1, 'mine\n')).toContain('conflict');
    await writeFile(join(folder, 'plan.md'), 'by a person\n');
    for (const replica of [0, 1, 2]) expect(await write(replica, marker, 'mine\n')).toContain('conflict');
    expect(await fileText(folder, 'plan.md')).toBe('by a person\n');
  });
});
