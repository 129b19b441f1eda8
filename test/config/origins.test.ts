/** Where each setting came from, in messages and for `quire doctor`. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { notebookCommand } from '../../src/config/commands/notebook.ts';
import { serveCommand } from '../../src/config/commands/serve.ts';
import { doctorCommand } from '../../src/config/commands/silverbullet.ts';
import { type ConfigSources, explainConfig, loadConfig } from '../../src/config/load.ts';
import { isAppError } from '../../src/shared/errors.ts';
import { temporaryFolder } from '../kit/temp.ts';

const EMPTY: ConfigSources = { spec: serveCommand, flags: {}, env: {} };

async function fileWith(yaml: string): Promise<string> {
  return join(await temporaryFolder({ 'quire.yaml': yaml }), 'quire.yaml');
}

/** The message and the hint, with the file by its name alone. */
async function refusal(sources: Partial<ConfigSources>): Promise<string> {
  const error = await loadConfig({ ...EMPTY, ...sources }).then(
    () => undefined,
    (problem: unknown) => problem,
  );
  if (!isAppError(error)) throw new Error('It was not refused.');
  const path = sources.file ?? 'no file';
  return [error.message, ...(error.hint === undefined ? [] : [error.hint])].join('\n').replaceAll(path, 'F');
}

test('every value has its origin, and no secret is shown', async () => {
  const file = await fileWith(
    `notebooks:\n  space:\n    silverbullet:\n      url: http://127.0.0.1:3000\n      token: "\${env:MY_TOKEN}"\n    readOnly: true\nserve:\n  port: 8100\nauth:\n  mode: oauth\n  users:\n    me: $2b$12$abcdefghijklmnopqrstuv\n`,
  );
  const { settings } = await explainConfig({
    ...EMPTY,
    file,
    env: { MY_TOKEN: 'hush-hush', QUIRE_PORT: '8200' },
    flags: { 'serve.host': '127.0.0.2' },
  });
  const shown = new Map(settings.map(({ key, value, origin }) => [key, `${value} | ${origin.name}`]));
  const at = (key: string) => shown.get(key)?.replace(file, 'F');
  expect(at('notebooks.space.silverbullet.url')).toBe('http://127.0.0.1:3000 | F line 4');
  expect(at('notebooks.space.silverbullet.token')).toBe('[redacted] | F line 5 (from MY_TOKEN)');
  expect(at('notebooks.space.readOnly')).toBe('true | F line 6');
  expect(at('notebooks.space.noDelete')).toBe('false | default');
  expect(at('serve.port')).toBe('8200 | QUIRE_PORT');
  expect(at('serve.host')).toBe('127.0.0.2 | --host');
  expect(at('serve.sessions')).toBe('2000 | default');
  expect(at('auth.users.me')).toBe('[redacted] | F line 12');
  expect(JSON.stringify(settings)).not.toMatch(/hush|abcdefghij/);
});

test('a folder of the command line, and settings of a file beside it', async () => {
  const file = await fileWith('notebooks:\n  main:\n    folder: a\n    readOnly: true\n');
  const { settings } = await explainConfig({ ...EMPTY, spec: notebookCommand, file, folder: '/notes' });
  const origins = Object.fromEntries(settings.map(({ key, origin }) => [key, origin.name]));
  expect(origins['notebooks.notebook.folder']).toBe('the folder argument');
  expect(origins['notebooks.notebook.readOnly']).toBe(`${file} line 4`);
});

test('keys of an older file are found where they are written', async () => {
  const file = await fileWith('version: 1\nvault: notes\nserve:\n  allowed_origins: [https://a.example]\n');
  const { settings } = await explainConfig({ ...EMPTY, file });
  const origins = Object.fromEntries(settings.map(({ key, origin }) => [key, origin.name]));
  expect(origins['notebooks.vault.folder']).toBe(`${file} line 2`);
  expect(origins['serve.allowedOrigins']).toBe(`${file} line 4`);
});

test('a mistake is named as it was made', async () => {
  expect(await refusal({ env: { QUIRE_PORT: 'many' }, folder: '.' })).toBe(
    'Invalid setting: QUIRE_PORT: must be a port, 0 to 65535\nIt is set in the environment. Correct it there, then run the command again.',
  );
  expect(await refusal({ flags: { 'serve.port': 99_999 }, folder: '.' })).toBe(
    'Invalid setting: --port: must be a port, 0 to 65535',
  );
  expect(await refusal({ flags: { extensions: [] }, folder: '.' })).toBe(
    'Invalid setting: --extensions: must name at least one extension, such as .md',
  );
  expect(await refusal({ spec: doctorCommand, env: { SB_URL: 'http://127.0.0.1:1' } })).toBe(
    'Invalid setting: SB_TOKEN (or --sb-token): is missing',
  );
  expect(await refusal({ folder: '' })).toBe('Invalid setting: the folder argument: must not be empty');
});

