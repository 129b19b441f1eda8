import { expect, test } from 'vitest';
import { withPages } from '../../kit/server.ts';
import { errorOf, expectCode, expectOk } from './support.ts';

const PIXEL = Uint8Array.of(0x89, 0x50, 0x4e, 0x47);
const SEED = {
  'a.md': 'page',
  'img/p.png': PIXEL,
  'img/q.jpg': Uint8Array.of(0xff, 0xd8),
  'data.csv': 'a,b\n1,2\n',
  'doc.pdf': Uint8Array.of(1, 2, 3),
  '.silverbullet.auth.json': 'secret',
  '_trash/2026-11/old.png': PIXEL,
};
const open = (seed: Record<string, string | Uint8Array> = SEED) => withPages(seed, { extended: true });

test('files that are not pages, by path, with size and type', async () => {
  const { call } = await open();
  const { json } = expectOk(await call('list_attachments'));
  expect(json.count).toBe(4);
  expect(json.attachments.map(({ path }: { path: string }) => path)).toEqual([
    'data.csv',
    'doc.pdf',
    'img/p.png',
    'img/q.jpg',
  ]);
  expect(json.attachments[2]).toEqual({
    path: 'img/p.png',
    size: 4,
    contentType: 'image/png',
    lastModified: expect.any(Number),
  });
  for (const folder of ['img', '/img/'])
    expect((await call('list_attachments', { folder })).json.count, folder).toBe(2);
  expect((await call('list_attachments', { folder: 'none' })).json.attachments).toEqual([]);
  for (const folder of ['..', '.git', 'a/../..'])
    expectCode(await call('list_attachments', { folder }), 'invalid_path');
});

test('a long list comes in parts', async () => {
  const seed = Object.fromEntries(
    Array.from({ length: 1_200 }, (_, i) => [`images/picture ${i}.png`, PIXEL]),
  );
  const { call } = await open(seed);
  const first = (await call('list_attachments')).json;
  const second = (await call('list_attachments', { cursor: first.next_cursor })).json;
  expect(first.attachments.length + second.attachments.length).toBe(1_200);
  expect(second.next_cursor).toBeUndefined();
});

test('an image is shown as an image, text as text, the rest as a blob', async () => {
  const { call } = await open();
  const image = expectOk(await call('read_attachment', { path: 'img/p.png' }));
  expect(image.json).toEqual({ path: 'img/p.png', size: 4, contentType: 'image/png' });
  expect(image.content[1]).toEqual({
    type: 'image',
    data: Buffer.from(PIXEL).toString('base64'),
    mimeType: 'image/png',
  });
  expect((await call('read_attachment', { path: '/data.csv' })).content[1]).toEqual({
    type: 'text',
    text: 'a,b\n1,2\n',
  });
  expect((await call('read_attachment', { path: 'doc.pdf' })).content[1]).toMatchObject({
    type: 'resource',
    resource: { mimeType: 'application/pdf' },
  });
});

test('pages, secrets, what is missing and what is too large', async () => {
  const { call } = await open({
    ...SEED,
    'big.png': new Uint8Array(5 * 1024 * 1024 + 1),
    'big.csv': 'x'.repeat(300_000),
  });
  expect(errorOf(await call('read_attachment', { path: 'a.md' })).remediation).toContain('read_page');
  expectCode(await call('read_attachment', { path: '.silverbullet.auth.json' }), 'invalid_path');
  expect(expectCode(await call('read_attachment', { path: 'no.png' }), 'not_found').remediation).toContain(
    'list_attachments',
  );
  expectCode(await call('read_attachment', { path: 'img' }), 'invalid_path');
  expectCode(await call('read_attachment', { path: 'big.png' }), 'too_large', {
    status: 413,
    limit: 5 * 1024 * 1024,
  });
  expectCode(await call('read_attachment', { path: 'big.csv' }), 'too_large', { status: 413 });
});
