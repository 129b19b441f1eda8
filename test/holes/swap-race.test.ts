/** A folder swapped for a link to the outside and back, as fast as a process can, while a client reads and writes in it. */
import { spawn } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startBinary, type ToolClient } from '../kit/server.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';
import { treeOf } from './served.ts';

const RACE_MS = 1_500;

const SWAPPER = `
const { renameSync } = require('node:fs');
const [inside, folder, link, ms] = process.argv.slice(1);
const end = Date.now() + Number(ms);
// On a busy machine it goes on until it has swapped often enough.
const ENOUGH = 200;
let swaps = 0;
let strays = 0;
function rename(from, to) {
  // A write may make the folder anew in the moment when neither stands there.
  for (;;)
    try {
      return renameSync(from, to);
    } catch (error) {
      renameSync(to, folder + '-' + ++strays);
    }
}
while (Date.now() < end || swaps < ENOUGH) {
  rename(inside, folder);
  rename(link, inside);
  for (let i = 0; i < 3_000; i++);
  rename(inside, link);
  rename(folder, inside);
  swaps++;
}
process.stdout.write(String(swaps));
`;

async function race(during: (connected: ToolClient, round: number) => Promise<unknown>) {
  const outside = await temporaryFolder({ 'note.md': 'SECRET', 'secret-name.md': 'SECRET' });
  const spare = await temporaryFolder();
  const folder = await temporaryFolder({ 'a.md': 'one\n' });
  await putFile(folder, 'swapped/note.md', 'public');
  mkdirSync(join(folder, 'swapped', 'below'));
  symlinkSync(outside, join(spare, 'link'));
  const connected = await startBinary(folder);
  const paths = [join(folder, 'swapped'), join(spare, 'folder'), join(spare, 'link')];
  const swapper = spawn(process.execPath, ['-e', SWAPPER, ...paths, String(RACE_MS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void swapper.kill());
  let running = true;
  let swaps = '';
  swapper.stdout.on('data', (chunk) => {
    swaps += chunk;
  });
  const ended = new Promise<void>((resolve) => swapper.once('close', () => resolve()));
  void ended.then(() => {
    running = false;
  });
  let rounds = 0;
  while (running && rounds < 5_000) await during(connected, rounds++);
  await ended;
  expect(Number(swaps)).toBeGreaterThan(50);
  expect(rounds).toBeGreaterThan(5);
  return { outside, folder };
}

test('a read never returns what stands outside, whenever the folder is swapped', async () => {
  const seen = new Set<string>();
  const { outside } = await race(async ({ call }) => {
    const answers = await Promise.all([
      call('read_note', { path: 'swapped/note.md' }),
      call('read_multiple_notes', { paths: ['swapped/note.md', 'swapped/secret-name.md'] }),
      call('list_directory', { path: 'swapped' }),
      call('search_notes', { query: 'secret' }),
    ]);
    for (const { text } of answers) seen.add(text);
  });
  const leaks = [...seen].filter((text) => /SECRET|"files":\[[^\]]*secret-name|"p":/.test(text));
  expect(leaks).toEqual([]);
  expect([...seen].some((text) => text.includes('public'))).toBe(true);
  expect(Object.keys(treeOf(outside))).toEqual(['note.md', 'secret-name.md']);
});

test('a write, move or delete never changes what stands outside, whenever the folder is swapped', async () => {
  const { outside, folder } = await race(async ({ call }, round) => {
    const other = `from-${round}.md`;
    await call('write_note', { path: other, content: 'mine' });
    await Promise.all([
      call('write_note', { path: `swapped/new-${round}.md`, content: 'mine' }),
      call('write_note', { path: `swapped/made-${round}/new.md`, content: 'mine' }),
      call('write_note', { path: 'swapped/note.md', content: 'public', mode: 'append' }),
      call('patch_note', { path: 'swapped/note.md', oldString: 'SECRET', newString: 'mine' }),
      call('move_note', { oldPath: other, newPath: `swapped/moved-${round}.md`, updateLinks: false }),
      call('delete_note', { path: 'swapped/secret-name.md', confirmPath: 'swapped/secret-name.md' }),
    ]);
  });
  expect(treeOf(outside)).toEqual({ 'note.md': 'SECRET', 'secret-name.md': 'SECRET' });
  expect(Object.values(treeOf(folder)).join()).not.toContain('SECRET');
});