test('a mistake in a file is named by line and key', async () => {
  const said = 'Correct the file, then run the command again.';
  const notes = 'notebooks:\n  main:\n    folder: notes\n';
  expect(await refusal({ file: await fileWith(`${notes}    readOnly: maybe\n    review: some\n`) })).toBe(
    `Invalid configuration: F line 4, notebooks.main.readOnly: must be true or false; F line 5, notebooks.main.review: must be off, destructive or all\n${said}`,
  );
  expect(await refusal({ file: await fileWith(`${notes}serve:\n  prot: 1\n`) })).toBe(
    `Invalid configuration: F line 5: unknown key serve.prot, did you mean port?\n${said}`,
  );
  expect(
    await refusal({
      file: await fileWith('notebooks:\n  s:\n    silverbullet: { url: "http://127.0.0.1:1" }\n'),
    }),
  ).toBe(`Invalid configuration: F line 3, notebooks.s.silverbullet.token: is missing\n${said}`);
  const fromVariable = await fileWith(`${notes}auth:\n  tokens: ["\${env:T}"]\n`);
  expect(await refusal({ file: fromVariable, env: { T: 'short' } })).toBe(
    `Invalid configuration: F line 5 (from T), auth.tokens.0: must have at least 16 characters\n${said}`,
  );
  expect(await refusal({ file: await fileWith(`${notes}history: [1]\n`) })).toBe(
    `Invalid configuration: F line 4, history: must be off, git, or settings: days, maxSize, git, required, undoOthers\n${said}`,
  );
});

test('a file that is not there is named with what names it', async () => {
  const file = '/no/such/quire.yaml';
  expect(await refusal({ file })).toBe(
    'Cannot read the configuration file: F\nIt does not exist. Correct --config, or write a configuration with: quire init',
  );
  expect(await refusal({ file, env: { QUIRE_CONFIG: file } })).toContain('Correct QUIRE_CONFIG');
  expect(await refusal({ file: await temporaryFolder() })).toContain('It is a folder.');
});

test('every unknown key has its own line', async () => {
  const file = await fileWith('notebooks:\n  notes:\n    folder: .\n    readonly: true\nreviews: all\n');
  expect(await refusal({ file })).toBe(
    'Invalid configuration: F line 4: unknown key notebooks.notes.readonly, did you mean readOnly?; F line 5: unknown key reviews, did you mean review?\nCorrect the file, then run the command again.',
  );
});

test('a file that is empty, and a key that stands twice, are told apart from other mistakes', async () => {
  expect(await refusal({ file: await fileWith('# nothing\n') })).toBe(
    'The configuration file is empty: F\nDelete it and write a new one with: quire init',
  );
  const file = await fileWith('notebooks: {}\nserve:\n  port: 1\nserve:\n  host: 127.0.0.1\n');
  expect(await refusal({ file })).toMatch(
    /unique.*\nThe key serve stands twice\. Keep one, and move what is below the other to it\.$/s,
  );
  expect(await refusal({ file: await fileWith('notebooks: [') })).toMatch(/Often the indentation is wrong/);
});

test('~ is the home folder, in a file, as an argument, in a flag and for the state; of another user it is refused', async () => {
  const file = await fileWith(
    'notebooks:\n  a: { folder: ~/notes }\n  b: { folder: "~" }\nstate: { dir: ~/state }\n',
  );
  const { notebooks, state } = await loadConfig({ ...EMPTY, file });
  expect([notebooks.a?.folder, notebooks.b?.folder, state?.dir]).toEqual([
    join(homedir(), 'notes'),
    homedir(),
    join(homedir(), 'state'),
  ]);
  const sources: Partial<ConfigSources>[] = [
    { folder: '~/notes' },
    { folder: '~\\notes' },
    { folders: ['~/notes'] },
    { flags: { folder: '~/notes' } },
  ];
  for (const given of sources) {
    const config = await loadConfig({ ...EMPTY, ...given });
    expect(Object.values(config.notebooks).map(({ folder }) => folder)).toEqual([join(homedir(), 'notes')]);
  }
  const config = await loadConfig({ ...EMPTY, folder: './~ann' });
  expect(config.notebooks.notebook?.folder).toBe('./~ann');
  expect(await refusal({ folder: '~ann/notes' })).toBe(
    'The home folder of another user cannot be looked up: ~ann/notes\nWrite the whole path. For a folder that has this name: ./~ann/notes',
  );
});
