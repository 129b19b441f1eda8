/** Serves what is open to the one client that started this process. */

import { serveOverStdio } from '../mcp/stdio.ts';
import type { ToolCallRecord } from '../mcp/tool.ts';
import { silentLog } from '../shared/log.ts';
import { type NotebookServer, serverOf } from './notebooks.ts';
import type { Services } from './services.ts';

/** The first answers come before the notes are listed. */
const START_DELAY_MS = 40;

/** The one connection there is. */
const STDIO_SESSION = 'stdio';

/** Until the client is gone; then everything is closed. */
export async function serveFolderOverStdio(
  served: NotebookServer,
  { log, startup }: Pick<Services, 'log' | 'startup'>,
  onConnected: () => void,
): Promise<void> {
  const leaving = new AbortController();
  let lastWord = performance.now();
  const start = async () => {
    served.start();
    const { limited, backend, warmUpSearch } = served;
    if (!warmUpSearch) return;
    await startup?.warmUp?.(() => serverOf({ limited, backend }, { log: silentLog }), warmUpSearch, {
      quietFor: () => performance.now() - lastWord,
      signal: leaving.signal,
    });
  };
  const onCalled = ({ line }: ToolCallRecord) => {
    lastWord = performance.now();
    if (line) log(line.level, line.message, line.fields);
  };
  const over = serveOverStdio(
    () => {
      process.stdin.on('data', () => {
        lastWord = performance.now();
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
