/** What a folder store does on other systems, as far as it can be shown on this one. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { parseNotePath } from '../../notes/path.ts';
import { openFolderStore } from './store.ts';

async function storeOn(platform: NodeJS.Platform, ...names: string[]) {
  const folder = await mkdtemp(join(tmpdir(), 'quire-test-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const name of names) await writeFile(join(folder, name), 'text');
  return openFolderStore(folder, { isVisible: () => true, platform });
}

test.each(['a.md:stream.md', 'a.md::$DATA', 'con.md', 'NUL', 'a.md.', 'COM1.txt', 'sub/aux.md'])(
  'on Windows no name reaches a device, a hidden stream or another file: %s',
  async (name) => {
    const store = await storeOn('win32', 'a.md');
    const path = parseNotePath(name);
    const refused = { code: 'invalid_input' };
    await expect(store.read(path)).rejects.toMatchObject(refused);
    await expect(store.write(path, 'x')).rejects.toMatchObject(refused);
    await expect(store.remove(path)).rejects.toMatchObject(refused);
    await expect(store.stat?.(path)).rejects.toMatchObject(refused);
    await expect(store.move?.(parseNotePath('a.md'), path)).rejects.toMatchObject(refused);
    await expect(store.move?.(path, parseNotePath('b.md'))).rejects.toMatchObject(refused);
  },
);

test('elsewhere a note with such a name stays readable', async () => {
  const store = await storeOn('linux', 'Meeting: Monday.md', 'con.md');
  expect((await store.read(parseNotePath('Meeting: Monday.md'))).size).toBe(4);
  expect((await store.read(parseNotePath('con.md'))).size).toBe(4);
});

test('a note is found under the other Unicode form of its name, as macOS writes it', async () => {
  const store = await storeOn('darwin', 'Cafe\u0301.md');
  expect((await store.read(parseNotePath('Caf\u00e9.md'))).size).toBe(4);
});
