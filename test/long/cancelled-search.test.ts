/** A search that is cancelled ends: nobody is answered, and nothing goes on behind the scenes. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { processorTimeOf } from '../kit/processor-time.ts';
import { answerJson } from '../kit/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { callTool, initialize, type RawClient, startRaw } from '../wire/notebook/raw-client.ts';

test('a cancelled search over thousands of notes gives no answer and frees the server', async () => {
  const text = 'lorem ipsum dolor sit amet, ünd so weiter\n'.repeat(60);
  const notes = Object.fromEntries(
    Array.from({ length: 2_000 }, (_, i) => [`f${i % 25}/n${i}.md`, `${text}${i}`]),
  );
  const search = { name: 'search_notes', arguments: { query: 'weiter lorem amet' } };
  // The first search of a process has all the notes to read; a test that was kept waiting until it ended begins anew.
  const beginSearch = async (tries = 3): Promise<RawClient> => {
    const started = await connected(await temporaryFolder({ 'b.md': 'b\n', ...notes }));
    started.send({ jsonrpc: '2.0', id: 'long', method: 'tools/call', params: search });
    await sleep(30);
    return tries > 1 && started.lines.some((line) => line.includes('"long"'))
      ? beginSearch(tries - 1)
      : started;
  };
  const client = await beginSearch();
  client.send({
    jsonrpc: '2.0',
    method: 'notifications/cancelled',
    params: { requestId: 'long', reason: 'enough' },
  });
  // Sent at once: a server still busy with the first search would answer the last before it reads.
  const read = callTool(client, 'read_note', { path: 'b.md' });
  const again = client.request('tools/call', search);
  const order: string[] = [];
  void read.then(() => order.push('read'));
  void again.then(() => order.push('search'));
  expect(answerJson((await read).result).content).toBe('b\n');
  expect((await again).result.content[1].text).toMatch(/^2000 notes match/);
  expect(order[0]).toBe('read');
  expect(client.lines.some((line) => line.includes('"long"'))).toBe(false);

  // All is indexed now, and what many searches take is the processor's time of the searches alone.
  const searchOften = async (ends: boolean) => {
    const used = processorTimeOf(client.pid);
    const ids = Array.from({ length: 20 }, (_, at) => `ended-${at}`);
    if (ends)
      for (const id of ids) {
        client.send({ jsonrpc: '2.0', id, method: 'tools/call', params: search });
        client.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      }
    else await Promise.all(ids.map(() => client.request('tools/call', search)));
    // A server still busy with cancelled searches would answer this one last.
    await client.request('tools/call', search);
    return used();
  };
  const whole = await searchOften(false);
  expect(await searchOften(true)).toBeLessThanOrEqual(whole / 2);
  expect(client.lines.some((line) => line.includes('"ended-'))).toBe(false);
  expect((await client.end()).code).toBe(0);
});

async function connected(folder: string): Promise<RawClient> {
  const client = startRaw([folder]);
  await initialize(client, '2025-11-25');
  client.send({ jsonrpc: '2.0', method: 'notifications/initialized' });
  return client;
}
