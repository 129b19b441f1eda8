/**
 * The transport to a Streamable HTTP server. The SDK speaks the protocol; this adds the guarded fetch, streams that are
 * resumed for as long as the session lives, and a callback for a lost session.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AuthProvider,
  type OAuthClientProvider,
  type ReconnectionScheduler,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { SafeFetchOptions } from '../shared/safe-fetch.ts';
import { failure } from './failure.ts';
import { guardedFetch, isOnThisMachine } from './guarded-fetch.ts';

export interface HttpOptions {
  /** Name of the server, for messages. */
  readonly name: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Allows private addresses. */
  readonly allowPrivate: boolean;
  readonly answerTimeoutMs: number;
  readonly maxMessageBytes: number;
  readonly resolve?: SafeFetchOptions['resolve'];
  /** Interactive login, for servers without a configured header. */
  readonly login?: Login;
  /** Tokens of an earlier login, for unattended use. */
  readonly tokens?: AuthProvider;
}

export interface Login {
  readonly provider: OAuthClientProvider;
  /** The query of the redirect, after the provider has shown its page. */
  callback(): Promise<URLSearchParams>;
}

const RECONNECTION = {
  initialReconnectionDelay: 1_000,
  maxReconnectionDelay: 30_000,
  reconnectionDelayGrowFactor: 2,
  // The session itself ends the retries: with `close`, or when the server has forgotten it.
  maxRetries: Number.MAX_SAFE_INTEGER,
};

const MAX_RETRY_MS = 60_000;
const MAX_LOGINS = 2;
const DELETE_TIMEOUT_MS = 2_000;

export class HttpTransport extends StreamableHTTPClientTransport {
  readonly #state: { isLost: boolean; onLost?: () => void };
  readonly #login: Login | undefined;

  constructor(options: HttpOptions) {
    const url = checkedUrl(options);
    const state: { isLost: boolean; onLost?: () => void } = { isLost: false };
    super(url, {
      requestInit: { headers: { ...options.headers } },
      fetch: guardedFetch({
        serverUrl: url,
        allowPrivate: options.allowPrivate,
        answerTimeoutMs: options.answerTimeoutMs,
        maxMessageBytes: options.maxMessageBytes,
        resolve: options.resolve || undefined,
        onAnswer: (request, status) => {
          const isOurs = request.url.href === url.href && request.method !== 'DELETE';
          if (!isOurs || status !== 404 || !this.sessionId || state.isLost) return;
          state.isLost = true;
          state.onLost?.();
        },
      }),
      reconnectionOptions: RECONNECTION,
      reconnectionScheduler: scheduleQuietly,
      authProvider: options.login?.provider ?? options.tokens,
    });
    this.#state = state;
    this.#login = options.login;
  }

  /** The server has answered 404 to a request of the session, which it has forgotten. */
  get isSessionLost(): boolean {
    return this.#state.isLost;
  }

  onSessionLost(listener: () => void): void {
    this.#state.onLost = listener;
  }

  /** Logs in where the server asks for it: once for the token, once more for a scope it lacks. */
  override async send(...message: Parameters<StreamableHTTPClientTransport['send']>): Promise<void> {
    for (let logins = 0; ; logins++) {
      try {
        return await super.send(...message);
      } catch (error) {
        if (!this.#login || logins === MAX_LOGINS || !(error instanceof UnauthorizedError)) throw error;
        await this.finishAuth(await this.#login.callback());
      }
    }
  }

  /** Tells the server that the session is over, without waiting long for it. */
  override async close(): Promise<void> {
    if (this.sessionId && !this.#state.isLost) {
      this.#state.isLost = true;
      const timeout = sleep(DELETE_TIMEOUT_MS, undefined, { ref: false });
      // The session is over, also when the server refuses or does not answer.
      await Promise.race([this.terminateSession().catch(() => undefined), timeout]);
    }
    await super.close();
  }
}

function checkedUrl({ url, name }: HttpOptions): URL {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  const isFine = parsed?.protocol === 'https:' || (parsed?.protocol === 'http:' && isOnThisMachine(parsed));
  if (!parsed || !isFine || parsed.username !== '' || parsed.password !== '')
    throw failure('http_error', {
      server: name,
      hint: 'Its url must be https (or http on this machine), without a user name or a password.',
    });
  return parsed;
}

/** Does not keep the process alive, and bounds the delay that a server asks for. */
const scheduleQuietly: ReconnectionScheduler = (reconnect, delay) => {
  const timer = setTimeout(reconnect, Math.min(delay, MAX_RETRY_MS));
  timer.unref();
  return () => clearTimeout(timer);
};
