/** Huge notes: answers stay small, say how to go on, and the server's memory stays within bounds. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { bytesOf, fingerprint, served, type VaultServer } from '../holes/served.ts';

const MAX_ANSWER = 500_000;
const MAX_MEMORY_MB = 400;

const HUGE = Array.from(
  { length: 500_000 },
  (_, at) => `line ${String(at).padStart(7, '0')} ${'.'.repeat(66)}`,
)
  .join('\n')
  .concat('\nlast needle\n');

async function sizeOfAnswer(
  { client }: VaultServer,
  name: string,
  args: Record<string, unknown>,
): Promise<number> {
  return Buffer.byteLength(JSON.stringify(await client.callTool({ name, arguments: args })));
}

function peakMemoryMb(pid: number): number {
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(peak) / 1024;
}

test('a note of 40 MB is read in pages that go on where the last one ended', async () => {
  expect(HUGE.length).toBeGreaterThan(40_000_000);
  const server = await served({ 'huge.md': HUGE });
  const { folder, call, pid } = server;
  const before = fingerprint(bytesOf(folder, 'huge.md'));
  const first = (await call('read_note', { path: 'huge.md' })).json;
  expect(first.note).toContain(`offset=${first.next}`);
  const second = (await call('read_note', { path: 'huge.md', offset: first.next })).json;
  expect(first.content + second.content).toBe(HUGE.slice(0, second.next));
  expect(second.next).toBeGreaterThan(first.next);
  const last = (await call('read_note', { path: 'huge.md', offset: HUGE.length - 1_000 })).json;
  expect(last.content).toBe(HUGE.slice(-1_000));
  expect(last.next).toBeUndefined();
  expect(await sizeOfAnswer(server, 'read_note', { path: 'huge.md' })).toBeLessThan(MAX_ANSWER);
  expect(await sizeOfAnswer(server, 'read_multiple_notes', { paths: ['huge.md', 'huge.md'] })).toBeLessThan(
    MAX_ANSWER,
  );
  for (const tool of ['get_frontmatter', 'manage_tags'])
    expect(
      await sizeOfAnswer(server, tool, {
        path: 'huge.md',
        ...(tool === 'manage_tags' && { operation: 'list' }),
      }),
    ).toBeLessThan(MAX_ANSWER);
  expect(fingerprint(bytesOf(folder, 'huge.md'))).toBe(before);
  expect(peakMemoryMb(pid)).toBeLessThan(MAX_MEMORY_MB);
});

test('the pages of a long note, put together, are the note, whatever its characters', async () => {
  const text = Array.from({ length: 40_000 }, (_, at) => `🎉é日"\\ ${at}`).join('\r\n');
  const { call } = await served({ 'a.md': `---\ntitle: x\n---\n${text}` });
  let whole = '';
  let offset: number | undefined = 0;
  for (let page = 0; offset !== undefined && page < 50; page++) {
    const { json } = await call('read_note', { path: 'a.md', offset });
    whole += json.content;
    offset = json.next;
  }
  expect(whole).toBe(text);
});

test('a search over a note of 40 MB and a line of 2 MB has a short answer and a bounded memory', async () => {
  const server = await served({
    'huge.md': HUGE,
    'line.md': `${'x'.repeat(1_000_000)} needle ${'y'.repeat(1_000_000)}`,
    'accents.md': `${'é'.repeat(50_000)} needle ${'ü'.repeat(50_000)}`,
    'small.md': 'needle\n',
  });
  const before = fingerprint(bytesOf(server.folder, 'huge.md'));
  const { json } = await server.call('search_notes', { query: 'needle' });
  const byPath = Object.fromEntries(json.map((hit: { p: string }) => [hit.p, hit]));
  expect(Object.keys(byPath).sort()).toEqual(['accents.md', 'huge.md', 'line.md', 'small.md']);
  expect(byPath['huge.md'].ln).toBe(500_001);
  expect(byPath['line.md'].ln).toBe(1);
  for (const { ex } of json) {
    expect(ex).toContain('needle');
    expect(ex.length).toBeLessThan(500);
  }
  expect(await sizeOfAnswer(server, 'search_notes', { query: 'needle' })).toBeLessThan(20_000);
  expect(await sizeOfAnswer(server, 'search_notes', { query: 'line x é', limit: 100 })).toBeLessThan(20_000);
  expect(await sizeOfAnswer(server, 'search_notes', { query: 'x'.repeat(1_000) })).toBeLessThan(20_000);
  expect(fingerprint(bytesOf(server.folder, 'huge.md'))).toBe(before);
  expect(peakMemoryMb(server.pid)).toBeLessThan(MAX_MEMORY_MB);
});

test('a search over a note of 40 MB full of accents is as bounded', async () => {
  const line = 'Süße Früchte, größer als üblich: Äpfel, Pfläumchen, Kürbisse, Möhren\n';
  const text = `${line.repeat(Math.ceil(40_000_000 / Buffer.byteLength(line)))}needle\n`;
  const server = await served({ 'huge.md': text });
  const { json } = await server.call('search_notes', { query: 'needle' });
  expect(json[0].ln).toBe(text.split('\n').length - 1);
  expect(peakMemoryMb(server.pid)).toBeLessThan(MAX_MEMORY_MB);
});

test('an edit in a note of 40 MB changes its own bytes only', async () => {
  const { folder, call } = await served({ 'huge.md': HUGE });
  await call('patch_note', { path: 'huge.md', oldString: 'last needle', newString: 'last word' });
  expect(bytesOf(folder, 'huge.md').equals(Buffer.from(HUGE.replace('last needle', 'last word')))).toBe(true);
  const miss = await call('patch_note', { path: 'huge.md', oldString: 'x'.repeat(1_000_000), newString: '' });
  expect(miss.isError).toBe(true);
  expect(miss.text.length).toBeLessThan(2_000);
});

test('a long line is shown cut where an edit comes near it', async () => {
  const text = `start ${'x'.repeat(2_000_000)} needle\n`;
  const { folder, call } = await served({ 'a.md': text });
  const miss = await call('patch_note', {
    path: 'a.md',
    oldString: `start ${'x'.repeat(300)}z`,
    newString: '',
  });
  expect(miss.isError).toBe(true);
  expect(miss.text.length).toBeLessThan(2_000);
  expect(bytesOf(folder, 'a.md').toString()).toBe(text);
});

test('a folder of thousands of notes is listed in pages', async () => {
  const names = Array.from(
    { length: 2_000 },
    (_, at) => `${'long-name-'.repeat(8)}${String(at).padStart(5, '0')}.md`,
  );
  const { call } = await served(Object.fromEntries(names.map((name) => [name, 'x'])));
  const seen: string[] = [];
  let offset: number | undefined = 0;
  for (let page = 0; offset !== undefined && page < 20; page++) {
    const { json, text } = await call('list_directory', { offset });
    expect(text.length).toBeLessThan(MAX_ANSWER / 2);
    seen.push(...json.files);
    offset = json.next;
  }
  expect(seen).toEqual(names);
});
