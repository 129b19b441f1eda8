import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { assertRepository, openGitMirror } from '../../src/history/git-mirror.ts';
import { openHistory } from '../../src/history/history.ts';
import { silentLog } from '../../src/shared/log.ts';
import { temporaryFolder } from '../kit/temp.ts';

const AUTHOR = { principal: 'alex', client: 'editor <x> 1.0' };
const IDENTITY = ['-c', 'user.name=t', '-c', 'user.email=t@localhost'];
const PATH = process.env.PATH ?? '';

function gitIn(folder: string) {
  return (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...IDENTITY, ...args], { encoding: 'utf8', env: { PATH } }).trim();
}

async function repository() {
  const top = await temporaryFolder({ 'notes/a.md': 'one\n', 'other.txt': 'x\n' });
  const git = gitIn(top);
  git('init', '-q');
  git('add', '.');
  git('commit', '-qm', 'init');
  const mirror = openGitMirror({ folder: `${top}/notes`, searchPath: PATH, log: silentLog });
  const history = openHistory({
    folder: await temporaryFolder(),
    log: silentLog,
    days: 90,
    maxBytes: 1e8,
    mirror,
  });
  const record = (tool: string) => history.record({ notebook: 'n', tool, by: AUTHOR });
  return { git, history, record };
}

it('keeps changes as commits on a ref of its own, and touches neither index, branch nor working tree', async () => {
  const { git, history, record } = await repository();
  const before = [git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('ls-files', '--stage')];
  const text = (value: string) => Buffer.from(value);
  const write = { before: text('one\n'), after: text('two\n') };
  await (await record('write_note').begin({ kind: 'write', path: 'a.md' }, write)).done();
  const name = 'späte *[x], y.md';
  await (await record('write_note').begin({ kind: 'create', path: name }, { after: text('three\n') })).done();
  await (await record('move_note').begin({ kind: 'move', path: name, to: 'sub/b.md' }, {})).done();
  await (
    await record('delete_note').begin({ kind: 'delete', path: 'a.md' }, { before: text('edited\n') })
  ).done();
  await (
    await record('write_note').begin({ kind: 'create', path: 'no.md' }, { after: text('no\n') })
  ).failed();
  await history.close();
  expect(git('log', '--format=%s', 'refs/quire/history').split('\n')).toEqual([
    'delete a.md',
    'changed outside Quire: a.md',
    `move ${name} to sub/b.md`,
    `create ${name}`,
    'write a.md',
    'notes before the first change',
  ]);
  expect(git('ls-tree', '-r', '--name-only', 'refs/quire/history').split('\n')).toEqual([
    'notes/sub/b.md',
    'other.txt',
  ]);
  expect(git('show', 'refs/quire/history:notes/sub/b.md')).toBe('three');
  expect(git('log', '-1', '--format=%an|%b', 'refs/quire/history')).toMatch(
    /^editor x 1\.0\|Change: \w{16}\nGroup: g\w{16}\nTool: delete_note\nClient: editor <x> 1\.0\nPrincipal: alex$/,
  );
  expect([git('status', '--porcelain'), git('rev-parse', 'HEAD'), git('ls-files', '--stage')]).toEqual(
    before,
  );
});

it('says what is missing: a repository, or git itself', async () => {
  const folder = await temporaryFolder();
  await expect(assertRepository(folder, PATH)).rejects.toThrow('needs a folder that is a git repository');
  await expect(assertRepository(folder, folder)).rejects.toThrow('needs the program git');
});
