/** `quire init`: the file it writes, and what it refuses. */
import { execFile } from 'node:child_process';
import { readdir, stat, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Questions } from '../../src/cli/ask.ts';
import { answersOfFlags, askAnswers } from '../../src/cli/init/answers.ts';
import { fileText as textFor } from '../../src/cli/init/file-text.ts';
import { serveCommand } from '../../src/config/commands/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, fileText, putFile, temporaryFolder } from '../kit/temp.ts';

interface Ending {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** In a folder, with a home of its own. */
function initIn(folder: string, args: readonly string[], input = ''): Promise<Ending> {
  return new Promise((resolve) => {
    const env = { ...CLEAN_ENVIRONMENT, HOME: join(folder, 'home') };
    const child = execFile(
      process.execPath,
      [BINARY, 'init', ...args],
      { cwd: folder, env },
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
    child.stdin?.end(input);
  });
}

const load = (folder: string, env = {}, name = 'quire.yaml') =>
  loadConfig({ spec: serveCommand, flags: {}, env, file: join(folder, name) });

describe('with flags', () => {
  test('in an empty folder it makes a first note, and never writes over its own file', async () => {
    const folder = await temporaryFolder();
    expect(await initIn(folder, [])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'quire: There is no terminal to ask at, and no notes are named\n' +
        'Name them: quire init <folder>, --silverbullet <url> or --trilium <url>. Also --read-only, --review, --public-url.\n' +
        'Or take the defaults with: quire init --yes\n',
    });
    expect(await readdir(folder)).toEqual([]);

    const { code, stdout, stderr } = await initIn(folder, ['--yes']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toBe(`Wrote quire.yaml.
  notes     ${folder}/notes (a new folder with a welcome note)
  changes   assistants can read and change notes; every change can be undone
  reached   on this machine only

Next:
  quire connect                     add Quire to the AI clients on this machine
  quire doctor --config quire.yaml  check everything
`);
    expect(await fileText(folder, 'notes/Welcome.md')).toMatch(/^# Welcome\n/);
    const { notebooks } = await load(folder);
    expect(notebooks.notes).toMatchObject({ folder: join(folder, 'notes'), readOnly: false, review: 'off' });

    await putFile(folder, 'quire.yaml', 'mine: true\n');
    expect(await initIn(folder, ['--yes'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        'quire: quire.yaml exists already\n' +
        'Nothing was written. Replace it with --force, which keeps a copy, or write another file with --output.\n',
    });
    expect(await fileText(folder, 'quire.yaml')).toBe('mine: true\n');
    expect((await initIn(folder, ['--yes', '--force'])).stdout).toContain('is kept as');
    expect(await fileText(folder, 'quire.yaml.bak')).toBe('mine: true\n');
    await load(folder);
  });

  test('folders, servers, rights and a login are all in the file, and no token is', async () => {
    const folder = await temporaryFolder({ 'a.md': 'a', 'home/Vault/.obsidian/app.json': '{}' });
    const args = ['.', '--folder', '~/Vault', '--silverbullet', 'https://sb.example.com', '--trilium'];
    const more = ['http://127.0.0.1:37740', '--read-only', '--review', 'all', '--output', 'my.yaml'];
    const login = ['--public-url', 'https://notes.example.com', '--user', 'ann', '--password-stdin'];
    const { code, stdout, stderr } = await initIn(folder, [...args, ...more, ...login], 'a long password\n');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('an Obsidian vault with 0 notes');
    expect(stdout).toContain('set SB_TOKEN to its token');
    expect(stdout).toContain('quire serve --config my.yaml');
    const text = await fileText(folder, 'my.yaml');
    expect(text).toMatch(/token: "\$\{env:SB_TOKEN\}"/);
    expect(text).not.toContain('a long password');
    expect((await stat(join(folder, 'my.yaml'))).mode & 0o077).toBe(0);
    const config = await load(folder, { SB_TOKEN: 's', TRILIUM_TOKEN: 't' }, 'my.yaml');
    const [here, vault, space, trilium] = Object.values(config.notebooks);
    expect(here).toMatchObject({ folder, readOnly: true, review: 'all' });
    expect(vault).toMatchObject({ folder: join(folder, 'home/Vault'), readOnly: true });
    expect(space?.silverbullet).toEqual({ url: 'https://sb.example.com', token: 's' });
    expect(trilium?.trilium).toMatchObject({ url: 'http://127.0.0.1:37740', token: 't' });
    expect(config.serve?.publicUrl).toBe('https://notes.example.com');
    expect(config.auth).toMatchObject({
      mode: 'oauth',
      users: { ann: expect.stringMatching(/^\$2b\$12\$/) },
    });
  });

  test.each([
    [['none'], 'quire: No such folder: FOLDER/none\nGive the path of an existing folder of notes.\n'],
    [['a.md'], 'quire: FOLDER/a.md is a file, not a folder\nGive the folder that the file is in: FOLDER\n'],
    [['--trilium', 'nonsense'], 'quire: --trilium must be an http or https address: nonsense\n'],
    [
      ['.', '--public-url', 'https://n.example.com'],
      'quire: A public server needs a login\nAdd --user with a user name; the password is asked for, or read from stdin with --password-stdin.\n',
    ],
    [
      ['.', '--user', 'me'],
      'quire: --user and --password-stdin are for a public server\nAdd --public-url with the address it will have, or leave them out.\n',
    ],
    [
      ['.', '--public-url', 'https://n.example.com', '--user', 'me', '--password-stdin'],
      'quire: The password is too short\nAnybody who can reach the server can try passwords: use 8 characters or more.\n',
    ],
    [
      ['.', '--output', '.'],
      'quire: . is a folder, not a file\nNothing was written. Name the file in it: --output quire.yaml\n',
    ],
    [
      ['.', '--output', 'no/where.yaml'],
      'quire: Cannot write the configuration file: no/where.yaml\nNothing was written. Check that the folder FOLDER/no exists and that you may write there.\n',
    ],
  ])('%j is refused in words, and nothing is written', async (args, says) => {
    const folder = await temporaryFolder({ 'a.md': 'a' });
    const { code, stdout, stderr } = await initIn(folder, args, 'short\n');
    expect(stderr.replaceAll(folder, 'FOLDER')).toBe(says);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(await readdir(folder)).toEqual(['a.md']);
  });
});

test('a folder that is named twice, also through a link, becomes one notebook', async () => {
  const folder = await temporaryFolder({ 'notes/a.md': 'a' });
  await symlink(join(folder, 'notes'), join(folder, 'link'));
  const questions = answering({});
  const flags = { folders: ['notes', './notes/', 'link'] };
  const { folders } = await answersOfFlags(flags, { workingFolder: folder, home: folder }, questions);
  expect(folders.map(({ path }) => path)).toEqual([join(folder, 'notes')]);
  expect(questions.said).toEqual([
    './notes/ is named twice; it becomes one notebook.',
    'link is named twice; it becomes one notebook.',
  ]);
});

/** Answers by the beginning of the question. */
function answering(answers: Readonly<Record<string, readonly string[]>>): Questions & { said: string[] } {
  const left = new Map(Object.entries(answers).map(([question, lines]) => [question, [...lines]]));
  const said: string[] = [];
  const answer = (question: string): string => {
    const found = [...left].find(([beginning]) => question.trim().startsWith(beginning));
    return found?.[1].shift() ?? '';
  };
  return {
    said,
    canAsk: true,
    ask: async (question, usual = '') => answer(question) || usual,
    askYesNo: async (question, usual = false) => {
      const word = answer(question);
      return word === '' ? usual : word === 'y';
    },
    askYesNoAll: async (question) => answer(question) !== 'n',
    askSecret: async (question) => answer(question),
    tell: async (line) => void said.push(line),
  };
}

describe('as a dialogue', () => {
  test('Enter throughout gives a new folder, changes allowed, on this machine', async () => {
    const folder = await temporaryFolder();
    const answers = await askAnswers(answering({}), { workingFolder: folder, home: folder });
    expect(answers).toEqual({
      folders: [{ path: join(folder, 'notes'), isObsidian: false, notes: 0, isNew: true }],
      readOnly: false,
      review: 'off',
    });
  });

  test('a mistake is answered at once, and the question asked again', async () => {
    const folder = await temporaryFolder({ 'a.md': 'a', 'b/.obsidian/x': '', 'b/c.md': '' });
    const questions = answering({
      'Which folder': ['a.md', 'none', 'b'],
      'There is no such folder': ['n'],
      'Do you also': ['y'],
      'Address of your SilverBullet': ['sb.example.com', 'https://sb.example.com'],
      'May assistants': ['y'],
      'Which changes': ['some', 'destructive'],
      'Will it be reached': ['y'],
      'Address it will': ['https://n.example.com'],
      'User name': ['a:b', 'ann', 'ann'],
      Password: ['a long password', 'a long password'],
      'Repeat the password': ['another one', 'a long password'],
    });
    const answers = await askAnswers(questions, { workingFolder: folder, home: folder });
    expect(answers).toMatchObject({
      folders: [{ path: join(folder, 'b'), isObsidian: true, notes: 1 }],
      silverbullet: 'https://sb.example.com',
      readOnly: false,
      review: 'destructive',
      login: { publicUrl: 'https://n.example.com', user: 'ann' },
    });
    expect(questions.said.map((line) => line.trim().replaceAll(folder, 'FOLDER'))).toEqual([
      'A few questions. The answer in brackets is taken if you press Enter.',
      'FOLDER/a.md is a file, not a folder',
      'an Obsidian vault with 1 note',
      'This must be an http or https address.',
      'Please answer off, destructive or all.',
      'A user name cannot be used. Up to 64 characters, without colon, comma, dollar or space at its ends.',
      'The two passwords are not the same. Nothing was written. Run the command again.',
    ]);
  });
});

test('names that YAML would read as something else are quoted, and every commented setting is valid', async () => {
  const names = ['true', 'a: b # c', '~', 'ü "x"', '- y'];
  const folder = await temporaryFolder(Object.fromEntries(names.map((name) => [`${name}/a.md`, ''])));
  const folders = names.map((name) => ({ path: join(folder, name), isObsidian: false, notes: 1 }));
  const text = textFor({ folders, readOnly: false, review: 'off' }, folder);
  await putFile(folder, 'quire.yaml', text);
  const { notebooks } = await load(folder);
  expect(Object.values(notebooks).map((one) => one.folder)).toEqual(folders.map(({ path }) => path));

  const everything = text.replace(/^( *)# ( *\w+:(?: |$))/gm, '$1$2');
  expect(everything).not.toMatch(/^ *# +\w+:/m);
  await putFile(folder, 'quire.yaml', everything);
  expect(await load(folder)).toMatchObject({
    history: { days: 90, maxSize: 500e6 },
    brain: { enabled: true },
    serve: { port: 8090, publicUrl: 'https://notes.example.com' },
    auth: { mode: 'oauth', users: { me: '...' } },
  });
});
