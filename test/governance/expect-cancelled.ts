/** A slow tool of an upstream server reports progress, and is notified when its call is cancelled. */
import type { Client } from '@modelcontextprotocol/client';
import { expect } from 'vitest';
import type { ConfigFixture } from './exposed-kit.ts';
import { until } from './upstream-kit.ts';

export async function expectProgressAndCancel(client: Client, written: ConfigFixture): Promise<void> {
  const seen: unknown[] = [];
  const giveUp = new AbortController();
  const slow = client.callTool(
    { name: 'box__get_slowly', arguments: {} },
    {
      signal: giveUp.signal,
      onprogress: (progress) => {
        seen.push(progress);
        if (seen.length === 3) giveUp.abort('enough');
      },
    },
  );
  await expect(slow).rejects.toThrow();
  expect(seen).toEqual([1, 2, 3].map((at) => ({ progress: at, total: 3, message: `step ${at}` })));
  await until(async () => (await written.audit()).at(-1)?.outcome === 'cancelled');
  const cancelled = await client.callTool({ name: 'box__get_cancelled', arguments: {} });
  expect(cancelled).toMatchObject({ content: [{ text: '1' }] });
}
