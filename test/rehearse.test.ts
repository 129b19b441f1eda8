import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import * as z from 'zod';
import { createServer } from '../src/mcp/server.ts';
import { defineToolFor, type Surface } from '../src/mcp/tool.ts';
import { limitSurface } from '../src/mcp/tool-list.ts';
import { AppError } from '../src/shared/errors.ts';
import { silentLog } from '../src/shared/log.ts';
import { warmUp } from '../src/startup/warm-up.ts';

/** A surface whose one tool remembers what it was asked. */
function listening(asked: string[], onAsked = () => {}): Surface<undefined> {
  const listen = defineToolFor<undefined>()({
    name: 'listen',
    title: 'Listen',
    description: 'Listens.',
    effect: 'read',
    input: () => z.object({ query: z.string() }),
    output: () => z.object({}),
    run: async ({ query }) => {
      asked.push(query);
      onAsked();
      if (query === 'bad') throw new AppError('not_found', 'No such thing');
      return { value: {} };
    },
  });
  const content = [{ type: 'text' as const, text: 'Error' }];
  return {
    id: 'listening',
    instructions: '',
    tools: [listen],
    renderError: () => ({ content, isError: true }),
  };
}

const callsFor = (queries: readonly string[]) =>
  queries.map((query) => ({ name: 'listen', arguments: { query } }));

const serverFor = (surface: Surface<undefined>) => () =>
  createServer({
    limited: limitSurface(surface, { readOnly: false, noDelete: false }),
    backend: undefined,
    version: '1',
    log: silentLog,
  });

describe('a rehearsal', () => {
  it('calls the tools the way a client does, errors or not, and ends', async () => {
    const asked: string[] = [];
    await warmUp(serverFor(listening(asked)), callsFor(['one', 'bad', 'two']), {
      quietFor: () => 1_000,
      signal: new AbortController().signal,
    });
    expect(asked).toEqual(['one', 'bad', 'two']);
  });

  it('waits while clients send requests', async () => {
    const asked: string[] = [];
    let lastCall = performance.now();
    const asking = setInterval(() => {
      lastCall = performance.now();
    }, 20);
    const done = warmUp(serverFor(listening(asked)), callsFor(['one']), {
      quietFor: () => performance.now() - lastCall,
      signal: new AbortController().signal,
    });
    await setTimeout(500);
    expect(asked).toEqual([]);
    clearInterval(asking);
    await done;
    expect(asked).toEqual(['one']);
  });

  it('does not even begin while clients send requests', async () => {
    let begun = false;
    const leaving = new AbortController();
    const createServer = () => {
      begun = true;
      return serverFor(listening([]))();
    };
    const done = warmUp(createServer, callsFor(['one']), { quietFor: () => 0, signal: leaving.signal });
    await setTimeout(400);
    leaving.abort();
    await done;
    expect(begun).toBe(false);
  });

  it('stops when the process is to exit', async () => {
    const asked: string[] = [];
    const leaving = new AbortController();
    const surface = listening(asked, () => leaving.abort());
    await warmUp(serverFor(surface), callsFor(['one', 'two']), {
      quietFor: () => 1_000,
      signal: leaving.signal,
    });
    expect(asked).toEqual(['one']);
  });
});
