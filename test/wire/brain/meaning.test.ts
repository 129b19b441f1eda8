/** Passages found by what they mean, with a server of embeddings on this machine. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { wordEmbedder } from '../../kit/embedder.ts';
import { startProgram } from '../../kit/server.ts';
import { ownCache, putFile, temporaryFolder } from '../../kit/temp.ts';
import { expectRecalled, NOTES, wholeOf } from './support.ts';

async function startEmbeddings(): Promise<string> {
  const embedder = wordEmbedder([['crane', 'hoist']]);
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { input } = JSON.parse(Buffer.concat(chunks).toString()) as { input: string[] };
    const vectors = await embedder.embed(input);
    const data = vectors.map((vector, index) => ({ index, embedding: [...vector] }));
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ data }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

async function configured(url: string): Promise<string> {
  const embeddings = `{ base_url: "${url}", model: words, api_key: "\${env:EMBED_KEY}" }`;
  const yaml = `notebooks:\n  main: { folder: ./notes }\nbrain: { embeddings: ${embeddings} }\n`;
  const folder = await temporaryFolder({ 'quire.yaml': yaml });
  for (const [path, text] of Object.entries(NOTES)) await putFile(folder, `notes/${path}`, text);
  return folder;
}

it('finds what no word of the query stands in, and says how far it is', async () => {
  const folder = await configured(await startEmbeddings());
  const env = { EMBED_KEY: 'secret-of-embeddings', XDG_CACHE_HOME: await ownCache() };
  const { call, client } = await startProgram(['brain', '--config', `${folder}/quire.yaml`], { env });
  const semantic = async () => wholeOf(await call('sb_recall', { query: 'hoist', mode: 'semantic' }));
  await expect.poll(async () => (await semantic()).mode_used, { timeout: 30_000 }).toBe('semantic');
  const { results } = await semantic();
  expect(results[0].citation.source_path).toBe('projects/harbour.md');
  expectRecalled(results[0]);
  const { contents } = await client.readResource({ uri: 'secondbrain://context/status' });
  const { text } = contents[0] as { text: string };
  expect(JSON.parse(text)).toMatchObject({
    embedder: { kind: 'openai', notes: 3, embedded_notes: 3 },
    vault: { notes: 3, chunks: expect.any(Number) },
  });
  expect(text).not.toContain('secret-of-embeddings');
});

it('works without a server that is not there', async () => {
  const folder = await configured('http://127.0.0.1:9/v1');
  const env = { EMBED_KEY: 'k', XDG_CACHE_HOME: await ownCache() };
  const { call } = await startProgram(['brain', '--config', `${folder}/quire.yaml`], { env });
  const { results, mode_used: mode } = wholeOf(await call('sb_recall', { query: 'harbour crane' }));
  expect([results[0].citation.source_path, mode]).toEqual(['projects/harbour.md', 'keyword']);
});

it('finds what no word of the query stands in without a model, once there are enough notes', async () => {
  const parts = ['jib', 'cable', 'harbour', 'load', 'operator', 'winch'];
  const notes = Array.from({ length: 60 }, (_, at): [string, string] => {
    const others = parts.filter((_part, i) => (at + i) % 3 !== 0).join(', ');
    const text =
      at % 2 === 0 ? `The ${at % 4 === 0 ? 'crane' : 'hoist'}: ${others}.` : `Tea, cups, biscuits ${at}.`;
    return [`${at}.md`, text];
  });
  const folder = await temporaryFolder(Object.fromEntries(notes));
  const env = { XDG_CACHE_HOME: await ownCache() };
  const { call } = await startProgram(['brain', folder], { env });
  const semantic = async () =>
    wholeOf(await call('sb_recall', { query: 'hoist', mode: 'semantic', limit: 20 }));
  await expect.poll(async () => (await semantic()).mode_used, { timeout: 30_000 }).toBe('semantic');
  const { results } = await semantic();
  const paths: string[] = results.map(
    (one: { citation: { source_path: string } }) => one.citation.source_path,
  );
  expect(paths.some((path) => Number.parseInt(path, 10) % 4 === 0)).toBe(true);
  expect(paths.every((path) => Number.parseInt(path, 10) % 2 === 0)).toBe(true);
  expect(wholeOf(await call('sb_recall', { query: 'hoist cable' })).mode_used).toBe('hybrid');
});

it('starts with a configuration that names the packaged model, and says that it is gone', async () => {
  const { call, stderr } = await startProgram(
    ['brain', await temporaryFolder(NOTES), '--embeddings', 'packaged'],
    {
      env: { XDG_CACHE_HOME: await ownCache() },
    },
  );
  expect(wholeOf(await call('sb_recall', { query: 'harbour crane' })).results.length).toBeGreaterThan(0);
  expect(stderr()).toContain('there is no packaged embedding model any more, and none is needed');
});
