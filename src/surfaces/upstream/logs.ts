/**
 * What governed servers say of themselves. What they say while they work on a call goes to who made it; the rest goes to
 * the clients as long as they are all of one caller, since it may be about anybody's call.
 */

import { scanResult } from '../../governance/catalog/scan/result.ts';
import type { Plane } from '../../governance/plane.ts';
import { type ClientLogLevel, LOG_LEVELS, type LogMessage, type Logs } from '../../mcp/logs.ts';
import type { UpstreamLog } from '../../upstream/calls.ts';
import { whoCalls } from './answer.ts';

const MAX_BYTES = 16_384;
const MAX_LOGGER = 100;

interface UpstreamLogs extends Logs {
  /** Begins to listen to a server. */
  listen(server: string): Promise<void>;
}

export function upstreamLogs(plane: Plane): UpstreamLogs {
  const watchers = new Map<(message: LogMessage) => void, string>();
  const listenedTo = new Set<string>();
  const tell = (said: UpstreamLog) => {
    const message = messageOf(said);
    if (!message || new Set(watchers.values()).size !== 1) return;
    for (const one of watchers.keys()) one(message);
  };
  return {
    isQuiet: true,
    watch(hear, caller = {}) {
      watchers.set(hear, whoCalls(caller));
      return () => void watchers.delete(hear);
    },
    async listen(server) {
      if (listenedTo.has(server)) return;
      listenedTo.add(server);
      const upstream = await plane.upstream(plane.server(server));
      upstream.onLog(tell);
    },
  };
}

/** Whose words they are, without what nobody sees; undefined for what is none or too much. */
export function messageOf(said: UpstreamLog): LogMessage | undefined {
  const level = LOG_LEVELS.find((one) => one === said.level) as ClientLogLevel | undefined;
  if (!level || JSON.stringify(said.data ?? null).length > MAX_BYTES) return undefined;
  const { logger, data } = scanResult({ logger: said.logger ?? '', data: said.data }).result;
  const name = logger === '' ? said.server : `${said.server}/${logger.slice(0, MAX_LOGGER)}`;
  return { level, logger: name, data };
}
