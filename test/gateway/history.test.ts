/** Each tenant of the gateway has a history of its own, and only where the operator named a folder for it. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { openHistory } from '../../src/history/history.ts';
import { silentLog } from '../../src/shared/log.ts';
import { GATEWAY_TOKEN, headersFor, startGateway } from '../kit/gateway.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { type FakeTrilium, startTrilium } from '../kit/trilium/server.ts';

async function append(origin: string, headers: Record<string, string>, content: string): Promise<void> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp', origin), { requestInit: { headers } }),
  );
  onTestFinished(() => client.close());
  const args = { noteId: 'plan', mode: 'append', content };
  expect((await client.callTool({ name: 'write_note', arguments: args })).isError ?? false).toBe(false);
}

const trilium = () => startTrilium({ notes: [{ id: 'plan', title: 'Plan', content: '<p>one</p>' }] });
const placeIn = (folder: string) => ({ folder, days: 90, maxBytes: 1_000_000_000, required: true });

/** The texts that each history holds. */
async function textsIn(folder: string): Promise<string[][]> {
  const all: string[][] = [];
  for (const name of await readdir(folder)) {
    const history = openHistory({ folder: join(folder, name), days: 90, maxBytes: 1e9, log: silentLog });
    const edits = (await history.list()).flatMap((change) => change.edits);
    all.push(await Promise.all(edits.map(async ({ after }) => String(await history.text(after!)))));
    await history.close();
  }
  return all.sort();
}

test('tenants share no history, and two tokens of one Trilium are two tenants', async () => {
  const folder = await temporaryFolder();
  const [first, second]: FakeTrilium[] = [await trilium(), await trilium()];
  first!.tokens.add('another-token-of-it');
  const { origin } = await startGateway({}, { history: placeIn(folder) });
  await append(origin, headersFor(first!), '<p>aspen</p>');
  await append(origin, headersFor(second!), '<p>birch</p>');
  await append(origin, { ...headersFor(first!), 'X-Trilium-Token': 'another-token-of-it' }, '<p>cedar</p>');
  const tenants = join(folder, 'tenants');
  const names = await readdir(tenants);
  expect(names).toHaveLength(3);
  const texts = await Promise.all(names.map((name) => textsIn(join(tenants, name))));
  expect(texts.flat(2).sort()).toEqual([
    '<p>one</p><p>aspen</p>',
    '<p>one</p><p>aspen</p><p>cedar</p>',
    '<p>one</p><p>birch</p>',
  ]);
  // A folder's name is a digest, so that it tells neither the address nor the token.
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{32}$/);
});

test('without a folder nothing is kept, and changes are made all the same', async () => {
  const fake = await trilium();
  const { origin } = await startGateway();
  await append(origin, headersFor(fake), '<p>aspen</p>');
  expect(fake.text('plan')).toContain('aspen');
});

test('one Trilium for all clients has one history', async () => {
  const folder = await temporaryFolder();
  const only = await trilium();
  const { origin, close } = await startGateway(
    { tokens: [GATEWAY_TOKEN] },
    { only, history: placeIn(folder) },
  );
  await append(origin, headersFor(only), '<p>aspen</p>');
  await close();
  expect(await textsIn(folder)).toEqual([['<p>one</p><p>aspen</p>']]);
});
