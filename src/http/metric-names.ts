/** What the series are called: our own names, and those dashboards of triliumnext-mcp already know. */

import type { ErrorKind } from '../mcp/tool.ts';

export type ToolOutcome = 'ok' | 'error' | 'cancelled';

export interface MetricNames {
  readonly prefix: string;
  /** The label for where a request went. */
  readonly route: string;
  /** Its values, where they are given whatever the server's routes are. */
  readonly routes?: readonly string[];
  /** Its value for what is nowhere. */
  readonly elsewhere: string;
  readonly toolSeconds: string;
  readonly sessions: string;
  readonly sessionsOpened: string;
  readonly sessionsClosed: string;
  readonly sessionsRefused: string;
  readonly outcomeLabels: readonly string[];
  readonly outcome: (outcome: ToolOutcome, error: ErrorKind) => Readonly<Record<string, string>>;
}

export const QUIRE_NAMES: MetricNames = {
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
