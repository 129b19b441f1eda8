/**
 * Counts for Prometheus, in a registry of their own. Every label has a bounded number of values whatever callers
 * send; none holds a session, a path or a note, nor a tenant that the operator has not named.
 */
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

type ToolOutcome = 'ok' | 'error' | 'cancelled';
/** Kinds of errors in `TRILIUM_NAMES`. */
type ErrorKind = 'trilium' | 'zod' | 'diff' | 'unknown_tool' | 'unknown';

/** Names of series and labels. */
interface MetricNames {
  readonly prefix: string;
  /** The label for the route of a request. */
  readonly route: string;
  /** Fixed values of that label, whatever the server's routes are. */
  readonly routes?: readonly string[];
  /** Its value for all other paths. */
  readonly elsewhere: string;
  readonly toolSeconds: string;
  readonly sessions: string;
  readonly sessionsOpened: string;
  readonly sessionsClosed: string;
  readonly sessionsRefused: string;
  readonly outcomeLabels: readonly string[];
  readonly outcome: (outcome: ToolOutcome, error: ErrorKind) => Readonly<Record<string, string>>;
}

const QUIRE_NAMES: MetricNames = {
  prefix: 'quire_mcp_',
  route: 'route',
  elsewhere: 'other',
  toolSeconds: 'tool_duration_seconds',
  sessions: 'sessions',
  sessionsOpened: 'sessions_opened_total',
  sessionsClosed: 'sessions_closed_total',
  sessionsRefused: 'sessions_refused_total',
  outcomeLabels: ['outcome'],
  outcome: (outcome) => ({ outcome }),
};

/** The names that dashboards of triliumnext-mcp know. */
export const TRILIUM_NAMES: MetricNames = {
  prefix: 'triliumnext_mcp_',
  route: 'path',
  routes: ['/health', '/sse', '/message', '/metrics', '/mcp'],
  elsewhere: 'unknown',
  toolSeconds: 'tool_call_duration_seconds',
  sessions: 'sse_sessions',
  sessionsOpened: 'sse_connects_total',
  sessionsClosed: 'sse_closes_total',
  sessionsRefused: 'sse_connect_failures_total',
  outcomeLabels: ['ok', 'error'],
  outcome: (outcome, error) => ({
    ok: String(outcome === 'ok'),
    error: outcome === 'ok' ? 'none' : error,
  }),
};

export interface IndexedNotes {
  readonly notebook: string;
  readonly indexed: number;
  /** Not indexed yet. */
  readonly pending: number;
  /** Could not be read, and will be tried again. */
  readonly unreadable: number;
}

/** Of one governed server; every field is a value of a label. */
interface UpstreamCounts {
  readonly server: string;
  readonly leftOut: Readonly<Record<string, number>>;
  readonly nested: Readonly<Record<string, number>>;
  readonly tokens: Readonly<Record<string, number>>;
}

export interface MetricsOptions {
  readonly version: string;
  readonly names?: MetricNames;
  /** Paths that have a label of their own. */
  readonly routes: readonly string[];
  /** Tools that have a label of their own. */
  readonly tools: readonly string[];
  /** Number of open sessions. */
  readonly sessions: () => number;
  /** The state of each notebook's search index; absent where nothing is indexed. */
  readonly indexes?: () => readonly IndexedNotes[];
  /** What is counted of governed servers; absent where none are governed. */
  readonly upstreams?: () => readonly UpstreamCounts[];
  /** Also count each caller's tool calls; only where callers are few and known. */
  readonly perPrincipal?: boolean;
  /** The sessions of each tenant that has a name; absent where none has. */
  readonly tenantSessions?: () => Readonly<Record<string, number>>;
}

type AuthFailure = 'missing' | 'invalid' | 'scope' | 'login';
export type SessionRefusal =
  | 'unauthorized'
  | 'missing_trilium_credentials'
  | 'url_rejected'
  | 'trilium_auth_failed'
  | 'trilium_validate_timeout'
  | 'trilium_unreachable'
  | 'sse_connect_failed'
  | 'server_misconfigured'
  | 'too_many_sessions';

interface AnsweredRequest {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly milliseconds: number;
}

interface FinishedCall {
  readonly tool: string;
  readonly outcome: ToolOutcome;
  readonly milliseconds: number;
  /** The length of the answer. */
  readonly characters?: number;
  readonly errorKind?: ErrorKind;
}

interface CountedCaller {
  readonly id: string;
  /** Undefined for all that have no name. */
  readonly tenantName?: string;
}

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']);
const REQUEST_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TOOL_BUCKETS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const MAX_PRINCIPALS = 1_000;

export type Metrics = ReturnType<typeof createMetrics>;

