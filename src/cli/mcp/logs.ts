/** `quire mcp logs <server>`: what a server writes to stderr, from its log. No server is started. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import { readPart, sizeOf } from '../../governance/files.ts';
import { AppError } from '../../shared/errors.ts';
import { printableText } from '../../shared/printable.ts';
import { type McpCall, type McpCommand, numberOf, plainOutput, SERVER } from './command.ts';
import { withServer } from './plane.ts';

const USUAL_LINES = 50;
const MAX_LINES = 100_000;
/** As much as a log may hold. */
const MAX_BYTES = 4 * 1024 * 1024;
const LOOK_MS = 200;

/** Where the stderr of a stdio server goes. */
function logFileOf({ stateDir }: Pick<ControlPlane, 'stateDir'>, { name }: UpstreamServer): string {
  return join(stateDir, `${name}.log`);
}

export const logs: McpCommand = {
  name: 'logs',
  summary: 'what a server wrote to stderr',
  arguments: [SERVER],
  options: [
    { flag: '--follow', description: 'go on with what it writes from now on, until Ctrl-C' },
    { flag: '--lines <n>', description: 'how many of the last lines', default: String(USUAL_LINES) },
  ],
  examples: [
    ['logs memory', 'its last lines'],
    ['logs memory --follow --lines 10', 'the last ten, and all that come'],
  ],
  run: (call) =>
    withServer(call, async ({ config }, server) => {
      const most = numberOf('--lines', call.options.lines, { min: 0, max: MAX_LINES }) ?? USUAL_LINES;
      if (server.transport !== 'stdio')
        throw new AppError('invalid_input', 'It is not started here, so it has no log here', {
          subject: server.name,
          hint: 'Only stdio servers have one: look where this server runs.',
        });
      const file = logFileOf(config, server);
      const size = await sizeOf(file);
      if (size === undefined && call.options.follow !== true)
        call.note(`It has written nothing yet: ${file}`);
      const text = await readPart(file, Math.max(0, (size ?? 0) - MAX_BYTES), size ?? 0);
      const lines = linesOf(text).slice(most === 0 ? Number.POSITIVE_INFINITY : -most);
      if (call.options.follow !== true)
        return plainOutput({ server: server.name, path: file, lines }, ...lines);
      if (lines.length > 0) await call.print(lines.join('\n'));
      await follow(file, size ?? 0, call);
      return plainOutput({ server: server.name, path: file });
    }),
};

/** Until the command is cancelled. A file that became shorter was begun anew. */
async function follow(file: string, from: number, { signal, print }: McpCall): Promise<void> {
  let at = from;
  while (!signal.aborted) {
    const size = (await sizeOf(file)) ?? 0;
    if (size < at) at = 0;
    const until = Math.min(size, at + MAX_BYTES);
    if (until > at) await print(printableText((await readPart(file, at, until)).toString('utf8')).trimEnd());
    at = until;
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined);
  }
  throw signal.reason;
}

function linesOf(bytes: Buffer): string[] {
  return printableText(bytes.toString('utf8')).replace(/\n$/, '').split('\n').filter(isNotOnlyOne);
}

/** An empty text has no lines, though it splits into one. */
function isNotOnlyOne(line: string, _: number, all: readonly string[]): boolean {
  return line !== '' || all.length > 1;
}
