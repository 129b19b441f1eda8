/** A request of a client, beside what it says. */
import type { Caller } from './tool.ts';

export interface Requested extends Caller {
  readonly signal: AbortSignal;
}
