/** `quire doctor` on a configuration whose state is in a database. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { openState } from '../kit/postgres-state.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

async function begin() {
  const [url, folder] = [await freshDatabase(), await temporaryFolder({ 'notes/a.md': 'a' })];
  const file = join(folder, 'quire.yaml');
  await writeFile(
    file,
    `notebooks: { own: { folder: ./notes } }\nstate: { postgres: "\${env:STATE_URL}" }\n`,
  );
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  onTestFinished(() => client.end());
  /** What it says of the database. */
  const examined = async (address: string): Promise<string> => {
    const env = { ...CLEAN_ENVIRONMENT, STATE_URL: address, XDG_STATE_HOME: folder, XDG_CACHE_HOME: folder };
    const out = await new Promise<string>((resolve) => {
      execFile(process.execPath, [BINARY, 'doctor', '--json', '--config', file], { env }, (_, text) =>
        resolve(text),
      );
    });
    const { Start: results } = JSON.parse(out) as { Start: { check: string; level: string; what: string }[] };
    const { level, what } = results.find(({ check }) => check === 'database')!;
    return `${level}: ${what}`;
  };
  return { url, client, examined };
}

describeWith(postgresNeed, 'a state in a database', () => {
  test('is looked at without a change of it', async () => {
    const { url, client, examined } = await begin();
    expect(await examined(url)).toBe('ok: The database of the state can be used.');
    const { rows } = await client.query("select from pg_namespace where nspname = 'quire'");
    expect(rows).toEqual([]);
    await openState(url);
    expect(await examined(url)).toBe('ok: The database of the state can be used.');
  });

  test('that a start could not use is said to be so', async () => {
    const { url, client, examined } = await begin();
    expect(await examined(url.replace(/test_\d+/, 'absent'))).toContain('error: There is no such database');
    const role = `guest_${process.pid}_${Date.now()}`;
    await client.query(`create role ${role} login`);
    expect(await examined(url.replace('quire@', `${role}@`))).toContain('error: The database user may not');
    await openState(url);
    await client.query("insert into quire.migration (version, name) values (999, 'later')");
    expect(await examined(url)).toContain('error: The database was used by a newer Quire');
  });
});
