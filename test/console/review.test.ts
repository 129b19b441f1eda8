/** The review page over HTTP: what waits, what a decision does, and what it refuses. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { connectClient, serveConsole, signIn } from '../kit/console.ts';
import { temporaryFolder } from '../kit/temp.ts';

const TEXT = '# A\n\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\n';

async function reviewing(review = 'all') {
  const folder = await temporaryFolder({ 'a.md': TEXT, 'b.md': '# B\n' });
  const server = await serveConsole({ config: { review, notebooks: { notes: { folder } } } });
  const client = await connectClient(server, { mode: 'legacy' });
  const call = async (name: string, args: Record<string, unknown>) => {
    const result = await client.callTool({ name, arguments: args });
    const texts = (result.content as { text: string }[]).map(({ text }) => text);
    return { id: String(result._meta?.['quire/proposal'] ?? ''), texts, isError: result.isError === true };
  };
  const read = (name: string) => readFile(join(folder, name), 'utf8');
  const write = (name: string, text: string) => writeFile(join(folder, name), text);
  return { server, person: await signIn(server), call, read, write };
}

const patched = (from: string, to: string) => ({ path: 'a.md', oldString: from, newString: to });
const rewritten = TEXT.replace('two', 'TWO').replace('eight', 'EIGHT');

test('a proposal is accepted in parts, and the assistant learns what became of it', async () => {
  const { person, call, read } = await reviewing();
  const { id, texts } = await call('write_note', { path: 'a.md', content: rewritten });
  expect(texts.at(-1)).toMatch(new RegExp(`proposal ${id} .*/console/review\\?id=${id}`));
  expect(await read('a.md')).toBe(TEXT);
  expect((await person.get('/console/review')).text).toContain('change a.md');
  const { text: page } = await person.get(`/console/review?id=${id}`);
  expect(page).toContain('Part 2, line 10');
  const fields = { id, action: 'accept', 'parts-0': '2', part: ['0.1'], comment: 'not the first one' };
  expect((await person.post('/console/review', fields)).status).toBe(303);
  expect(await read('a.md')).toBe(TEXT.replace('eight', 'EIGHT'));
  expect((await call('read_note', { path: 'b.md' })).texts.at(-1)).toBe(
    `Your proposal ${id} (change a.md) was accepted in part by operator, who says: not the first one.`,
  );
  expect((await call('read_note', { path: 'b.md' })).texts).toHaveLength(1);
  const changes = await call('list_changes', {});
  expect(changes.texts[0]).toMatch(/"tool":"write_note".*"by":"test 1.0","acceptedBy":"operator"/);
  const change = /"id":"(\w+)"/.exec(changes.texts[0] ?? '')?.[1] ?? '';
  const { text } = await person.get(`/console/change?notebook=notes&id=${change}`);
  expect(text).toContain('<dt>Accepted by</dt><dd>operator</dd>');
});

test('what a person wrote meanwhile stays: it is merged, or the proposal waits', async () => {
  const { person, call, read, write } = await reviewing();
  const far = await call('patch_note', patched('two', 'TWO'));
  await write('a.md', TEXT.replace('nine', 'NINE'));
  await person.post('/console/review', { id: far.id, action: 'accept', 'parts-0': '1', part: '0.0' });
  expect(await read('a.md')).toBe(TEXT.replace('two', 'TWO').replace('nine', 'NINE'));
  const near = await call('patch_note', patched('six', 'SIX'));
  const mine = (await read('a.md')).replace('six', 'my own six');
  await write('a.md', mine);
  const refused = await person.post('/console/review', {
    id: near.id,
    action: 'accept',
    'parts-0': '1',
    part: '0.0',
  });
  expect([refused.status, refused.text.includes('changed since, in the same lines')]).toEqual([409, true]);
  expect(await read('a.md')).toBe(mine);
  await person.post('/console/review', { id: near.id, action: 'reject' });
  expect((await person.get('/console/review')).text).toContain('Nothing waits');
  expect(await read('a.md')).toBe(mine);
  // Decided is decided.
  const again = await person.post('/console/review', { id: near.id, action: 'reject' });
  expect(again.status).toBe(409);
});

test('all at once, the oldest first; later ones build on earlier ones', async () => {
  const { person, call, read } = await reviewing();
  const ids = [];
  for (const word of ['one', 'two', 'three'])
    ids.push((await call('patch_note', patched(word, word.toUpperCase()))).id);
  ids.push((await call('write_note', { path: 'new/c.md', content: 'hello' })).id);
  await person.post('/console/review', { all: 'accept', id: ids });
  expect(await read('a.md')).toBe(TEXT.replace('one', 'ONE').replace('two', 'TWO').replace('three', 'THREE'));
  expect(await read('new/c.md')).toBe('hello');
});

test('a write that changes nothing is no proposal', async () => {
  const { call, read } = await reviewing();
  const { id, isError } = await call('write_note', { path: 'a.md', content: TEXT });
  expect([id, isError, await read('a.md')]).toEqual(['', false, TEXT]);
});

test('destructive: only what deletes or replaces a note waits', async () => {
  const { call, read } = await reviewing('destructive');
  expect((await call('patch_note', patched('two', 'TWO'))).id).toBe('');
  expect(await read('a.md')).toBe(TEXT.replace('two', 'TWO'));
  expect((await call('write_note', { path: 'c.md', content: 'c' })).id).toBe('');
  expect(await read('c.md')).toBe('c');
  expect((await call('write_note', { path: 'a.md', content: 'gone' })).id).not.toBe('');
  expect((await call('delete_note', { path: 'b.md', confirmPath: 'b.md' })).id).not.toBe('');
  expect(await read('b.md')).toBe('# B\n');
});

test('an assistant cannot undo past the review, and a bad form is an error that changes nothing', async () => {
  const { person, call, read } = await reviewing();
  const { id } = await call('patch_note', patched('two', 'TWO'));
  for (const fields of [
    { id, action: 'nonsense' },
    { id: 'p0000000000000000', action: 'accept' },
    { id: '', action: 'accept' },
  ]) {
    const { status } = await person.post('/console/review', fields);
    expect([fields, status >= 400 && status < 500]).toEqual([fields, true]);
  }
  const wrong = await person.post('/console/review', { id, action: 'accept', 'parts-0': '5', part: '0.4' });
  expect(wrong.status).toBe(400);
  expect(await read('a.md')).toBe(TEXT);
  await person.post('/console/review', { id, action: 'accept' });
  const { texts } = await call('list_changes', {});
  const [change] = (JSON.parse(texts[0] ?? '{}') as { changes: { id: string }[] }).changes;
  const undone = await call('undo_changes', { id: change?.id });
  expect([undone.isError, undone.texts[0]]).toEqual([true, expect.stringContaining('reviewed by a person')]);
  expect(await read('a.md')).toBe(TEXT.replace('two', 'TWO'));
});
