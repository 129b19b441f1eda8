/** Puts messages to the client on the protocol server of a session, from the level the client chose. */
import type { Server } from '@modelcontextprotocol/server';
import type { Log } from '../shared/log.ts';
import { type ClientLogLevel, isLoud, type LogMessage, type Logs } from './logs.ts';
import type { Caller } from './tool.ts';

const SESSION = 'session';

/** `announces` when the server lives long enough to tell of anything. Returns what the client chose. */
export function serveLogging(
  server: Server,
  logs: Logs,
  { announces, log, caller }: { announces: boolean; log: Log; caller: Caller },
): () => ClientLogLevel {
  let least: ClientLogLevel = 'debug';
  const tell = ({ level, logger, data }: LogMessage) => {
    if (!isLoud(level, least)) return;
    server
      .notification({
        method: 'notifications/message',
        params: { level, ...(logger !== undefined && { logger }), data },
      })
      .catch((error: unknown) => log('debug', 'notification not sent', { error: String(error) }));
  };
  server.setRequestHandler('logging/setLevel', async ({ params: { level } }) => {
    least = level;
    // After the answer: a client hears that its choice holds when it knows that it was taken.
    if (announces && !logs.isQuiet)
      setImmediate(tell, { level, logger: SESSION, data: { event: 'level_changed', level } });
    return {};
  });
  if (!announces) return () => least;
  server.oninitialized = () => {
    if (logs.isQuiet) return;
    const protocolVersion = server.getNegotiatedProtocolVersion();
    tell({ level: 'info', logger: SESSION, data: { event: 'session_ready', protocolVersion } });
  };
  const stop = logs.watch(tell, caller);
  const before = server.onclose;
  server.onclose = () => {
    stop();
    before?.();
  };
  return () => least;
}
