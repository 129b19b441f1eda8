/** Serves notes to the client that started this process. */
import { serveOverStdio } from '../mcp/stdio.ts';
import type { ToolCallRecord } from '../mcp/tool.ts';
import { silentLog } from '../shared/log.ts';
import { type NotebookServer, type ServerSurface, serverOf } from './notebooks.ts';
import type { Services, WarmUpSearch } from './services.ts';

/** Lets the first answers go out before the notes are listed. */
const START_DELAY_MS = 40;

const STDIO_SESSION = 'stdio';

/** What is served to one client: a notebook, or several that are joined. */
export interface StdioServer extends ServerSurface, Pick<NotebookServer, 'start' | 'close'> {
  /** Search tools, to be called while the client is idle. */
  readonly warmUpSearches: readonly WarmUpSearch[];
}

/** Resolves when the client is gone and the notes are closed. */
export async function serveNotesOverStdio(
  served: StdioServer,
  { log, startup }: Pick<Services, 'log' | 'startup'>,
  onConnected: () => void,
): Promise<void> {
  const leaving = new AbortController();
  let lastUsed = performance.now();
  const start = async () => {
    served.start();
    const { limited, backend, warmUpSearches } = served;
    const client = { quietFor: () => performance.now() - lastUsed, signal: leaving.signal };
    for (const search of warmUpSearches)
      await startup?.warmUp?.(() => serverOf({ limited, backend }, { log: silentLog }), search, client);
    await startup?.tidyMemory?.(client);
  };
  const onCalled = ({ line }: ToolCallRecord) => {
    lastUsed = performance.now();
    if (line) log(line.level, line.message, line.fields);
  };
  const over = serveOverStdio(
    () => {
      process.stdin.on('data', () => {
        lastUsed = performance.now();
      });
      setTimeout(() => void start().catch(() => {}), START_DELAY_MS).unref();
      return serverOf(served, { log, onCalled, session: STDIO_SESSION });
    },
    { log, resources: served.resources },
  );
  onConnected();
  await over;
  leaving.abort();
  await served.close();
}
