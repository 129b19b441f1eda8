/** Two servers on one notebook in PostgreSQL, through real clients: every surface, and each sees the other's changes at once. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { freshNotebook, openServer } from '../kit/postgres-notes.ts';
import { startProgram } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';

async function begin() {
  const place = await freshNotebook();
  const folder = await temporaryFolder();
  const file = join(folder, 'quire.yaml');
  const at = `{ postgres: "\${env:NOTES_URL}", schema: ${place.schema}`;
  await writeFile(
    file,
    `notebooks:
  team: ${at}, toolSets: all }
  vault: ${at}, tools: vault }
  pages: ${at}, tools: pages, extended: true }
`,
  );
  const server = () =>
    startProgram(['--config', file, '--log-level', 'error'], {
      env: {
        NOTES_URL: place.url,
        XDG_STATE_HOME: join(folder, 'state'),
        XDG_CACHE_HOME: join(folder, 'cache'),
      },
    });
  return { place, servers: await Promise.all([server(), server()]) };
}

describeWith(postgresNeed, 'a notebook in PostgreSQL', () => {
  test('is served by every surface, and a change is found at once by the next search of any server', async () => {
    const { place, servers } = await begin();
    const [one, two] = servers;
    const ok = async (server: (typeof servers)[0], tool: string, args: Record<string, unknown> = {}) => {
      const answer = await server!.call(tool, args);
      expect(answer.isError, `${tool}: ${answer.text}`).toBe(false);
      return answer;
    };
    await ok(one, 'team_write_note', {
      path: 'plans/Lighthouse.md',
      content: '# Lighthouse\n\nA beacon. #sea\n',
    });
    for (let n = 0; n < 10; n++) {
      const [writer, reader] = n % 2 === 0 ? [one, two] : [two, one];
      await ok(writer, 'team_write_note', {
        path: `log/${n}.md`,
        content: `See [[Lighthouse]], entry zebra${n}x.\n`,
      });
      expect((await ok(reader, 'team_search_notes', { query: `zebra${n}x` })).text).toContain(`log/${n}.md`);
    }
    expect((await ok(two, 'vault_vault_search', { query: 'beacon' })).text).toContain('Lighthouse');
    expect((await ok(two, 'pages_search_pages', { query: 'beacon' })).text).toContain('Lighthouse');
    expect((await ok(one, 'team_list_directory', { path: '' })).text).toContain('plans');
    await ok(two, 'team_move_note', { oldPath: 'plans/Lighthouse.md', newPath: 'plans/Tower.md' });
    expect((await ok(one, 'team_read_note', { path: 'log/3.md' })).text).toContain('[[Tower]]');
    expect((await ok(one, 'team_search_notes', { query: 'zebra3x' })).text).toContain('Tower');
    await ok(two, 'team_delete_note', { path: 'log/4.md', confirmPath: 'log/4.md' });
    expect((await ok(one, 'team_list_trash')).text).toContain('log/4.md');
    expect((await one!.call('team_read_note', { path: 'log/4.md' })).isError).toBe(true);
    const stale = await two!.call('team_write_note', { path: 'CON.md', content: 'x' });
    expect(stale.text).toContain('device name');
    // Bytes as they were written, whoever asks.
    const store = await openServer(place);
    expect((await store.list()).map(({ path }) => path)).toContain('plans/Tower.md');
  });
});

test.each([
  ['{ "postgres": "https://host" }', 'must be an address that begins with postgres://'],
  ['{ "postgres": "postgres://host/db", "schema": "Not A Name" }', 'must be a name of small letters'],
  ['{ "postgres": "postgres://host/db", "schema": "pg_notes" }', 'not begin with pg_'],
  ['{ "postgres": "postgres://host/db", "schema": "quire" }', 'quire is the schema of what servers share'],
  ['{ "folder": "/notes", "schema": "notes" }', 'is of notebooks in postgres'],
  ['{ "folder": "/notes", "postgres": "postgres://host/db" }', 'choose one'],
])('the settings %s are refused', (notebook, message) => {
  const parsed = configSchema.safeParse({ notebooks: { team: JSON.parse(notebook) } });
  expect(parsed.error?.issues.map((issue) => issue.message).join()).toContain(message);
});
