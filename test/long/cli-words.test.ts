/** What a person who mistypes something is told: the exit code and every word. */
import { spawnSync } from 'node:child_process';
import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commandOf, inNameOf, prefixOf } from '../../src/cli/exit-code.ts';
import { systemFailure } from '../../src/cli/system-failure.ts';
import { unknownVariables } from '../../src/config/variables.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

function quire(cwd: string, args: readonly string[], env: Readonly<Record<string, string>> = {}, input = '') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...args], {
    cwd,
    input,
    encoding: 'utf8',
    env: { ...CLEAN_ENVIRONMENT, HOME: cwd, ...env },
  });
  return { code: status, stdout, stderr: stderr.replaceAll(cwd, 'CWD') };
}

interface Mistake {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly code?: number;
  readonly says: string;
}

const MISTAKES: Readonly<Record<string, Mistake>> = {
  'a mistyped command before a folder': {
    args: ['serv', 'n1'],
    says: 'quire: Unknown command: serv\nDid you mean quire serve? There is no folder of this name either.\n',
  },
  'a mistyped command alone': {
    args: ['docter'],
    says: 'quire: Unknown command: docter\nDid you mean quire doctor? There is no folder of this name either.\n',
  },
  'a mistyped command below another': {
    args: ['review', 'acept', 'x'],
    says: 'quire: Unknown command: acept\nDid you mean quire review accept? There is no folder of this name either.\n',
  },
  'a mistyped command of quire mcp': {
    args: ['mcp', 'serers'],
    says: "quire: unknown command 'serers'\n(Did you mean servers?)\nRun quire mcp --help for usage.\n",
  },
  'a mistyped flag': {
    args: ['serve', '.', '--prt', '1'],
    says: "quire: unknown option '--prt'\n(Did you mean --port?)\nRun quire --help for usage.\n",
  },
  'a file as the folder': {
    args: ['serve', 'a.md'],
    says: 'quire: a.md is a file, not a folder\nGive the folder that the file is in: .\n',
  },
  'a variable': {
    args: ['serve', '.'],
    env: { QUIRE_PORT: 'many' },
    says: 'quire: Invalid setting: QUIRE_PORT: must be a port, 0 to 65535\nIt is set in the environment. Correct it there, then run the command again.\n',
  },
  'a variable that is missing': {
    args: ['silverbullet', '--transport', 'stdio'],
    env: { SB_URL: 'http://127.0.0.1:1' },
    says: 'quire: Settings are missing: SB_TOKEN\nSet them in the environment or the configuration file, or give --sb-token.\n',
  },
  'no extension at all': {
    args: ['.', '--extensions', ''],
    says: 'quire: Invalid setting: --extensions: must name at least one extension, such as .md\n',
  },
  'a key of the file': {
    args: ['serve', '--config', 'bad.yaml'],
    says: 'quire: Invalid configuration: bad.yaml line 3, notebooks.main.readOnly: must be true or false\nCorrect the file, then run the command again.\n',
  },
  'no configuration for quire mcp': {
    args: ['mcp', 'servers'],
    code: 3,
    says: 'quire: config: No configuration file found\nWrite quire.yaml in this folder with quire init, or name a file with --config.\n',
  },
  'no notes for quire serve': {
    args: ['serve'],
    says: 'quire: No folder given\nUsage: quire serve <folder>, for example: quire serve ~/notes\nOr write a configuration once, with: quire init\n',
  },
  'no notes for quire undo': {
    args: ['undo', '--last'],
    says: 'quire: No folder given\nUsage: quire undo <id...>, or quire undo --last, with --folder <folder> or --config quire.yaml\nOr write a configuration once, with: quire init\n',
  },
  'a short password': {
    args: ['hash-password'],
    input: 'seven77\n',
    says: 'quire: The password is too short\nAnybody who can reach the server can try passwords: use 8 characters or more.\n',
  },
  'a password that bcrypt would cut': {
    args: ['hash-password'],
    input: `${'x'.repeat(73)}\n`,
    says: 'quire: The password is too long\nbcrypt takes 72 bytes at most; what comes after would not count.\n',
  },
  'a bearer server without a token, whose words are not taken for one': {
    args: ['serve', '.', '--auth', 'bearer', '--port', '0'],
    says: 'quire: --auth bearer needs at least one token\nGive --auth-tokens, QUIRE_AUTH_TOKENS, or auth.tokens in the file.\n',
  },
};

describe('a mistake', () => {
  test.each(Object.entries(MISTAKES))('%s', async (_, { args, env, input, code = 2, says }) => {
    const folder = await temporaryFolder({
      'a.md': 'a',
      'bad.yaml': 'notebooks:\n  main:\n    { folder: ., readOnly: maybe }\n',
    });
    const ended = quire(folder, args, env, input);
    expect(ended).toEqual({ code, stdout: '', stderr: says });
  });

  test('a folder with almost the name of a command is a folder', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'serv'));
    expect(quire(folder, ['serv'])).toEqual({ code: 0, stdout: '', stderr: '' });
  });
});

