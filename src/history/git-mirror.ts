/**
 * Also keeps the changes of a folder that is a git repository as commits on a ref of their own, readable with
 * `git log refs/quire/history`. The index, branches and working tree of the repository are never touched.
 */
import { type ExecFileException, execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EditTexts } from '../notes/edit-recorder.ts';
import { createSemaphore } from '../shared/async/semaphore.ts';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { ChangeHead, Edit } from './change.ts';

export const HISTORY_REF = 'refs/quire/history';
const FILE_MODE = '100644';
const TRIES = 5;
const TIMEOUT_MS = 20_000;
const NO_COMMIT = '0'.repeat(40);

export interface GitMirror {
  /** Resolves when the commit is made. A failure is logged: the change itself is recorded already. */
  commit(head: ChangeHead, edit: Edit, texts: EditTexts): Promise<void>;
}

interface GitMirrorOptions {
  readonly folder: string;
  /** Where programs are looked for, as in the variable PATH. */
  readonly searchPath: string;
  readonly log: Log;
}

/** Throws when the folder is not in a git repository, or there is no git. */
export async function assertRepository(folder: string, searchPath: string): Promise<void> {
  await findRepository(folder, searchPath);
}

export function openGitMirror({ folder, searchPath, log }: GitMirrorOptions): GitMirror {
  const inOrder = createSemaphore(1);
  return {
    commit: (head, edit, texts) =>
      inOrder(async () => commitEdit(await findRepository(folder, searchPath), head, edit, texts)).catch(
        (error: unknown) => {
          log('warn', 'a change is not in the git history', { change: head.id, error: String(error) });
        },
      ),
  };
}

async function findRepository(folder: string, searchPath: string): Promise<Repository> {
  const git = gitIn(folder, searchPath);
  const found = await git(['rev-parse', '--show-toplevel', '--show-prefix']).catch((error: unknown) => {
    throw notARepository(error);
  });
  const [top = folder, prefix = ''] = found.split('\n');
  return { git: gitIn(top, searchPath), prefix };
}

interface Repository {
  readonly git: Git;
  /** Path of the folder in the repository; empty, or with a slash at its end. */
  readonly prefix: string;
}

async function commitEdit(
  { git, prefix }: Repository,
  head: ChangeHead,
  edit: Edit,
  texts: EditTexts,
): Promise<void> {
  const scratch = await mkdtemp(join(tmpdir(), 'quire-git-'));
  const index = { GIT_INDEX_FILE: join(scratch, 'index') };
  const place = (path: string, blob: string | undefined) =>
    blob === undefined
      ? git(['update-index', '--force-remove', '--', `${prefix}${path}`], { env: index })
      : git(['update-index', '--add', '--cacheinfo', `${FILE_MODE},${blob},${prefix}${path}`], {
          env: index,
        });
  const blobOf = (text: Uint8Array | undefined) =>
    text && git(['hash-object', '-w', '--stdin'], { input: text });
  try {
    for (let attempt = 1; ; attempt++) {
      const parent = await git(['rev-parse', '--verify', '--quiet', HISTORY_REF]).catch(() => '');
      const base = parent || (await git(['rev-parse', '--verify', '--quiet', 'HEAD']).catch(() => ''));
      await git(base === '' ? ['read-tree', '--empty'] : ['read-tree', base], { env: index });
      let tip = parent;
      const commit = async (message: string) => {
        const tree = await git(['write-tree'], { env: index });
        if (tip !== '' && tree === (await git(['rev-parse', `${tip}^{tree}`]))) return;
        const parents = tip === '' ? [] : ['-p', tip];
        tip = await git(['commit-tree', tree, ...parents, '-m', message], { env: authorOf(head) });
      };
      if (edit.kind !== 'move' && texts.before) {
        await place(edit.path, await blobOf(texts.before));
        await commit(tip === '' ? 'notes before the first change' : `changed outside Quire: ${edit.path}`);
      }
      if (edit.kind === 'move') await moveInIndex({ git, prefix }, edit, place, index);
      else await place(edit.path, await blobOf(texts.after));
      await commit(messageOf(head, edit));
      try {
        await git(['update-ref', HISTORY_REF, tip, parent || NO_COMMIT]);
        return;
      } catch (error) {
        // Another process has added a commit meanwhile.
        if (attempt === TRIES) throw error;
      }
    }
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

async function moveInIndex(
  { git, prefix }: Repository,
  { path, to = path }: Edit,
  place: (path: string, blob: string | undefined) => Promise<string>,
  env: Readonly<Record<string, string>>,
): Promise<void> {
  const entry = await git(['ls-files', '--stage', '--full-name', '--', `${prefix}${path}`], { env });
  const [, blob] = entry.split(/\s/);
  await place(path, undefined);
  if (blob) await place(to, blob);
}

function messageOf({ id, group, tool, by, undoes }: ChangeHead, { kind, path, to }: Edit): string {
  const subject = to === undefined ? `${kind} ${path}` : `${kind} ${path} to ${to}`;
  const lines = [`Change: ${id}`, `Group: ${group}`, `Tool: ${tool}`];
  if (by.client !== undefined) lines.push(`Client: ${by.client}`);
  if (by.principal !== undefined) lines.push(`Principal: ${by.principal}`);
  if (undoes) lines.push(`Undoes: ${undoes.join(', ')}`);
  return `${subject}\n\n${lines.join('\n')}`;
}

function authorOf({ at, by }: ChangeHead): Record<string, string> {
  const name = (by.client ?? by.principal ?? 'Quire').replace(/[<>\n]/g, '') || 'Quire';
  const date = `${Math.floor(at / 1000)} +0000`;
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: 'quire@localhost',
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: 'Quire',
    GIT_COMMITTER_EMAIL: 'quire@localhost',
    GIT_COMMITTER_DATE: date,
  };
}

interface GitOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
}

type Git = (args: readonly string[], options?: GitOptions) => Promise<string>;

function gitIn(folder: string, searchPath: string): Git {
  return (args, { env = {}, input } = {}) =>
    new Promise((resolve, reject) => {
      const safe = [
        '--literal-pathspecs',
        '-c',
        'core.hooksPath=',
        '-c',
        'core.fsmonitor=false',
        '-c',
        'commit.gpgSign=false',
      ];
      const child = execFile(
        'git',
        ['-C', folder, ...safe, ...args],
        {
          env: { PATH: searchPath, GIT_TERMINAL_PROMPT: '0', ...env },
          timeout: TIMEOUT_MS,
          encoding: 'utf8',
        },
        (error, stdout) => (error ? reject(error) : resolve(stdout.trim())),
      );
      child.stdin?.on('error', () => {});
      child.stdin?.end(input);
    });
}

function notARepository(error: unknown): AppError {
  const isMissing = (error as ExecFileException).code === 'ENOENT';
  return isMissing
    ? new AppError('unsupported', 'history: git needs the program git', {
        hint: 'Install git, or leave history at its default.',
      })
    : new AppError('unsupported', 'history: git needs a folder that is a git repository', {
        hint: 'Run git init in the folder of notes, or leave history at its default.',
      });
}
