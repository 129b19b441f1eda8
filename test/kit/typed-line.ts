/** A command line as a person types it: in a real terminal of util-linux, with an answer to each question. */
import { spawn } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { ROOT } from './code-blocks.ts';
import { CLEAN_ENVIRONMENT } from './temp.ts';

const { PATH, XDG_CACHE_HOME } = CLEAN_ENVIRONMENT;
const QUESTION = /\[y\/N\] /g;

interface Typing {
  readonly answers?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

/** `line` comes after `quire`, as a shell reads it. The home folder is `home` in the folder. */
export async function typeAt(folder: string, line: string, { answers = [], env = {} }: Typing = {}) {
  const home = join(folder, 'home');
  await mkdir(home, { recursive: true });
  const command = `${process.execPath} ${join(ROOT, 'dist/quire.cjs')} ${line}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: folder,
    env: { PATH, XDG_CACHE_HOME, HOME: home, TERM: 'dumb', COLUMNS: '200', ...env },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const left = [...answers];
  let shown = '';
  let answered = 0;
  child.stdout.on('data', (chunk: Buffer) => {
    shown += chunk.toString();
    const asked = shown.match(QUESTION)?.length ?? 0;
    for (; answered < asked && left.length > 0; answered++) child.stdin.write(`${left.shift()}\n`);
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, shown, questions: shown.match(QUESTION)?.length ?? 0 };
}
