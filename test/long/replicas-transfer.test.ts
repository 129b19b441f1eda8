/** `quire import` and `quire export` as people run them, cut off and run again. */
import { execFile, spawn } from 'node:child_process';
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { freshNotebook, openServer } from '../kit/postgres-notes.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

async function begin() {
  const place = await freshNotebook();
  const folder = await temporaryFolder();
  const file = join(folder, 'quire.yaml');
  await writeFile(file, `notebooks:\n  team: { postgres: "\${env:NOTES_URL}", schema: ${place.schema} }\n`);
  const env = { ...CLEAN_ENVIRONMENT, NOTES_URL: place.url };
  const quire = (...args: string[]) =>
    new Promise<{ code: number; out: string; err: string }>((resolve) => {
      execFile(process.execPath, [BINARY, ...args, '--config', file], { env }, (error, out, err) =>
        resolve({ code: error ? Number(error.code) : 0, out, err }),
      );
    });
  const begun = (...args: string[]) =>
    spawn(process.execPath, [BINARY, ...args, '--config', file], { env, stdio: 'ignore' });
  return { place, folder, quire, begun };
}

/** All files below, as hexadecimal text by their names. */
async function contentOf(folder: string, isHidden = /(?:^|\/)\./): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const shown = files.filter((file) => !isHidden.test(file.slice(folder.length + 1)));
  const all = await Promise.all(
    shown.map(
      async (file) => [file.slice(folder.length + 1), (await readFile(file)).toString('hex')] as const,
    ),
  );
  return Object.fromEntries(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

describeWith(postgresNeed, 'a folder and a notebook in PostgreSQL', () => {
  test('are copied byte for byte, in both ways, however often the copy is killed', async () => {
    const { place, folder, quire, begun } = await begin();
    const notes = join(folder, 'notes');
    await mkdir(join(notes, 'deep/er'), { recursive: true });
    for (let n = 0; n < 400; n++)
      await writeFile(join(notes, `deep/${n}.md`), `note ${n}\r\n${'ü'.repeat(n)}`);
    await writeFile(join(notes, 'deep/er/picture.png'), Uint8Array.of(0x89, 0x50, 0, 0xff, 0xfe));
    await writeFile(join(notes, 'large.md'), 'x'.repeat(10_000_000));
    await writeFile(join(notes, 'empty.md'), '');
    const before = await contentOf(notes);
    const store = await openServer(place);
    for (let kill = 1; kill <= 3; kill++) {
      const running = begun('import', notes, '--to', 'team');
      const ended = new Promise((resolve) => running.once('exit', resolve));
      for (let waited = 0; waited < 200 && (await store.list()).length < kill * 80; waited++)
        await sleep(20);
      running.kill('SIGKILL');
      await ended;
    }
    const done = await quire('import', notes, '--to', 'team', '--json');
    expect(done.err).toBe('');
    const report = JSON.parse(done.out);
    expect(report).toMatchObject({ problems: [], hidden: 0 });
    expect(report.copied + report.same).toBe(403);
    expect(report.same).toBeGreaterThan(0);

    const copy = join(folder, 'made/copy');
    const running = begun('export', 'team', '--to', copy);
    const ended = new Promise((resolve) => running.once('exit', resolve));
    for (
      let waited = 0;
      waited < 200 && !(await readdir(join(copy, 'deep')).catch(() => [])).length;
      waited++
    )
      await sleep(20);
    running.kill('SIGKILL');
    await ended;
    expect(await quire('export', 'team', '--to', copy)).toMatchObject({ code: 0, err: '' });
    expect(await contentOf(copy)).toEqual(before);
    expect((await quire('export', 'team', '--to', copy, '--json')).out).toContain('"copied": 0');
  });

  test('names every file that cannot be copied, and copies all others', async () => {
    const { folder, quire, place } = await begin();
    const notes = join(folder, 'notes');
    await mkdir(join(notes, '.obsidian'), { recursive: true });
    await writeFile(join(notes, 'good.md'), 'good');
    await writeFile(join(notes, '.obsidian/app.json'), '{}');
    await writeFile(join(notes, 'con.md'), 'a device of Windows');
    await writeFile(join(notes, 'tab\there.md'), 'a control character');
    await writeFile(join(notes, 'Caf\u00e9.md'), 'composed');
    await writeFile(join(notes, 'Cafe\u0301.md'), 'decomposed');
    await writeFile(join(notes, 'huge.bin'), Buffer.alloc(65 * 1024 * 1024));
    await writeFile(
      Buffer.concat([Buffer.from(`${notes}/`), Buffer.of(0xff, 0xfe), Buffer.from('.md')]),
      'no text',
    );
    await symlink('/etc/hostname', join(notes, 'out.md'));
    const { code, out, err } = await quire('import', notes, '--to', 'team');
    expect(code).not.toBe(0);
    for (const name of ['con.md', 'tab', 'Cafe\u0301.md', 'huge.bin', 'not UTF-8', 'out.md'])
      expect(out, name).toContain(name);
    expect(err).toContain('6 files could not be imported');
    const store = await openServer(place);
    expect((await store.list()).map(({ path }) => path)).toEqual(['Caf\u00e9.md', 'good.md']);
    // A changed file is not replaced unless asked to.
    await store.write('good.md' as never, 'better');
    expect((await quire('import', notes, '--to', 'team')).out).toContain('another text is there already');
    const refused = await quire('import', notes, '--to', 'nobody');
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('No such notebook') });
    expect(await quire('import', join(folder, 'none'), '--to', 'team')).toMatchObject({ code: 2 });
    expect((await quire('import', notes)).err).toContain('--to');
    expect((await quire('export', 'team', '--to', join(notes, 'good.md'))).code).not.toBe(0);
  });
});
