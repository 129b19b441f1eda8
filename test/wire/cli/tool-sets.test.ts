/** `quire tools`, the cost of all sets together, and all of them in one server. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { FURTHER_SETS } from '../../../src/config/tool-sets.ts';
import { BINARY, startBinary } from '../../kit/server.ts';
import { CLEAN_ENVIRONMENT, temporaryFolder } from '../../kit/temp.ts';

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
  const [json, table] = await Promise.all([run('--json'), run()]);
  const rows = JSON.parse(json) as Row[];
  expect(rows.filter(({ kind }) => kind === 'further').map(({ set }) => set)).toEqual(FURTHER_SETS);
  expect(rows.filter(({ tools }) => tools.length === 0)).toEqual([]);
  const all = rows.filter(({ set, kind }) => set === 'notebook' || kind === 'further');
  expect(all.reduce((sum, { bytes }) => sum + bytes, 0)).toBeLessThanOrEqual(48_000);
  const names = all.flatMap(({ tools }) => tools);
  expect(names).toEqual([...new Set(names)]);
  for (const { set, bytes } of rows) expect(table).toMatch(new RegExp(`^${set} +${bytes} `, 'm'));
});

/** A read of each set, and a piece of its answer. */
const READS: readonly [string, string, Record<string, unknown>, object][] = [
  ['links', 'get_links', { path: 'Home' }, { total_backlinks: 1 }],
  ['tags', 'list_tags', {}, { total: 1 }],
  ['tasks', 'list_tasks', {}, { tasks: [{ text: 'call Bo' }] }],
  ['properties', 'query_notes', { where: { status: 'open' } }, { total: 1 }],
  ['sections', 'get_outline', { path: 'Home.md' }, { headings: [{ heading: 'Home' }] }],
  ['daily', 'get_periodic_note', { date: '2026-11-18' }, { exists: false }],
  ['files', 'list_files', {}, { total: 1 }],
  ['trash', 'list_trash', {}, { total: 0 }],
  ['vault-info', 'vault_info', {}, { notes: 2 }],
  ['chatgpt', 'fetch', { id: 'Home.md' }, { title: 'Home' }],
  ['history', 'list_changes', {}, { changes: [] }],
];

test('--tools all serves every set over a folder', async () => {
  const folder = await temporaryFolder({
    'Home.md': '---\ntags: [home]\nstatus: open\n---\n# Home\n',
    'Inbox.md': '- [ ] call Bo\n\n[[Home]]\n',
    'plan.pdf': '%PDF-1.7\n',
  });
  const { client, call } = await startBinary(folder, ['--tools', 'all']);
  expect(READS.map(([set]) => set).sort()).toEqual([...FURTHER_SETS].sort());
  const { tools } = await client.listTools();
  expect(Buffer.byteLength(JSON.stringify(tools))).toBeLessThanOrEqual(48_000);
  const names = tools.map(({ name }) => name);
  for (const [, tool, args, piece] of READS) {
    expect(names).toContain(tool);
    expect([tool, (await call(tool, args)).json]).toMatchObject([tool, piece]);
  }
});
