/** A request of a client, beside what it says. */
import type { InputRequiredResult, InputResponses } from '@modelcontextprotocol/server';
import type { ClientRequests } from './client-requests.ts';
import type { LiveProgress } from './live-tools.ts';
import type { ClientLogLevel, LogMessage } from './logs.ts';
import type { Caller } from './tool.ts';

export interface Requested extends Caller {
  readonly signal: AbortSignal;
  /** What the client can be asked meanwhile. */
  readonly client?: ClientRequests;
  /** The request was answered with questions before; this is what the client says to them. */
  readonly round?: RequestRound;
  /** Tells a client that asked for it how far the request is. */
  readonly onProgress?: (progress: LiveProgress) => void;
  /** Tells the client, if it wants to hear it, what happens meanwhile. */
  readonly onLog?: (message: LogMessage) => void;
  /** From where on it wants to hear it. */
  readonly logLevel?: ClientLogLevel;
}

export interface RequestRound {
  readonly responses?: InputResponses;
  /** As the client gave it back: it could have been changed. */
  readonly state?: string;
}

/** What has to be asked of the client before there is an answer. In the era of sessions the SDK asks it. */
export type Questions = InputRequiredResult;
