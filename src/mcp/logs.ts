/** What a server tells its clients of itself while it works, as far as they want to hear it. */
import type { Caller } from '../shared/principal.ts';

export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export type ClientLogLevel = (typeof LOG_LEVELS)[number];

export interface LogMessage {
  readonly level: ClientLogLevel;
  readonly logger?: string;
  readonly data: unknown;
}

export interface Logs {
  /** Tells of what happens until the returned function is called. */
  watch(tell: (message: LogMessage) => void, caller?: Caller): () => void;
  /** Says nothing of sessions themselves. */
  readonly isQuiet?: true;
}

export function isLoud(level: ClientLogLevel, least: ClientLogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}

export function joinLogs(parts: readonly Logs[]): Logs {
  return {
    watch(tell, caller) {
      const stops = parts.map((part) => part.watch(tell, caller));
      return () => {
        for (const stop of stops) stop();
      };
    },
    isQuiet: parts.every(({ isQuiet }) => isQuiet) ? true : undefined,
  };
}
