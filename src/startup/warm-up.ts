/**
 * Calls a notebook's search tool over a connection of its own and throws the answers away, while the client is quiet.
 * V8 compiles code well only after it has run many times, and a person's first questions are often the only ones.
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

/** Somebody's own questions often come one after the other; this is for when they do not. */
const QUIET_MS = 300;
const PAUSE_MS = 4;

export async function warmUp(
  createServer: () => Server,
  calls: readonly ToolCall[],
  stage: WarmUpTarget,
): Promise<void> {
  // Also before the first word: whoever has just asked is about to be answered.
  if (calls.length === 0 || !(await hasTheStage(stage))) return;
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
  for (const [at, call] of calls.entries()) {
    if (!(await hasTheStage(stage))) break;
    await ask(at + 1, 'tools/call', call);
  }
  stdin.end();
  await over;
}

/** Resolves when it is quiet, or to false when somebody wants to leave. */
async function hasTheStage({ quietFor, signal }: WarmUpTarget): Promise<boolean> {
  do await sleep(Math.max(PAUSE_MS, QUIET_MS - quietFor()), undefined, { ref: false });
  while (quietFor() < QUIET_MS && !signal.aborted);
  return !signal.aborted;
}

/** Asked again and again, until V8 has compiled most of what a search takes; of few notes, which stay in memory. */
const REHEARSED = 12;
/** Fewer notes are searched in no time by cold code too. */
const WORTH_IT = 3 * REHEARSED;
const ROUNDS = 10;
const MOST_WORDS = 4;

/** Questions of one word, two, three and more: of one title, and of several, which find more. */
export async function searchCalls({ tool, titles: titlesOf }: WarmUpSearch): Promise<ToolCall[]> {
  const titles = await titlesOf(WORTH_IT);
  if (titles.length < WORTH_IT) return [];
  // From all over the index, as those are.
  const some = titles.filter((_, at) => at % (WORTH_IT / REHEARSED) === 0);
  const words = some.map((title) => title.split(/\s+/));
  const mixed = (at: number, count: number) =>
    Array.from({ length: count }, (_, i) => words[(at + 7 * i) % REHEARSED]?.at(-1) ?? '');
  const calls = words.map((own, at) => {
    const count = 1 + (at % MOST_WORDS);
    const asked = at % 8 < MOST_WORDS ? own.slice(0, count) : mixed(at, count);
    return { name: tool, arguments: { query: asked.join(' ') } };
  });
  return Array.from({ length: ROUNDS }, () => calls).flat();
}
