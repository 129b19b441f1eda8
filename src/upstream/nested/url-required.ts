/**
 * Error -32042 (URL elicitation required): a server needs pages to be visited before it answers. The pages are shown, the
 * server's notification that they are done is awaited, and the request is made again.
 */
import type { ProtocolError } from '@modelcontextprotocol/client';
import { TtlCache } from '../../shared/memoize.ts';
import { orAbort } from '../deadline.ts';
import { failure } from '../failure.ts';
import { placeOf, urlQuestion } from './elicitation.ts';
import type { Answer, UrlQuestion } from './operator.ts';
import type { NestedServices } from './request.ts';

const URL_REQUIRED = -32042;
const MAX_ROUNDS = 3;
const MAX_PAGES = 10;
const EARLY_MS = 300_000;
const MAX_EARLY = 64;

interface Page {
  readonly id: string;
  readonly question: UrlQuestion;
}

/** Requests that wait for `notifications/elicitation/complete`. */
export class Completions {
  readonly #waiting = new Map<string, Set<() => void>>();
  /** The notification may come before the error that asks for the page. */
  readonly #early = new TtlCache<true>({ forMs: EARLY_MS, most: MAX_EARLY, now: () => performance.now() });

  /** `done` resolves when the server has completed all of them. */
  register(ids: readonly string[]): { readonly done: Promise<void>; forget(): void } {
    const entries = ids.map((id) => {
      let complete = () => {};
      const done = new Promise<void>((resolve) => {
        complete = resolve;
      });
      this.#listeners(id).add(complete);
      if (this.#early.get(id)) complete();
      return { id, complete, done };
    });
    const forget = () => {
      for (const { id, complete } of entries) this.#remove(id, complete);
    };
    return { done: Promise.all(entries.map(({ done }) => done)).then(() => undefined), forget };
  }

  complete(id: string): void {
    this.#early.set(id, true);
    for (const listener of this.#waiting.get(id) ?? []) listener();
  }

  #listeners(id: string): Set<() => void> {
    const found = this.#waiting.get(id) ?? new Set();
    this.#waiting.set(id, found);
    return found;
  }

  #remove(id: string, listener: () => void): void {
    const listeners = this.#waiting.get(id);
    listeners?.delete(listener);
    if (listeners?.size === 0) this.#waiting.delete(id);
  }
}

interface UrlFlow {
  readonly server: string;
  readonly services: NestedServices;
  readonly completions: Completions;
  readonly signal: AbortSignal | undefined;
}

/** `attempt` sends the request with a new id each time. */
export async function withRequiredPages<T>(attempt: () => Promise<T>, flow: UrlFlow): Promise<T> {
  const seen = new Set<string>();
  for (let round = 1; ; round++) {
    try {
      return await attempt();
    } catch (error) {
      const pages = flow.services.elicitation?.url ? pagesOf(error, flow.server) : undefined;
      if (!pages) throw error;
      if (round > MAX_ROUNDS || pages.some(({ id }) => seen.has(id))) throw loop(flow.server, error);
      for (const { id } of pages) seen.add(id);
      await visit(pages, flow);
    }
  }
}

/** Undefined for another error, and for a page that is not allowed. */
function pagesOf(error: unknown, server: string): readonly Page[] | undefined {
  const cause = error instanceof Error ? (error.cause as ProtocolError | undefined) : undefined;
  if (cause?.code !== URL_REQUIRED) return undefined;
  const listed = (cause.data as { elicitations?: unknown } | undefined)?.elicitations;
  if (!Array.isArray(listed) || listed.length === 0 || listed.length > MAX_PAGES) return undefined;
  const pages = listed.map((entry) => pageOf(entry, server));
  return pages.every((page) => page !== undefined) ? pages : undefined;
}

function pageOf(entry: unknown, server: string): Page | undefined {
  const { mode, elicitationId: id, url, message = '' } = (entry ?? {}) as Record<string, unknown>;
  if (mode !== 'url' || typeof id !== 'string' || id === '' || typeof url !== 'string') return undefined;
  const question = urlQuestion(server, String(message), url);
  return question && { id, question };
}

async function visit(pages: readonly Page[], flow: UrlFlow): Promise<void> {
  const { server, services, completions } = flow;
  if (!services.operator.isInteractive) {
    for (const { question } of pages) await noteAnswer(services, question, 'cancel');
    throw failure('elicitation_not_interactive', {
      server,
      hint: `It needs a page to be visited first, and no operator is present: ${urlsOf(pages)}`,
    });
  }
  // Registered before the operator is asked: the server may be faster.
  const waiting = completions.register(pages.map(({ id }) => id));
  const patience = patienceFor(flow);
  try {
    for (const { question } of pages) {
      const answer = await patience.during(services.operator.askUrl(question, patience.signal));
      await noteAnswer(services, question, answer);
      if (answer !== 'accept') throw declined(server);
    }
    const waits: Promise<'retry' | 'cancel'>[] = [waiting.done.then(() => 'retry')];
    const asked = { server, urls: pages.map(({ question }) => question.url) };
    if (services.operator.whileWaiting) waits.push(services.operator.whileWaiting(asked, patience.signal));
    if ((await patience.during(Promise.race(waits))) === 'cancel') throw declined(server);
  } catch (error) {
    throw patience.isOver() ? timedOut(flow, pages) : error;
  } finally {
    waiting.forget();
    patience.stop();
  }
}

async function noteAnswer(services: NestedServices, question: UrlQuestion, outcome: Answer): Promise<void> {
  const { message, url } = question;
  await services.note?.({ asked: 'elicitation', outcome, message, wanted: placeOf(url) });
}

function patienceFor({ services, signal, server }: UrlFlow) {
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(), services.waitMs);
  const either = AbortSignal.any(signal ? [over.signal, signal] : [over.signal]);
  const cancelled = () => failure('cancelled', { server, hint: 'The caller gave up.' });
  return {
    signal: either,
    during: <T>(work: Promise<T>) => orAbort(work, either, cancelled),
    isOver: () => over.signal.aborted,
    // Aborts a question that is still open.
    stop: () => {
      clearTimeout(timer);
      over.abort();
    },
  };
}

function urlsOf(pages: readonly Page[]): string {
  return pages.map(({ question }) => question.url).join(' ');
}

function declined(server: string): Error {
  return failure('elicitation_declined', { server, hint: 'The page it asks for was not visited.' });
}

function loop(server: string, cause: unknown): Error {
  return failure('elicitation_loop', { server, hint: 'It asks for pages again and again.', cause });
}

function timedOut({ server, services }: UrlFlow, pages: readonly Page[]): Error {
  return failure('elicitation_timeout', {
    server,
    hint: `The page was not done within ${services.waitMs} ms. Visit it and try again: ${urlsOf(pages)}`,
  });
}
