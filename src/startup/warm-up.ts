/**
 * Calls the search tool over a connection of its own while the client is idle, and drops the answers. V8 optimizes
 * code only after it has run many times, and the first searches of a session are often the only ones.
 */
import { PassThrough, Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from '@modelcontextprotocol/server';
import type { WarmUpSearch, WarmUpTarget } from '../app/services.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import { silentLog } from '../shared/log.ts';

interface ToolCall {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The client is idle when it has sent nothing for so long. */
const QUIET_MS = 300;
const PAUSE_MS = 4;
/** Of very many notes, each search takes long, and more of them would disturb what is still to be done after the start. */
const MOST_MS = 5_000;

export async function warmUp(
  createServer: () => Server,
  calls: readonly ToolCall[],
  target: WarmUpTarget,
): Promise<void> {
  // Not before the client's own requests have been answered.
  if (calls.length === 0 || !(await becomesIdle(target))) return;
  const stdin = new PassThrough();
  let answered = () => {};
  const stdout = new Writable({
    write(_, __, done) {
      answered();
      done();
    },
  });
  const over = serveOverStdio(createServer, { log: silentLog, streams: { stdin, stdout } });
  const ask = (id: number, method: string, params: unknown) =>
    new Promise<void>((resolve) => {
      answered = resolve;
      stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`);
    });
  const clientInfo = { name: 'rehearsal', version: '1' };
  await ask(0, 'initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
  let spent = 0;
  for (const [at, call] of calls.entries()) {
    if (spent > MOST_MS || !(await becomesIdle(target))) break;
    const begun = performance.now();
    await ask(at + 1, 'tools/call', call);
    spent += performance.now() - begun;
  }
  stdin.end();
  await over;
}

/** Resolves to true when the client is idle, to false when the process is closing. */
async function becomesIdle({ quietFor, signal }: WarmUpTarget): Promise<boolean> {
  do await sleep(Math.max(PAUSE_MS, QUIET_MS - quietFor()), undefined, { ref: false });
  while (quietFor() < QUIET_MS && !signal.aborted);
  return !signal.aborted;
}

/** Titles the calls are made of. Few, so that the notes stay in the cache. */
const TITLES = 12;
/** A search of fewer notes is fast without a warm-up. */
const ENOUGH_TITLES = 3 * TITLES;
const ROUNDS = 10;
const MOST_WORDS = 4;

/** Queries of one to four words: of one title, and of several, which find more. */
export async function searchCalls({ tool, titles: titlesOf }: WarmUpSearch): Promise<ToolCall[]> {
  const titles = await titlesOf(ENOUGH_TITLES);
  if (titles.length < ENOUGH_TITLES) return [];
  // From all over the index, as `titles` are.
  const some = titles.filter((_, at) => at % (ENOUGH_TITLES / TITLES) === 0);
  const words = some.map((title) => title.split(/\s+/));
  const mixed = (at: number, count: number) =>
    Array.from({ length: count }, (_, i) => words[(at + 7 * i) % TITLES]?.at(-1) ?? '');
  const calls = words.map((own, at) => {
    const count = 1 + (at % MOST_WORDS);
    const asked = at % 8 < MOST_WORDS ? own.slice(0, count) : mixed(at, count);
    return { name: tool, arguments: { query: asked.join(' ') } };
  });
  return Array.from({ length: ROUNDS }, () => calls).flat();
}
