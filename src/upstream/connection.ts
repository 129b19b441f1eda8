/**
 * The connection to one server: a session opened at the first request, shared by all requests, and reopened when the
 * process has crashed (with exponential backoff and a limit) or the server has forgotten the session.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { PriorDiscovery } from '@modelcontextprotocol/client';
import { isAppError } from '../shared/errors.ts';
import { orAbort } from './deadline.ts';
import { asFailure, failure } from './failure.ts';
import { openSession, type Session, type SessionOptions } from './session.ts';
import type { OpenedTransport } from './target.ts';

const MAX_RESTARTS = 5;
const LONGEST_MS = 30_000;
const FIRST_MS = 1_000;

/** Exponential backoff: 1, 2, 4 … 30 seconds, five times. `unitMs` is the first wait. */
export function createRestarts(now: () => number, unitMs: number = FIRST_MS) {
  let count = 0;
  let notBefore = 0;
  return {
    /** A start failed, or the process ended by itself. */
    crashed() {
      count++;
      notBefore = now() + Math.min(unitMs * 2 ** (count - 1), LONGEST_MS);
    },
    /** The process has been up long enough to reset the count. */
    steady() {
      count = 0;
      notBefore = 0;
    },
    /** The wait before the next start; undefined when there is no further start. */
    wait: () => (count > MAX_RESTARTS ? undefined : Math.max(notBefore - now(), 0)),
    get count() {
      return count;
    },
  };
}

type ConnectionState = 'idle' | 'waiting' | 'connecting' | 'ready' | 'error' | 'closed';

interface ConnectionOptions extends Omit<SessionOptions, 'prior' | 'onClose'> {
  readonly restarts: ReturnType<typeof createRestarts>;
  /** A process that was up for this long is not counted as crashing again. */
  readonly steadyMs: number;
  open(): Promise<OpenedTransport>;
  /** Runs work outside the context of any call. */
  apart<T>(work: () => T): T;
  readonly onConnected: () => void;
  /** After a reconnect, when lists of the server may be outdated. */
  readonly onReconnected: () => void;
}

/** Requests still open on a lost session get this long to finish. */
const LOST_GRACE_MS = 1_000;

export class Connection {
  state: ConnectionState = 'idle';
  lastError: unknown;
  readonly #options: ConnectionOptions;
  readonly #closings = new Set<Promise<void>>();
  readonly #ended = new AbortController();
  #current: Session | undefined;
  #connecting: Promise<Session> | undefined;
  #prior: PriorDiscovery | undefined;
  #upSince = 0;
  #hasBeenUp = false;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get current(): Session | undefined {
    return this.#current;
  }

  /** The current session, or a new one. Aborting `signal` stops this wait only, not the connection. */
  async session(signal?: AbortSignal): Promise<Session> {
    if (this.#ended.signal.aborted) throw this.#failed('closed', 'It was closed.');
    if (this.#current) return this.#current;
    this.#connecting ??= this.#options
      .apart(() => this.#connect())
      .finally(() => {
        this.#connecting = undefined;
      });
    this.#connecting.catch(() => undefined);
    if (!signal) return this.#connecting;
    return orAbort(this.#connecting, signal, () => this.#failed('cancelled', 'The caller gave up.'));
  }

  async #connect(): Promise<Session> {
    const { restarts, name } = this.#options;
    await this.#backOff();
    this.state = 'connecting';
    try {
      const session = await this.#open();
      if (this.#ended.signal.aborted) {
        await session.close();
        throw this.#failed('closed', 'It was closed.');
      }
      this.#isUp(session);
      return session;
    } catch (cause) {
      if (this.#options.isProcess) restarts.crashed();
      this.lastError = asFailure(cause, name);
      if (!this.#ended.signal.aborted) this.state = restarts.wait() === undefined ? 'error' : 'idle';
      throw this.lastError;
    }
  }

  async #backOff(): Promise<void> {
    const wait = this.#options.restarts.wait();
    if (wait === undefined) {
      this.state = 'error';
      throw this.#failed('restart_limit', 'It has crashed too often and is not started again.');
    }
    if (wait === 0) return;
    this.state = 'waiting';
    await sleep(wait, undefined, { signal: this.#ended.signal }).catch(() => {
      throw this.#failed('closed', 'It was closed.');
    });
  }

  /** A process that exits at the probe of the modern era is started again in the legacy era. */
  async #open(): Promise<Session> {
    try {
      return await this.#openOnce(this.#prior);
    } catch (error) {
      const isOld = this.#options.isProcess && this.#options.era === 'auto' && !this.#prior;
      if (!isOld || !isAppError(error) || error.reason !== 'closed' || this.#ended.signal.aborted)
        throw error;
      return this.#openOnce({ kind: 'legacy' });
    }
  }

  async #openOnce(prior: PriorDiscovery | undefined): Promise<Session> {
    const opened = await this.#options.open();
    let session: Session | undefined;
    const onClose = () => session && this.#broke(session);
    opened.session?.onSessionLost(() => session && this.#forget(session));
    session = await openSession(opened, { ...this.#options, prior, onClose });
    if (opened.process?.fault) throw opened.process?.fault;
    return session;
  }

  #isUp(session: Session): void {
    this.#current = session;
    this.state = 'ready';
    this.lastError = undefined;
    this.#upSince = performance.now();
    if (session.client.getProtocolEra() === 'legacy') this.#prior = { kind: 'legacy' };
    this.#options.onConnected();
    if (this.#hasBeenUp) this.#options.onReconnected();
    this.#hasBeenUp = true;
  }

  /** The connection ended. A process is started again, unless the limit is reached. */
  #broke(session: Session): void {
    this.#closing(session);
    if (this.#current !== session) return;
    this.#current = undefined;
    if (this.#ended.signal.aborted) return;
    this.state = 'idle';
    const { isProcess, restarts, steadyMs } = this.#options;
    this.lastError = session.opened.process?.fault ?? this.#failed('closed', 'The connection ended.');
    if (!isProcess) return;
    if (performance.now() - this.#upSince >= steadyMs) restarts.steady();
    restarts.crashed();
    void this.session().catch(() => undefined);
  }

  #forget(session: Session): void {
    if (this.#current === session) {
      this.#current = undefined;
      this.state = 'idle';
    }
    setTimeout(() => this.#closing(session), LOST_GRACE_MS).unref();
  }

  #closing(session: Session): void {
    const closing = session.close().finally(() => this.#closings.delete(closing));
    this.#closings.add(closing);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    this.state = 'closed';
    const session = this.#current;
    this.#current = undefined;
    if (session) this.#closing(session);
    await this.#connecting?.catch(() => undefined);
    await Promise.all(this.#closings);
  }

  #failed(reason: 'closed' | 'restart_limit' | 'cancelled', hint: string): Error {
    // Of a process that is not started again, the last failure is the reason.
    const details = reason === 'restart_limit' && isAppError(this.lastError) ? this.lastError.details : {};
    return failure(reason, { server: this.#options.name, hint, details });
  }
}