test('an unknown QUIRE_ variable is named with the nearest one, unless the file refers to it', async () => {
  const folder = await temporaryFolder({ 'a.md': '' });
  expect(quire(folder, ['.'], { QUIRE_REDONLY: '1', QUIRE_PORT: '1' })).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'quire: warning: the environment variable QUIRE_REDONLY is not known and has no effect; did you mean QUIRE_READ_ONLY?\n',
  });
  expect(unknownVariables({ QUIRE_MINE: 'x', OTHER: 'y' })).toEqual([
    'the environment variable QUIRE_MINE is not known and has no effect',
  ]);
  expect(unknownVariables({ QUIRE_MINE: 'x' }, `token: "\${env:QUIRE_MINE}"`)).toEqual([]);
});

test('what the operating system refuses is a sentence; a mistake of ours keeps its stack', async () => {
  const folder = await temporaryFolder({ 'a.md': '' });
  const missing = await readdir(join(folder, 'none')).catch((error: unknown) => error);
  expect(systemFailure(missing)).toMatchObject({
    message: `There is no such file or folder: ${join(folder, 'none')}`,
    hint: 'Check the path, then run the command again.',
  });
  const refusedWith = (parts: object) =>
    systemFailure(Object.assign(new Error('x'), { syscall: 'scandir', ...parts }));
  expect(refusedWith({ code: 'EACCES', path: '/s' })?.message).toBe('Permission is denied: /s');
  expect(refusedWith({ code: 'EODD', path: '/s' })).toMatchObject({
    message: 'The operating system refused this: /s',
    hint: expect.stringMatching(/^It said: x\./),
  });
  expect(refusedWith({ code: 'EACCES' })).toBeUndefined();
  expect(systemFailure(new TypeError('x is not a function'))).toBeUndefined();
});

test('next steps name the command as it was started, and messages the program', () => {
  const started = (script: string, env = {}) => commandOf(['node', script], env);
  const npx = 'npx quire-mcp';
  expect(started('/usr/bin/quire')).toBe('quire');
  expect(started('/usr/bin/sb', { npm_command: 'exec' })).toBe('sb');
  expect(started('/usr/bin/quire', { npm_command: 'run-script' })).toBe('quire');
  expect(started('/x/.bin/quire-mcp', { npm_command: 'exec' })).toBe(npx);
  expect(started('/home/me/.npm/_npx/1f/node_modules/.bin/quire-mcp')).toBe(npx);
  expect(started('C:\\Users\\me\\npm-cache\\_npx\\1f\\quire.cjs')).toBe(npx);
  expect(started('/home/me/.cache/pnpm/dlx/1f/quire.cjs')).toBe(npx);
  expect([npx, 'sb', 'quire'].map(prefixOf)).toEqual(['quire', 'sb', 'quire']);
  const text = 'quire: see quire.yaml in /home/quire notes, or run quire init';
  expect(inNameOf(npx, text)).toBe('quire: see quire.yaml in /home/quire notes, or run npx quire-mcp init');
  expect(inNameOf('sb', text)).toBe('sb: see quire.yaml in /home/quire notes, or run sb init');

  const env = { ...CLEAN_ENVIRONMENT, npm_command: 'exec' };
  const { stdout } = spawnSync(process.execPath, [BINARY, '--help'], { encoding: 'utf8', env });
  expect(stdout).toMatch(/^Usage: npx quire-mcp /);
  expect(stdout).toMatch(/\n {2}npx quire-mcp init +write/);
  expect(stdout).not.toMatch(/(?<![\w.])quire (?!-)/);
});

test('without other servers, their list is empty and says how to add one', async () => {
  const folder = await temporaryFolder({ 'quire.yaml': 'notebooks:\n  mine: { folder: . }\n' });
  expect(quire(folder, ['mcp', 'servers'])).toEqual({
    code: 0,
    stdout: '',
    stderr:
      'No other servers are configured. Find one: quire mcp marketplace. Add it: quire mcp add <name>\n',
  });
});

test('quire doctor says once what is wrong with the file', async () => {
  const folder = await temporaryFolder({ 'bad.yaml': 'notebooks: { a: { folder: ., readonly: true } }\n' });
  const { code, stdout, stderr } = quire(folder, ['doctor', '--config', 'bad.yaml']);
  expect(stdout).toContain('unknown key notebooks.a.readonly');
  expect({ code, stderr }).toEqual({ code: 2, stderr: 'quire: One thing must be fixed\n' });
});

test('a reader that leaves early sees no stack trace', async () => {
  const folder = await temporaryFolder({ 'a.md': '' });
  const lines = ['--help', 'mcp --help', 'completion zsh', 'nowhere', 'history .', 'doctor . --json'];
  for (const line of lines) {
    // `head` has gone before the first byte comes.
    const script = `{ sleep 0.3; exec "$0" "$1" ${line}; } 2>errors | true; echo "\${PIPESTATUS[0]}"; cat errors`;
    const { stdout } = spawnSync('bash', ['-c', script, process.execPath, BINARY], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...CLEAN_ENVIRONMENT, HOME: folder },
    });
    expect(stdout, line).toMatch(/^[012]\n/);
    expect(stdout, line).not.toMatch(/EPIPE|\n\s+at /);
  }
});
