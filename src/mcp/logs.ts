/** What a server tells its clients of itself while it works, as far as they want to hear it. */
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
  watch(tell: (message: LogMessage) => void): () => void;
}
