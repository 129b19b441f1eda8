/** Log messages to clients (`notifications/message`), from the level they choose. */
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
  /** Calls `send` with every message until the returned function is called. */
  watch(send: (message: LogMessage) => void, caller?: Caller): () => void;
  /** No messages about sessions themselves. */
  readonly isQuiet?: true;
}

export function isLoud(level: ClientLogLevel, least: ClientLogLevel): boolean {
  return LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(least);
}
