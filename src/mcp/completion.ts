/** What a client may ask for while somebody still types an argument. */
import type { Requested } from './requested.ts';

export interface CompletionRequest extends Requested {
  /** Of a prompt its name, of a template of resources its URI template. */
  readonly of: string;
  readonly argument: string;
  readonly value: string;
  /** The arguments that are known already. */
  readonly known: Readonly<Record<string, string>>;
}

export interface Completion {
  /** At most 100. */
  readonly values: readonly string[];
  /** Counts those not returned too; undefined when nobody knows. */
  readonly total?: number;
  readonly hasMore?: boolean;
}

/** Undefined when nothing of that name has such an argument. */
export type Complete = (request: CompletionRequest) => Promise<Completion | undefined>;
