/** Servers that other people wrote, inside the sandbox. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Upstream, UpstreamOptions } from '../../src/upstream/upstream.ts';
import { describeWith } from '../kit/needs.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bubblewrap, confinementOf, PROJECT } from './sandbox-kit.ts';
import { nestedFor, operatorWho, processTarget, said, upstreamOf } from './upstream-kit.ts';

const MODULES = join(PROJECT, 'node_modules');

interface Setup extends Partial<UpstreamOptions> {
  readonly args?: readonly string[];
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly read?: readonly string[];
}

async function sandboxed(
  server: string,
  { args = [], env = {}, cwd, read = [], ...options }: Setup = {},
): Promise<Upstream> {
  const program = join(MODULES, '@modelcontextprotocol', server, 'dist/index.js');
  const target = await processTarget([program, ...args], {
    confinement: confinementOf('bwrap', { cwd, read: [MODULES, ...read] }),
    plan: {
      file: process.execPath,
      args: [program, ...args],
      env,
    },
  });
  return upstreamOf({ name: server, target, ...options });
}

const textOf = async (result: Promise<{ content: unknown[] }>) =>
  ((await result).content as { text: string }[])[0]?.text ?? '';

describeWith(bubblewrap, 'inside the sandbox', () => {
  it('server-everything: tools, resources, templates, prompts, completion, progress', async () => {
    const server = await sandboxed('server-everything');
    expect(await server.connect()).toMatchObject({ era: 'legacy', sandbox: 'bwrap', warnings: [] });
    expect((await server.list('tool')).map(({ name }) => name)).toContain('echo');
    expect(await textOf(server.call('echo', { message: 'hello' }))).toContain('hello');
    const [resource] = await server.list('resource');
    expect((await server.read(resource?.name ?? '')).contents).not.toHaveLength(0);
    expect(await server.list('template')).not.toHaveLength(0);
    const prompts = await server.list('prompt');
    expect(prompts).not.toHaveLength(0);
    const plain = prompts.find(({ arguments: wanted }) => wanted === undefined);
    expect((await server.getPrompt(plain?.name ?? '', {})).messages).not.toHaveLength(0);
    const seen: number[] = [];
    const long = { duration: 1, steps: 4 };
    await server.call('trigger-long-running-operation', long, {
      onProgress: ({ progress }) => seen.push(progress),
    });
    // The last one may come together with the answer.
    expect(seen.slice(0, 3)).toEqual([1, 2, 3]);
    expect(await server.ping()).toBeGreaterThan(0);
  });

  it('server-everything asks for the model and for roots', async () => {
    const roots = [await temporaryFolder()];
    const provider = async () => ({ model: 'small', text: 'four' });
    const nested = nestedFor(operatorWho(), { roots, sampling: { maxTokens: 10, perHour: 5, provider } });
    const server = await sandboxed('server-everything', { nested });
    const tools = (await server.list('tool')).map(({ name }) => name);
    expect(tools).toContain('trigger-sampling-request');
    const answer = server.call('trigger-sampling-request', { prompt: '2+2?', maxTokens: 100 });
    expect(await textOf(answer)).toContain('four');
    expect(server.nestedCounts.sampling).toBe(1);
  });

  it('server-filesystem reads what it was given and writes its own folder, and sees no other', async () => {
    const cwd = await temporaryFolder();
    const given = await temporaryFolder({ 'note.md': 'given' });
    const secret = await temporaryFolder({ 'secret.md': 'hush' });
    const inside = given.startsWith('/work/')
      ? '/quire-work'
      : PROJECT.startsWith('/work/')
        ? '/quire-work'
        : '/work';
    const server = await sandboxed('server-filesystem', { args: [inside, given], cwd, read: [given] });
    expect(await textOf(server.call('read_text_file', { path: join(given, 'note.md') }))).toBe('given');
    await server.call('write_file', { path: `${inside}/own.md`, content: 'mine' });
    expect(await readFile(join(cwd, 'own.md'), 'utf8')).toBe('mine');
    const into = await server.call('write_file', { path: join(given, 'note.md'), content: 'x' });
    expect(into.isError).toBe(true);
    // Configured to read everything, it still finds nothing there.
    const greedy = await sandboxed('server-filesystem', { args: ['/'] });
    const peek = await greedy.call('read_text_file', { path: join(secret, 'secret.md') });
    expect(peek.isError).toBe(true);
    expect(await readFile(join(given, 'note.md'), 'utf8')).toBe('given');
  });

  it('server-memory remembers from one start to the next, in its own folder', async () => {
    const cwd = await temporaryFolder();
    const inside = PROJECT.startsWith('/work/') ? '/quire-work' : '/work';
    const start = () =>
      sandboxed('server-memory', { cwd, env: { MEMORY_FILE_PATH: `${inside}/memory.jsonl` } });
    const first = await start();
    const entities = [{ name: 'Alex', entityType: 'person', observations: ['likes tea'] }];
    await first.call('create_entities', { entities });
    await first.close();
    const second = await start();
    expect(JSON.stringify(await said(second.call('read_graph', {})))).toContain('likes tea');
  });
});
