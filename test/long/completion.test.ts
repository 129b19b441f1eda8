/** `quire completion`, run in the shells that are installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { describeWith, programNeed } from '../kit/needs.ts';
import { BINARY } from '../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../kit/temp.ts';

const SHELLS = ['bash', 'zsh', 'fish', 'powershell'] as const;
const scripts = new Map<string, string>();

function quire(...args: string[]) {
  return spawnSync(process.execPath, [BINARY, ...args], { encoding: 'utf8', env: CLEAN_ENVIRONMENT });
}

beforeAll(() => {
  for (const shell of SHELLS) scripts.set(shell, quire('completion', shell).stdout);
});

const scriptOf = (shell: (typeof SHELLS)[number]) => scripts.get(shell) ?? '';

/** What each shell offers for the last of these words. */
const OFFERS: readonly (readonly [
  words: readonly string[],
  offered: readonly string[],
  never: readonly string[],
])[] = [
  [['se'], ['serve'], ['silverbullet', 'init']],
  [['serve', '--read'], ['--read-only'], ['--review', '--sb-url']],
  [
    ['serve', '--review', ''],
    ['off', 'destructive', 'all'],
    ['serve', '--port'],
  ],
  [['vault', '--transport', ''], ['http', 'stdio'], []],
  [['review', 'a'], ['accept'], ['reject']],
  [['mcp', 'approvals', 'ap'], ['approve'], ['approvals']],
  [['mcp', 'report', '--format', ''], ['md', 'json'], []],
  [['completion', ''], ['bash', 'zsh', 'fish', 'powershell'], []],
  [['init', '--review', 'd'], ['destructive'], ['off']],
  [['--perm'], ['--permanent-delete'], ['--port']],
];

function expectOffers(complete: (words: readonly string[], folder: string) => string[]): void {
  for (const [words, offered, never] of OFFERS) {
    const found = complete(words, '/');
    expect(found, words.join(' ')).toEqual(expect.arrayContaining([...offered]));
    for (const one of never) expect(found, words.join(' ')).not.toContain(one);
  }
}

async function folderOfNotes(): Promise<string> {
  return temporaryFolder({ 'my notes/a.md': '', 'conf.yaml': '' });
}

describe('bash', () => {
  const complete = (words: readonly string[], cwd: string) => {
    const line = ['quire', ...words].map((word) => `'${word}'`).join(' ');
    const asked = `COMP_WORDS=(${line}); COMP_CWORD=${words.length}; _quire; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['--norc', '-c', `${scriptOf('bash')}\n${asked}`], {
      cwd,
      encoding: 'utf8',
    })
      .trim()
      .split('\n');
  };

  test('offers commands, flags and the words they take', () => expectOffers(complete));

  test('offers files and folders where a path is meant', async () => {
    const folder = await folderOfNotes();
    expect(complete(['serve', 'my'], folder)).toEqual(['my notes']);
    expect(complete(['my'], folder)).toEqual(['my notes']);
    expect(complete(['serve', '--config', 'co'], folder)).toEqual(['conf.yaml']);
    expect(complete(['serve', '--port', ''], folder)).toEqual(['']);
  });
});

describeWith(programNeed('fish', 'fish', '--version'), 'fish', () => {
  const complete = (words: readonly string[], cwd: string) =>
    execFileSync('fish', ['-N', '-c', `${scriptOf('fish')}\ncomplete -C 'quire ${words.join(' ')}'`], {
      cwd,
      encoding: 'utf8',
      env: { ...CLEAN_ENVIRONMENT, HOME: cwd },
    })
      .trim()
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '');

  test('offers commands, flags and the words they take', () => expectOffers(complete));

  test('offers files and folders where a path is meant', async () => {
    const folder = await folderOfNotes();
    expect(complete(['serve', '--config', 'co'], folder)).toEqual(['conf.yaml']);
    expect(complete(['serve', 'my'], folder).map((path) => path.replaceAll('\\', ''))).toEqual(['my notes/']);
  });
});

describeWith(programNeed('zsh', 'zsh', '--version'), 'zsh', () => {
  // What the completion system would be told, without a terminal to complete at.
  const TOLD = `compdef() { : }
compadd() { shift; print -l -- "$@" }
_files() { print -l -- "files$1" }
_describe() { local name=$@[-1]; print -l -- "\${(@)\${(P@)name}%%:*}" }`;
  const complete = (words: readonly string[]) => {
    const line = ['quire', ...words].map((word) => `'${word}'`).join(' ');
    const asked = `words=(${line}); CURRENT=${words.length + 1}; _quire`;
    return execFileSync('zsh', ['-f', '-c', `${TOLD}\n${scriptOf('zsh')}\n${asked}`], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .filter((word) => word.startsWith('files') || word.startsWith(words.at(-1) ?? ''));
  };

  test('offers commands, flags and the words they take', () => expectOffers(complete));

  test('offers files and folders where a path is meant', () => {
    expect(complete(['serve', ''])).toEqual(['files-/']);
    expect(complete(['serve', '--config', ''])).toEqual(['files']);
  });
});

test('PowerShell has every command and the words of its flags', () => {
  const script = scriptOf('powershell');
  expect(script).toMatch(/^Register-ArgumentCompleter -Native -CommandName 'quire' -ScriptBlock \{$/m);
  expect(script).toContain("    ' serve --review' = @('off', 'destructive', 'all')");
  expect(script).toMatch(/^ {4}' mcp approvals' = @\{ Words = @\('list', 'show', 'approve'/m);
  for (const [open, close] of ['{}', '()'])
    expect(script.split(open ?? '').length).toBe(script.split(close ?? '').length);
});

test('sb has a script of its own, and an unknown shell is refused with those that are known', async () => {
  const sb = join(await temporaryFolder(), 'sb');
  await symlink(BINARY, sb);
  const { stdout } = spawnSync(process.execPath, [sb, 'completion', 'bash'], {
    encoding: 'utf8',
    env: CLEAN_ENVIRONMENT,
  });
  expect(stdout).toContain('complete -F _sb sb\n');
  expect(quire('completion', 'tcsh')).toMatchObject({
    status: 2,
    stdout: '',
    stderr:
      'quire: Unknown shell: tcsh\nUse bash, zsh, fish or powershell, for example: quire completion bash\n',
  });
});
