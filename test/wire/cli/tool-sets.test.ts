/** `quire tools`, and the cost of all sets together. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { FURTHER_SETS } from '../../../src/config/tool-sets.ts';
import { BINARY } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT } from '../../kit/temp.ts';

interface Row {
  readonly set: string;
  readonly kind: string;
  readonly tools: readonly string[];
  readonly bytes: number;
}

const run = async (...args: string[]) =>
  (await promisify(execFile)(process.execPath, [BINARY, 'tools', ...args], { env: CLEAN_ENVIRONMENT }))
    .stdout;

test('lists every set with its tools; the notebook with all sets costs at most 48,000 bytes', async () => {
  const rows = JSON.parse(await run('--json')) as Row[];
  expect(rows.filter(({ kind }) => kind === 'further').map(({ set }) => set)).toEqual(FURTHER_SETS);
  expect(rows.filter(({ tools }) => tools.length === 0)).toEqual([]);
  const all = rows.filter(({ set, kind }) => set === 'notebook' || kind === 'further');
  expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(48_000);
  const names = all.flatMap(({ tools }) => tools);
  expect(names).toEqual([...new Set(names)]);
  const table = await run();
  for (const { set, bytes } of rows) expect(table).toMatch(new RegExp(`^${set} +${bytes} `, 'm'));
});
