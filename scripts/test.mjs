// npm test [-- <part of a path>… | vitest's own arguments]
// Without arguments every check there is; with some, only the tests they name, on a fresh build.
// npm run test:long [-- …] runs the long suite.
import { spawn } from 'node:child_process';
import { stat } from 'node:fs/promises';

const args = process.argv.slice(2);
const isLong = args[0] === '--long';
const parts = isLong ? args.slice(1) : args;

const tsc = ['node_modules/typescript/bin/tsc', '--noEmit'];
const biome = ['node_modules/@biomejs/biome/bin/biome', 'ci', '--error-on-warnings', '.'];

try {
  await inOrder([['scripts/build.mjs']]);
  if (isLong) await installPrograms();
  if (!isLong && parts.length === 0)
    await Promise.all([inOrder([biome, ['dist/docs.js', '--check']]), inOrder([tsc])]);
  await run(['node_modules/vitest/vitest.mjs', 'run', '--update=none', ...projects(), ...parts], {
    stdio: 'inherit',
    env: { ...process.env, QUIRE_BUILT: '1' },
  });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

/** A part may name long tests too. */
function projects() {
  if (isLong) return ['--project=long', '--project=long-apart'];
  return parts.some((part) => part.includes('test/long')) ? [] : ['--project=gate', '--project=apart'];
}

/** The programs only the long tests run. Without them, for example offline, the tests that need one are skipped and say so. */
async function installPrograms() {
  const folder = 'test/programs';
  const changed = async (path) => (await stat(`${folder}/${path}`).catch(() => undefined))?.mtimeMs ?? 0;
  if ((await changed('node_modules/.package-lock.json')) > (await changed('package-lock.json'))) return;
  // npm's own program: on Windows `npm` is a script, which only a shell can start.
  const npm = process.env.npm_execpath;
  if (npm === undefined) return;
  // Its engines are not for the Node that installs it, so warnings about them are left out.
  const install = [npm, 'ci', '--prefix', folder, '--no-audit', '--no-fund', '--silent'];
  await run(install).catch((error) => process.stderr.write(`${error.message} Its tests are skipped.\n`));
}

async function inOrder(commands) {
  for (const command of commands) await run(command);
}

/** Output is printed at the end, so that the output of parallel commands does not mix. */
function run(command, options = { stdio: ['ignore', 'pipe', 'pipe'] }) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, command, options);
    const said = [];
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => said.push(chunk));
    child.once('error', reject);
    child.once('close', (code, signal) => {
      process.stdout.write(Buffer.concat(said));
      if (code === 0) resolve();
      else reject(new Error(`${command.join(' ')} ended with ${signal ?? `code ${code}`}.`));
    });
  });
}
