/** Serves what is open to the one client that started this process. */

import { rehearse } from '../mcp/rehearse.ts';
import { serveOverStdio } from '../mcp/stdio.ts';
import type { Called } from '../mcp/tool.ts';
import { type Log, silentLog } from '../shared/log.ts';
import { type Served, serverOf } from './notebooks.ts';

/** The first answers come before the notes are listed. */
const START_DELAY_MS = 40;

/** The one connection there is. */
const STDIO_SESSION = 'stdio';

/** Until the client is gone; then everything is closed. */
export async function serveFolderOverStdio(served: Served, log: Log, onConnected: () => void): Promise<void> {
  const leaving = new AbortController();
  let lastWord = performance.now();
  const start = async () => {
    served.start();
    // What is rehearsed is what the notebook has.
    const { limited, backend } = served;
    await rehearse(() => serverOf({ limited, backend }, { log: silentLog }), await served.rehearsal(), {
      quietFor: () => performance.now() - lastWord,
      signal: leaving.signal,
    });
  };
  const onCalled = ({ line }: Called) => {
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
