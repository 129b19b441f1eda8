/** The answers of the page tools when another client was quicker, or a page exists in another spelling. */
import { expect, test } from 'vitest';
import { AppError } from '../../src/shared/errors.ts';
import { versionOf } from '../../src/stores/condition.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { Saver } from '../../src/stores/silverbullet/save.ts';
import { withPages, withPagesOver } from '../kit/server.ts';
import { startSilverBullet } from '../kit/silverbullet/server.ts';
import { caught, DIALECTS, storeOver } from './kit.ts';

test.each(DIALECTS)(
  'a page that is there in another letter case is named, and the advice leads to it, %s',
  async (dialect) => {
    const fake = await startSilverBullet({ dialect, files: { 'X/cd.md': 'there' } });
    const { call } = await withPagesOver(storeOver(fake));
    const { json } = await call('create_page', { page: 'X/CD', body: 'new' });
    expect(json).toMatchObject({ error: 'already_exists', path: 'X/CD.md', existing: 'X/cd.md' });
    expect(json.message).toContain('X/cd.md');
    const [, name] = /read_page with page "([^"]+)"/.exec(json.remediation) ?? [];
    const read = await call('read_page', { page: name });
    expect(read.json).toMatchObject({ path: 'X/cd.md' });
    expect(read.text).toContain('there');
  },
);

test('a text that the server took and another client replaced was written', async () => {
  const bytes = Buffer.from('theirs');
  const there = { bytes, size: 6, lastModified: 2, contentType: 'text/markdown', version: versionOf(bytes) };
  const client = { put: async () => 2 };
  const saver = new Saver(client as never, { read: async () => there } as never, []);
  const error = await caught(saver.save('a.md', Buffer.from('mine'), undefined));
  expect(error).toMatchObject({ code: 'conflict', details: { wasWritten: true } });
  const store = openMemoryStore();
  const write = async () => {
    throw new AppError('conflict', 'Replaced', { subject: 'a.md', details: { wasWritten: true } });
  };
  const { call } = await withPagesOver({ ...store, write });
  const { json } = await call('create_page', { page: 'a', body: 'mine' });
  expect(json.error).toBe('conflict');
  expect(json.message).toContain('your text was written');
  expect(json.message).not.toContain('nothing was written');
  expect(json.remediation).toContain('read_page');
});

test('grosse finds Größe, Größe finds grosse, and the excerpt has the very word', async () => {
  const { call } = await withPages({
    'A.md': 'Die Größe zählt.\n',
    'B.md': 'die grosse Tat\n',
    'C.md': 'nichts davon\n',
  });
  for (const query of ['grosse', 'Größe', 'GROSSE', 'GRÖẞE']) {
    const { json } = await call('search_pages', { query });
    expect(json.hits.map(({ page }: { page: string }) => page).sort()).toEqual(['A', 'B']);
    const [a] = json.hits.filter(({ page }: { page: string }) => page === 'A');
    expect(a.snippet).toContain('Größe');
  }
});