export function createMetrics(options: MetricsOptions) {
  const { names = QUIRE_NAMES } = options;
  const registry = new Registry();
  const series = createSeries(registry, options);
  const routes = new Set(names.routes ?? options.routes);
  const tools = new Set(options.tools);
  const principals = new Set<string>();
  const principalOf = (id: string) => {
    if (principals.size < MAX_PRINCIPALS) principals.add(id);
    return principals.has(id) ? id : 'other';
  };

  return {
    answered({ method, route, status, milliseconds }: AnsweredRequest): void {
      const labels = {
        method: METHODS.has(method) ? method : 'other',
        [names.route]: routes.has(route) ? route : names.elsewhere,
      };
      series.requests.inc({ ...labels, status: /^[1-5]\d\d$/.test(String(status)) ? status : 'other' });
      series.requestSeconds.observe(labels, milliseconds / 1000);
    },
    called(call: FinishedCall, principal?: CountedCaller): void {
      const { tool: name, outcome, milliseconds, characters = 0, errorKind = 'unknown' } = call;
      const tool = tools.has(name) ? name : 'unknown';
      const labels = { tool, ...names.outcome(outcome, errorKind) };
      series.calls.inc(labels);
      series.callSeconds.observe({ tool }, milliseconds / 1000);
      if (!principal) return;
      series.callsByPrincipal?.inc({ principal: principalOf(principal.id), ...labels });
      if (!series.tenants) return;
      const own = {
        tenant: principal.tenantName ?? 'other',
        ...(options.perPrincipal && { principal: principalOf(principal.id) }),
      };
      series.tenants.calls.inc({ ...own, ok: String(outcome === 'ok') });
      series.tenants.characters.inc(own, characters);
      series.tenants.lastCall.set(own, Math.floor(Date.now() / 1000));
    },
    authFailed: (reason: AuthFailure) => series.authFailures.inc({ reason }),
    rateLimited: (kind: 'address' | 'principal' | 'tenant') => series.rateLimited.inc({ kind }),
    sessionOpened: () => series.opened.inc(),
    sessionClosed: () => series.closed.inc(),
    sessionRefused: (reason: SessionRefusal) => series.refused.inc({ reason }),
    /** In the text format of Prometheus. */
    text: () => registry.metrics(),
    contentType: registry.contentType,
  };
}

function createSeries(registry: Registry, options: MetricsOptions) {
  const { names = QUIRE_NAMES, version, sessions, indexes, upstreams, perPrincipal = false } = options;
  const about = (name: string, help: string, labelNames: readonly string[] = []) => ({
    name: `${names.prefix}${name}`,
    help,
    labelNames: [...labelNames],
    registers: [registry],
  });
  const counter = (...facts: Parameters<typeof about>) => new Counter(about(...facts));
  const histogram = (buckets: number[], ...facts: Parameters<typeof about>) =>
    new Histogram({ ...about(...facts), buckets });
  /** Read when the metrics are collected. */
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      ...about(name, help),
      collect() {
        this.set(read());
      },
    });

  new Gauge(about('build_info', 'Always 1; the version is a label', ['version'])).set({ version }, 1);
  gauge('process_uptime_seconds', 'Since the start', () => process.uptime());
  gauge('process_resident_memory_bytes', 'Memory the process holds', () => process.memoryUsage.rss());
  gauge(names.sessions, 'Open sessions', sessions);
  if (indexes)
    new Gauge({
      ...about('notes', 'Notes of the search index, by state', ['notebook', 'state']),
      collect() {
        this.reset();
        for (const { notebook, ...counts } of indexes())
          for (const state of ['indexed', 'pending', 'unreadable'] as const)
            this.set({ notebook, state }, counts[state]);
      },
    });
  if (upstreams) {
    /** The counts are kept elsewhere, and read when the metrics are collected. */
    const read = (name: string, help: string, counts: (of: UpstreamCounts) => UpstreamCounts['nested']) =>
      new Counter({
        ...about(name, help, ['server', 'kind']),
        collect() {
          this.reset();
          for (const upstream of upstreams())
            for (const [kind, count] of Object.entries(counts(upstream)))
              this.inc({ server: upstream.server, kind }, count);
        },
      });
    read(
      'upstream_left_out_total',
      'Messages of governed servers that were not passed on',
      (of) => of.leftOut,
    );
    read('upstream_questions_total', 'Questions of governed servers', (of) => of.nested);
    read('upstream_tokens_total', 'Tokens of prompts of governed servers', (of) => of.tokens);
  }
  const callLabels = ['tool', ...names.outcomeLabels];
  const { tenantSessions } = options;
  const tenantSeries = (count: () => Readonly<Record<string, number>>) => {
    const labels = ['tenant', ...(perPrincipal ? ['principal'] : [])];
    new Gauge({
      ...about('tenant_sessions', 'Open sessions of each tenant', ['tenant']),
      collect() {
        for (const [tenant, open] of Object.entries(count())) this.set({ tenant }, open);
      },
    });
    return {
      calls: counter('tenant_tool_calls_total', 'Tool calls of each tenant', [...labels, 'ok']),
      characters: counter('tenant_answer_characters_total', 'Length of the answers to them', labels),
      lastCall: new Gauge(
        about('tenant_last_call_timestamp_seconds', 'When a tenant last called a tool', labels),
      ),
    };
  };
  return {
    tenants: tenantSessions && tenantSeries(tenantSessions),
    requests: counter('http_requests_total', 'Answered requests', ['method', names.route, 'status']),
    requestSeconds: histogram(REQUEST_BUCKETS, 'http_request_duration_seconds', 'Until the answer was out', [
      'method',
      names.route,
    ]),
    calls: counter('tool_calls_total', 'Tool calls', callLabels),
    callSeconds: histogram(TOOL_BUCKETS, names.toolSeconds, 'Until a tool was done', ['tool']),
    callsByPrincipal: perPrincipal
      ? counter('tool_calls_by_principal_total', 'Tool calls of each caller', ['principal', ...callLabels])
      : undefined,
    authFailures: counter('auth_failures_total', 'Requests with missing or wrong credentials', ['reason']),
    rateLimited: counter('rate_limited_total', 'Requests refused by a rate limit', ['kind']),
    opened: counter(names.sessionsOpened, 'Sessions started'),
    closed: counter(names.sessionsClosed, 'Sessions ended'),
    refused: counter(names.sessionsRefused, 'Sessions that could not be started', ['reason']),
  };
}
