/** Settings from a file, from the environment and from flags, and which of them wins. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { answerJson, startBinary, type ToolClient } from '../../kit/server.ts';
import { putFile, temporaryFolder } from '../../kit/temp.ts';
import { TOOL_COUNT } from '../../kit/tool-count.ts';
import { initialize, run, startRaw } from './raw-client.ts';
import { expectError, snapshot } from './support.ts';

const SEED = { 'a.md': 'a\n', 'b.txt': 'b\n', 'c.json': '{}\n' };

/** A notebook and, beside it, a configuration file. */
async function notebookWithConfig(yaml: string): Promise<{ notes: string; file: string; folder: string }> {
  const folder = await temporaryFolder({ 'quire.yaml': yaml });
  for (const [path, text] of Object.entries(SEED)) await putFile(folder, `notes/${path}`, text);
  return { notes: join(folder, 'notes'), file: join(folder, 'quire.yaml'), folder };
}

const files = async ({ call }: ToolClient) => (await call('list_directory')).json.files;

const RULES = `notebooks:
  main:
    folder: notes
    frontmatterRules:
      - paths: "projects/**"
        required: [title, status]
        fields:
          status: { enum: [draft, done] }
          due: { type: date }
        order: [[start, due]]
`;

test('rules for frontmatter hold for every way to write it', async () => {
  const { notes, file } = await notebookWithConfig(RULES);
  const { call } = await startBinary(notes, ['--config', file]);
  const write = (frontmatter: Record<string, unknown>, path = 'projects/p.md') =>
    call('write_note', { path, content: 'x\n', frontmatter });
  expectError(await write({}), /^Invalid frontmatter: title is required; status is required$/);
  expectError(
    await write({ title: 'T', status: 'new' }),
    /^Invalid frontmatter: status must be one of draft, done/,
  );
  expectError(
    await write({ title: 'T', status: 'done', due: 'soon' }),
    /^Invalid frontmatter: due must be a date/,
  );
  expectError(
    await write({ title: 'T', status: 'done', start: '2024-02-02', due: '2024-01-01' }),
    /^Invalid frontmatter: start must not be after due/,
  );
  expect(Object.keys(await snapshot(notes)).sort()).toEqual(Object.keys(SEED));
  const good = { title: 'T', status: 'draft', start: '2024-01-01', due: '2024-02-02' };
  expect((await write(good)).json.success).toBe(true);
  expect((await write({}, 'elsewhere.md')).json.success).toBe(true);

  expectError(
    await call('update_frontmatter', { path: 'projects/p.md', frontmatter: { status: 'gone' } }),
    /status must be one of/,
  );
  expectError(
    await call('update_frontmatter', { path: 'projects/p.md', frontmatter: { a: 1 }, merge: false }),
    /title is required/,
  );
  expectError(
    await call('patch_note', {
      path: 'projects/p.md',
      oldString: 'status: draft',
      newString: 'state: draft',
    }),
    /status is required/,
  );
  expect((await call('get_frontmatter', { path: 'projects/p.md' })).json).toEqual(good);
});

test('a configuration file alone names the notebook, relative to itself', async () => {
  const { file } = await notebookWithConfig(
    'notebooks:\n  main:\n    folder: ./notes\n    extensions: [.json]\n',
  );
  const client = startRaw(['--config', file]);
  await initialize(client);
  const { result } = await client.request('tools/call', { name: 'list_directory', arguments: {} });
  expect(answerJson(result).files).toEqual(['c.json']);
});

test('one of several notebooks is chosen by name', async () => {
  const yaml = 'notebooks:\n  one:\n    folder: notes\n  two:\n    folder: notes\n    readOnly: true\n';
  const { file } = await notebookWithConfig(yaml);
  const client = startRaw(['--config', file, '--notebook', 'two']);
  await initialize(client);
  expect((await client.request('tools/list')).result.tools).toHaveLength(
    TOOL_COUNT.notebookReading + TOOL_COUNT.historyReading,
  );
  const wrong = await run(['--config', file, '--notebook', 'three']);
  expect(wrong).toMatchObject({ code: 2, stdout: '' });
  expect(wrong.stderr).toContain('Choose one notebook with --notebook: one, two: there is no "three"');
});

