/** Servers ask back in two eras over two transports, and get the same answers from the same handlers. */
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Target } from '../../src/upstream/target.ts';
import { startServer } from '../conformance/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { testServer } from './sandbox-kit.ts';
import { nestedFor, operatorWho, processTarget, upstreamOf } from './upstream-kit.ts';

async function targetOf(transport: string): Promise<Target> {
  if (transport === 'stdio') return processTarget([testServer('modern.mjs')]);
  const server = await startServer();
  onTestFinished(server.close);
  return { transport: 'streamable_http', url: server.url, headers: {}, allowPrivate: false };
}

describe.each([
  ['stdio', 'legacy'],
  ['stdio', 'modern'],
  ['HTTP', 'legacy'],
  ['HTTP', 'modern'],
] as const)('over %s in the %s era', (transport, era) => {
  it('roots, the model and the operator answer alike', async () => {
    const folder = await temporaryFolder();
    const operator = operatorWho({ askForm: async () => ({ action: 'accept', content: { name: 'Alex' } }) });
    const provider = async () => ({ model: 'small', text: 'Paris' });
    const nested = nestedFor(operator, {
      roots: [folder],
      elicitation: { form: true, url: true },
      sampling: { maxTokens: 50, perHour: 5, provider },
    });
    const upstream = upstreamOf({ target: await targetOf(transport), nested, era });
    const hear = async (name: string) => {
      const [first] = (await upstream.call(`test_input_required_result_${name}`, {})).content;
      return first?.type === 'text' ? first.text : '';
    };
    expect((await upstream.connect()).era).toBe(era);
    expect(await hear('elicitation')).toBe('Hello, Alex!');
    expect(await hear('sampling')).toContain('Paris');
    expect(await hear('list_roots')).toContain(pathToFileURL(folder).href);
    expect(upstream.nestedCounts).toEqual({
      roots: 1,
      sampling: 1,
      elicitation: { accept: 1, decline: 0, cancel: 0 },
    });
  });

  it('a timeout is -32001 and giving up -32800', async () => {
    const operator = operatorWho({ askForm: () => new Promise(() => undefined) });
    const nested = nestedFor(operator, { elicitation: { form: true, url: true }, waitMs: 300 });
    const upstream = upstreamOf({ target: await targetOf(transport), nested, era });
    await upstream.connect();
    const caller = new AbortController();
    setTimeout(() => caller.abort(), 100);
    const ask = (options: { signal?: AbortSignal; timeoutMs?: number }) =>
      upstream.call('test_input_required_result_elicitation', {}, options);
    await expect(ask({ signal: caller.signal })).rejects.toMatchObject({ details: { rpc: -32800 } });
    // The operator does not answer: the clock stands still for as long as that may take, and no longer.
    await expect(ask({ timeoutMs: 200 })).rejects.toThrow();
  });
});
