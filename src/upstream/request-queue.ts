/**
 * The requests to one server: bounded in number, each with a deadline that pauses while the operator is asked on the
 * server's behalf.
 */
import { type Client, type Progress, type RequestOptions, SdkHttpError } from '@modelcontextprotocol/client';
import { createSemaphore, type Semaphore } from '../shared/async/semaphore.ts';
import { type Deadline, orAbort, startDeadline } from './deadline.ts';
import { asFailure, failure } from './failure.ts';
import type { CallOptions } from './nested/rounds.ts';
import type { Session } from './session.ts';

/** Shares the slots of a server with other processes. */
export interface SharedSlots {
  <T>(task: () => Promise<T>, options: CallOptions): Promise<T>;
  lend<T>(wait: () => Promise<T>): Promise<T>;
}

interface RequestQueueOptions {
  readonly name: string;
  readonly limits: { readonly requestTimeoutMs: number; readonly maxConcurrent: number };
  /** How long the operator may take to answer the server. */
  readonly waitMs: number;
  readonly share?: SharedSlots | undefined;
  /** The present session, or a new one. */
  readonly session: (signal?: AbortSignal) => Promise<Session>;
}

export type Work<T> = (client: Client, options: RequestOptions) => Promise<T>;

const MAX_WAITING = 256;
/** The SDK's own timeout must not come before our deadline. */
const NO_TIMEOUT_MS = 2 ** 31 - 1;

export class RequestQueue {
  readonly #options: RequestQueueOptions;
  readonly #slots: Semaphore;
  readonly #deadlines = new Set<Deadline>();
  #waiting = 0;

  constructor(options: RequestQueueOptions) {
    this.#options = options;
    this.#slots = createSemaphore(options.limits.maxConcurrent);
  }

  async run<T>(work: Work<T>, options: CallOptions): Promise<T> {
    if (this.#waiting >= MAX_WAITING)
      throw failure('busy', {
        server: this.#options.name,
        hint: `${MAX_WAITING} requests are waiting for it already.`,
      });
    this.#waiting++;
    try {
      const { share } = this.#options;
      const task = () => this.#once(work, options);
      return await this.#slots(() => (share ? share(task, options) : task()));
    } finally {
      this.#waiting--;
    }
  }

  async #once<T>(work: Work<T>, options: CallOptions): Promise<T> {
    const session = await this.#options.session(options.signal);
    try {
      return await this.#send(session, work, options);
    } catch (error) {
      if (!isRefusedAsLost(error, session)) throw error;
      return await this.#send(await this.#options.session(options.signal), work, options);
    }
  }

  async #send<T>(session: Session, work: Work<T>, options: CallOptions): Promise<T> {
    const { limits, waitMs, name } = this.#options;
    const deadline = startDeadline({
      timeoutMs: options.timeoutMs ?? limits.requestTimeoutMs,
      maxPauseMs: waitMs,
      signal: options.signal,
    });
    this.#deadlines.add(deadline);
    const request = {
      signal: deadline.signal,
      timeout: NO_TIMEOUT_MS,
      onprogress: (progress: Progress) => {
        deadline.progress();
        options.onProgress?.(progress);
      },
    };
    try {
      return await work(session.client, request);
    } catch (error) {
      const cause = deadline.verdict() ? error : (session.opened.process?.fault ?? error);
      throw asFailure(cause, name, deadline.verdict());
    } finally {
      deadline.stop();
      this.#deadlines.delete(deadline);
    }
  }

  /** Pauses the deadlines of the server's requests while the operator or the model is asked on its behalf. */
  async whileAsked<T>(work: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    const paused = [...this.#deadlines];
    for (const deadline of paused) deadline.pause();
    const limit = AbortSignal.any([signal, AbortSignal.timeout(this.#options.waitMs)]);
    const answer = () => orAbort(work(limit), limit, () => new Error('The operator did not answer in time'));
    const { share } = this.#options;
    try {
      // A person may take minutes, so the slot is lent to other calls meanwhile.
      if (paused.length === 0) return await answer();
      return await this.#slots.lend(() => (share ? share.lend(answer) : answer()));
    } finally {
      for (const deadline of paused) deadline.resume();
    }
  }
}

/** The server has not processed the request, so it may be sent again. */
function isRefusedAsLost(error: unknown, { opened }: Session): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  return opened.session?.isSessionLost === true && cause instanceof SdkHttpError && cause.status === 404;
}
