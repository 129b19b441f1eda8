/** Serves a notebook to the client that started this process. */
import { serveOverStdio } from '../mcp/stdio.ts';
import type { ToolCallRecord } from '../mcp/tool.ts';
import { silentLog } from '../shared/log.ts';
import { type NotebookServer, serverOf } from './notebooks.ts';
import type { Services } from './services.ts';

/** Lets the first answers go out before the notes are listed. */
const START_DELAY_MS = 40;

const STDIO_SESSION = 'stdio';

/** Resolves when the client is gone and the notebook is closed. */
export async function serveFolderOverStdio(
  served: NotebookServer,
  { log, startup }: Pick<Services, 'log' | 'startup'>,
  onConnected: () => void,
): Promise<void> {
  const leaving = new AbortController();
  let lastUsed = performance.now();
  const start = async () => {
    served.start();
    const { limited, backend, warmUpSearch } = served;
    if (!warmUpSearch) return;
    await startup?.warmUp?.(() => serverOf({ limited, backend }, { log: silentLog }), warmUpSearch, {
      quietFor: () => performance.now() - lastUsed,
      signal: leaving.signal,
    });
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
