/**
 * Whose call a server speaks of when it asks or tells something meanwhile. Over HTTP such a message comes on the stream
 * of its call, and what runs for that stream knows the call. On a shared line (stdio, the session's own stream) it is
 * clear as long as there is one call; with several, nobody is asked for another.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { CallClient } from './nested/operator.ts';

interface OpenCall {
  readonly client?: CallClient;
  readonly onLog?: (message: UpstreamLog) => void;
}

/** As the server said it. */
export interface UpstreamLog {
  readonly server: string;
  readonly level: string;
  readonly logger?: string;
  readonly data: unknown;
}

const stream = new AsyncLocalStorage<OpenCall>();

export class OpenCalls {
  readonly #open = new Set<OpenCall>();
  readonly #hasStreams: boolean;

  /** `hasStreams` when each call has a stream of its own. */
  constructor(hasStreams: boolean) {
    this.#hasStreams = hasStreams;
  }

  async during<T>(call: OpenCall, work: () => Promise<T>): Promise<T> {
    this.#open.add(call);
    try {
      return await (this.#hasStreams ? stream.run(call, work) : work());
    } finally {
      this.#open.delete(call);
    }
  }

  /** Undefined when it is not clear, or there is none. */
  current(): OpenCall | undefined {
    const own = this.#hasStreams ? stream.getStore() : undefined;
    if (own && this.#open.has(own)) return own;
    const [first, ...others] = this.#open;
    return others.length === 0 ? first : undefined;
  }

  /** What is opened for everybody belongs to no call. */
  apart<T>(work: () => T): T {
    return this.#hasStreams ? stream.exit(work) : work();
  }
}
