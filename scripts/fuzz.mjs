// npm run fuzz [-- --seed <number>] [--runs <number>] [part of a path…]
// All property tests with a random seed, or the one given, and `runs` times the cases of the gate.
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

/** In a test that makes cases itself; the others are named after their property. */
const OWN_CASES = /from '(?:fast-check|[./]+kit\/cases\.ts)'/;

const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string' },
    runs: { type: 'string', default: '20' },
  },
  allowPositionals: true,
});
const seed = wholeNumber('--seed', values.seed ?? String(randomInt(2 ** 31)), 0);
const times = wholeNumber('--runs', values.runs, 1);
const files = (await propertyTests()).filter(
  (file) => positionals.length === 0 || positionals.some((part) => file.includes(part)),
);
if (files.length === 0) fail('No property test found.');

const again = ['npm run fuzz --', `--seed ${seed}`, `--runs ${times}`, ...positionals].join(' ');
process.stdout.write(
  `${files.length} files with property tests, ${times} times the cases of the gate. The same again: ${again}\n`,
);
const vitest = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--update=none', ...files], {
  stdio: 'inherit',
  env: { ...process.env, QUIRE_FUZZ_SEED: String(seed), QUIRE_FUZZ_RUNS: String(times) },
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => vitest.kill(signal));
process.exitCode = (await new Promise((resolve) => vitest.once('close', resolve))) ?? 1;
if (process.exitCode !== 0)
  process.stdout.write(`What was found becomes an example of its property. The same again: ${again}\n`);

async function propertyTests() {
  const names = [];
  for (const folder of ['src', 'test'])
    for (const name of await readdir(folder, { recursive: true }))
      if (name.endsWith('.test.ts')) names.push(join(folder, name));
  const texts = await Promise.all(names.map((name) => readFile(name, 'utf8')));
  return names.filter((name, at) => name.endsWith('.property.test.ts') || OWN_CASES.test(texts[at]));
}

function wholeNumber(flag, value, least) {
  const number = Number(value);
  if (!Number.isInteger(number) || number < least || number >= 2 ** 31)
    fail(`${flag} takes a whole number from ${least} on, not "${value}".`);
  return number;
}

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