test('the environment names the same settings', async () => {
  const { notes, file } = await notebookWithConfig(
    'notebooks:\n  main:\n    folder: notes\n    extensions: [.json]\n',
  );
  const offered = async (env: Record<string, string>) =>
    (await (await startBinary(notes, [], { env })).client.listTools()).tools.length;
  expect(await offered({ QUIRE_READ_ONLY: '1' })).toBe(TOOL_COUNT.notebookReading);
  expect(await offered({ QUIRE_READ_ONLY: 'false' })).toBe(TOOL_COUNT.notebook);
  expect(await offered({ QUIRE_NO_DELETE: 'yes' })).toBe(TOOL_COUNT.notebook - 1);
  expect(await files(await startBinary(notes, [], { env: { QUIRE_EXTENSIONS: '.txt' } }))).toEqual(['b.txt']);
  expect(await files(await startBinary(notes, [], { env: { QUIRE_IGNORE: 'a.*' } }))).toEqual(['b.txt']);
  expect(await files(await startBinary(notes, [], { env: { QUIRE_CONFIG: file } }))).toEqual(['c.json']);
  const gone = await startBinary(notes, [], { env: { QUIRE_PERMANENT_DELETE: 'on' } });
  await gone.call('delete_note', { path: 'a.md', confirmPath: 'a.md' });
  expect(Object.keys(await snapshot(notes)).sort()).toEqual(['b.txt', 'c.json']);
});

test('flags win over the environment, the environment over the file, the file over defaults', async () => {
  const { notes, file } = await notebookWithConfig(
    'notebooks:\n  main:\n    folder: notes\n    extensions: [.json]\n',
  );
  const env = { QUIRE_EXTENSIONS: '.txt' };
  expect(await files(await startBinary(notes))).toEqual(['a.md', 'b.txt']);
  expect(await files(await startBinary(notes, ['--config', file]))).toEqual(['c.json']);
  expect(await files(await startBinary(notes, ['--config', file], { env }))).toEqual(['b.txt']);
  expect(await files(await startBinary(notes, ['--config', file, '--extensions', '.md'], { env }))).toEqual([
    'a.md',
  ]);
});

test.each([
  [
    'a misspelt key',
    'notebooks:\n  main:\n    folder: notes\n    readonly: true\n',
    /unknown key notebooks\.main\.readonly, did you mean readOnly\?/,
  ],
  [
    'a misspelt key at the top',
    'notebook:\n  main:\n    folder: notes\n',
    /unknown key notebook, did you mean notebooks\?/,
  ],
  [
    'a misspelt key of a rule',
    'notebooks:\n  main:\n    folder: notes\n    frontmatterRules:\n      - requird: [a]\n',
    /unknown key notebooks\.main\.frontmatterRules\.0\.requird, did you mean required\?/,
  ],
  [
    'a wrong type',
    'notebooks:\n  main:\n    folder: notes\n    readOnly: maybe\n',
    /notebooks\.main\.readOnly/,
  ],
  ['a missing folder key', 'notebooks:\n  main: {}\n', /notebooks\.main: needs a folder/],
  [
    'two places at once',
    'notebooks:\n  main: { folder: a, silverbullet: { url: "http://127.0.0.1:1", token: t } }\n',
    /notebooks\.main: has folder and silverbullet: choose one/,
  ],
  [
    'a variable that is not set',
    `notebooks:\n  main: { folder: "\${env:QUIRE_TEST_UNSET}" }\n`,
    /needs the environment variable QUIRE_TEST_UNSET/,
  ],
  [
    'a pattern that is none',
    'notebooks:\n  main:\n    folder: notes\n    frontmatterRules:\n      - fields: { a: { pattern: "(" } }\n',
    /pattern is not a valid regular expression/,
  ],
  ['broken YAML', 'notebooks: [\n', /not valid YAML/],
  ['a list', '- a\n', /not a mapping/],
  ['nothing', '', /file is empty/],
])('%s in the file is refused at the start', async (_, yaml, says) => {
  const { file } = await notebookWithConfig(yaml);
  const { code, stdout, stderr } = await run(['--config', file]);
  expect(stderr).toMatch(says);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).not.toMatch(/\n\s+at /);
});

test('a misspelt key is refused also when a folder is given beside the file', async () => {
  const { notes, file } = await notebookWithConfig(
    'notebooks:\n  main:\n    folder: notes\n    readonly: true\n',
  );
  const { code, stderr } = await run([notes, '--config', file]);
  expect(code).toBe(2);
  expect(stderr).toContain('did you mean readOnly?');
});

test('a word that is neither yes nor no is refused, not taken for no', async () => {
  const { notes } = await notebookWithConfig('');
  const { code, stdout, stderr } = await run([notes], { QUIRE_READ_ONLY: 'ture' });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toMatch(/readOnly|QUIRE_READ_ONLY/);
});
