// ripgrep as the physical reference: what reading every note costs, one process per search.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { performance } from 'node:perf_hooks';

const LIMIT_MS = 120_000;

/** Its program below a folder where it was installed from npm; older releases carry it themselves. */
export function findRipgrep(folder) {
  if (!folder) return undefined;
  const packages = [`ripgrep-${process.platform}-${process.arch}`, 'ripgrep'];
  return packages.map((name) => resolve(folder, 'node_modules/@vscode', name, 'bin/rg')).find(existsSync);
}

/** A rival that can be asked like a server. Several words are looked for one by one, a phrase as it is. */
export function ripgrepOver(vault, program) {
  return {
    name: 'ripgrep',
    ask({ text, isPhrase }) {
      const patterns = (isPhrase ? [text] : text.split(' ')).flatMap((pattern) => ['-e', pattern]);
      return run(program, ['-ilF', '--no-ignore', '-g', '*.md', ...patterns, '.'], vault);
    },
  };
}

function run(program, args, cwd) {
  const begun = performance.now();
  const options = { cwd, env: { LANG: 'C.UTF-8' }, stdio: ['ignore', 'pipe', 'ignore'], timeout: LIMIT_MS };
  const child = spawn(program, args, options);
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    // 1 stands for "nothing found".
    child.once('close', (code) =>
      code === 0 || code === 1
        ? resolve({ milliseconds: performance.now() - begun, text })
        : reject(new Error(`exited ${code}`)),
    );
  });
}
