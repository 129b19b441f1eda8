/** What whoever asks a server behind us may say beside the question. */
import type { LoggingLevel, ProgressCallback } from '@modelcontextprotocol/client';
import type { UpstreamLog } from './calls.ts';
import type { CallClient } from './nested/operator.ts';
import type { Round } from './nested/rounds.ts';

export interface CallOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
  readonly onProgress?: ProgressCallback;
  /** Who made the call, where it may be asked meanwhile. The answer may be `Questions` then. */
  readonly client?: CallClient;
  /** The call was answered with questions before; these are the answers. */
  readonly round?: Round;
  /** Told what the server says of itself while it works on this. */
  readonly onLog?: (message: UpstreamLog) => void;
  /** From which level on; servers of 2026-07-28 are told with the call. */
  readonly logLevel?: LoggingLevel;
}

export interface ToolCallOptions extends CallOptions {
  /** As the server describes it, where that is known. */
  readonly inputSchema?: unknown;
}
