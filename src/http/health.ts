/** Routes about the server itself: liveness and readiness, which are open to all and say no more than that, the landing page, and metrics. */
import { type LandingFacts, landingPage, unknownPage } from '../oauth/pages/landing-page.ts';
import { contentSecurityPolicy } from '../oauth/pages/layout.ts';
import { AppError, isAppError } from '../shared/errors.ts';
import type { Route } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import { type Authenticate, bearerTokenOf, bearerTokens } from './auth/authenticate.ts';
import type { IndexedNotes, Metrics } from './metrics.ts';

export interface ReadyCheck {
  /** Shown in the answer, unless it is anonymous. */
  readonly name: string;
  /** Throws when the server is not ready. */
  check(signal: AbortSignal): Promise<void>;
}

interface HealthOptions {
  readonly checks: readonly ReadyCheck[];
  /** Pending notes do not make a server unready: searches scan them, and report the ones they left out. */
  readonly indexes?: () => readonly IndexedNotes[];
  /** Answers without the names of checks and notebooks, which are not for strangers. */
  readonly isAnonymous?: boolean;
  readonly timeoutMs?: number;
  /** How long an answer is cached. */
  readonly keepMs?: number;
  /** Gets the reason of a failed check, which the answer does not have. */
  readonly log: Log;
}

type Verdict = 'ok' | 'failed' | 'timeout';

export function healthRoutes({
  checks,
  indexes = () => [],
  isAnonymous = false,
  timeoutMs = 2_000,
  keepMs = 1_000,
  log,
}: HealthOptions): Route[] {
  const run = async (): Promise<Response> => {
    const verdicts = await Promise.all(
      checks.map(async (check) => [check.name, await judge(check, timeoutMs, log)] as const),
    );
    const isReady = verdicts.every(([, verdict]) => verdict === 'ok');
    const status = isReady ? 'ok' : 'unavailable';
    const notes = indexes();
    const body = {
      status,
      notes: notes.length > 0 ? sumOf(notes) : undefined,
      ...(!isAnonymous && { checks: Object.fromEntries(verdicts), ...byNotebook(notes) }),
    };
    return answer(isReady ? 200 : 503, body);
  };
  let verdict: Promise<Response> | undefined;
  const ready = async (): Promise<Response> => {
    verdict ??= run().finally(() => {
      setTimeout(() => {
        verdict = undefined;
      }, keepMs).unref();
    });
    return (await verdict).clone();
  };
  return [
    aliveRoute('/health'),
    aliveRoute('/healthz'),
    { method: 'GET', path: '/readyz', handle: ready, unlimited: true },
  ];
}

function aliveRoute(path: string): Route {
  return { method: 'GET', path, handle: async () => answer(200, { status: 'ok' }), unlimited: true };
}

type WaitingCounts = Pick<IndexedNotes, 'pending' | 'unreadable'>;

function sumOf(notes: readonly IndexedNotes[]): WaitingCounts {
  const sum = { pending: 0, unreadable: 0 };
  for (const { pending, unreadable } of notes) {
    sum.pending += pending;
    sum.unreadable += unreadable;
  }
  return sum;
}

function byNotebook(notes: readonly IndexedNotes[]): { notebooks?: Record<string, WaitingCounts> } {
  if (notes.length < 2) return {};
  return { notebooks: Object.fromEntries(notes.map((one) => [one.notebook, sumOf([one])])) };
}

async function judge({ name, check }: ReadyCheck, timeoutMs: number, log: Log): Promise<Verdict> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('timeout', `took more than ${timeoutMs} ms`)), timeoutMs);
  });
  try {
    await Promise.race([tooLate, check(controller.signal)]);
    return 'ok';
  } catch (error) {
    log('warn', 'not_ready', { check: name, err: String(error) });
    return isAppError(error, 'timeout') ? 'timeout' : 'failed';
  } finally {
    clearTimeout(timer);
    controller.abort();
  }
}

function answer(status: number, body: unknown): Response {
  return Response.json(body, { status, headers: { 'Cache-Control': 'no-store' } });
}

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': contentSecurityPolicy(),
  'Referrer-Policy': 'no-referrer',
};

export function landingRoute(facts: LandingFacts): Route {
  const page = landingPage(facts);
  return { method: 'GET', path: '/', handle: async () => new Response(page, { headers: PAGE_HEADERS }) };
}

/** For people; programs get the same as JSON. */
export function unknownPageAnswer(path: string): Response {
  const headers = { ...PAGE_HEADERS, 'Cache-Control': 'no-store' };
  return new Response(unknownPage(path), { status: 404, headers });
}

/** Access to the metrics. */
export type MetricsAccess =
  | { readonly mode: 'open' }
  /** These tokens and no others: those that open the notes do not open this. */
  | { readonly mode: 'token'; readonly tokens: readonly string[] }
  | { readonly mode: 'same'; readonly authenticate: Authenticate };

interface MetricsRouteOptions {
  readonly realm?: string;
  readonly onRefused?: (token: string | undefined, address: string) => void;
}

/** The page that Prometheus reads. */
export function metricsRoute(
  metrics: Pick<Metrics, 'text' | 'contentType' | 'authFailed'>,
  access: MetricsAccess,
  { realm = 'metrics', onRefused }: MetricsRouteOptions = {},
): Route {
  const authenticate = authenticatorOf(access);
  return {
    method: 'GET',
    path: '/metrics',
    async handle(request, { address }) {
      const token = bearerTokenOf(request.headers.get('authorization') ?? undefined);
      if (authenticate && !(await authenticate(token).catch(unlessUnproven))) {
        metrics.authFailed(token === undefined ? 'missing' : 'invalid');
        onRefused?.(token, address);
        const headers = { 'WWW-Authenticate': `Bearer realm="${realm}"`, 'Cache-Control': 'no-store' };
        return Response.json({ error: 'unauthorized' }, { status: 401, headers });
      }
      return new Response(await metrics.text(), {
        headers: { 'Content-Type': metrics.contentType, 'Cache-Control': 'no-store' },
      });
    },
  };
}

/** A token that is bound to a key, and was sent without a proof. */
function unlessUnproven(error: unknown): undefined {
  if (!isAppError(error, 'unauthorized')) throw error;
}

function authenticatorOf(access: MetricsAccess): Authenticate | undefined {
  switch (access.mode) {
    case 'open':
      return undefined;
    case 'same':
      return access.authenticate;
    case 'token':
      if (access.tokens.length === 0)
        throw new AppError('invalid_input', 'metrics: token needs a token', { hint: 'Give metricsToken.' });
      return bearerTokens(access.tokens);
  }
}
