/**
 * The plane put together: what is configured, what is remembered, and the servers behind it. A server is judged before
 * it is started, started when it is first asked, and asked again what it offers when that may have changed.
 */
import { randomUUID } from 'node:crypto';
import type { Implementation } from '@modelcontextprotocol/client';
import type { ControlPlane, UpstreamServer } from '../config/control-plane.ts';
import type { Environment } from '../config/plane-file.ts';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { memoize } from '../shared/memoize.ts';
import { nearest } from '../shared/nearest.ts';
import type { CapabilityKind } from '../upstream/definition.ts';
import type { Operator, SampleProvider } from '../upstream/nested/operator.ts';
import { type Backends, detectBackends } from '../upstream/sandbox/detect.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { type Approvals, openApprovals } from './approvals/approvals.ts';
import { type Audit, openAudit } from './audit/audit.ts';
import { type Catalog, openCatalog } from './catalog/catalog.ts';
import type { Comparison } from './catalog/compare.ts';
import { openServerSnapshots, rememberedEntries, type ServerSnapshots, sourceOf } from './last-seen.ts';
import { type LoginAt, loginPartsFor } from './login/provider.ts';
import { tokensOf } from './login/tokens.ts';
import { type NestedRecorder, openNestedRecorder } from './nested-record.ts';
import { openUpstream } from './open-upstream.ts';
import { policyVersion } from './policy/decide.ts';
import { judgeServer, type Verdict } from './safety/judge.ts';
import { approverFor, sampleFrom } from './sample.ts';
import type { CatalogEntry } from './types.ts';
import { createRates, type Rates } from './usage.ts';

export interface PlaneOptions {
  readonly config: ControlPlane;
  readonly environment: Environment;
  readonly operator: Operator;
  /** Instead of the configured model. */
  readonly sample?: SampleProvider;
  readonly client: Implementation;
  readonly log: Log;
  readonly now?: () => number;
}

export interface Plane {
  readonly config: ControlPlane;
  readonly approvals: Approvals;
  readonly audit: Audit;
  readonly rates: Rates;
  readonly catalog: Catalog;
  readonly lastSeen: ServerSnapshots;
  readonly policyVersion: string;
  /** Of this process: what approvals for a session hold for. */
  readonly session: string;
  readonly log: Log;
  readonly now: () => number;
  /** Throws for a name that is not configured. */
  server(name: string): UpstreamServer;
  /** For a login at it. Throws for a server that is not reached over HTTP. */
  loginParts(server: UpstreamServer): LoginAt;
  /** Starts nothing and opens no socket. */
  judged(server: UpstreamServer): Promise<Verdict>;
  backends(): Promise<Backends>;
  /** Throws for a server that may not be used. */
  upstream(server: UpstreamServer): Promise<Upstream>;
  /** Asks the server, and compares with what was pinned. */
  discover(server: UpstreamServer, options?: DiscoverOptions): Promise<Comparison>;
  /** The same, if it has not been asked for a while or has told of a change. */
  fresh(server: UpstreamServer, signal?: AbortSignal): Promise<Comparison>;
  /** What it offered when it was last asked; undefined where it runs already, or was never asked. */
  remembered(server: UpstreamServer): Promise<readonly CatalogEntry[] | undefined>;
  close(): Promise<void>;
}

interface DiscoverOptions {
  readonly kinds?: readonly CapabilityKind[];
  readonly signal?: AbortSignal;
}

const ALL_KINDS: readonly CapabilityKind[] = ['tool', 'resource', 'template', 'prompt'];
/** A server that says nothing of changes may still change. */
const FRESH_MS = 60_000;

export function openPlane(options: PlaneOptions): Plane {
  const { config, environment, log, now = Date.now } = options;
  const folder = config.stateDir;
  const approvals = openApprovals({ folder, ttlSeconds: config.approvalTtlS, now });
  const rates = createRates(config.limits.callsPerMinute, now);
  const audit = openAudit({ folder, now, quick: true, follow: { since: rates.since, tell: rates.note } });
  const catalog = openCatalog({ folder, now });
  const lastSeen = openServerSnapshots(folder);
  const backends = memoize(() => detectBackends(config.configFolder));
  const version = policyVersion(config);
  const session = randomUUID();
  const sample = options.sample ?? sampleFrom(config.llm, environment, log);
  const approveSample = approverFor({ approvals, policyVersion: version, session, llm: config.llm });
  const logins = loginPartsFor({ config, environment, now });
  const recorders: NestedRecorder[] = [];
  const verdicts = new Map<string, Promise<Verdict>>();
  const upstreams = new Map<string, Promise<Upstream>>();
  const known = new Map<string, { at: number; comparison: Comparison }>();
  /** How often a server told of a change: what was asked before the last one is not known any more. */
  const told = new Map<string, number>();

  const judged = (server: UpstreamServer): Promise<Verdict> => {
    const verdict = verdicts.get(server.name) ?? judge(server);
    verdicts.set(server.name, verdict);
    return verdict;
  };
  const judge = async (server: UpstreamServer): Promise<Verdict> => {
    const { bwrap, srt } = await backends();
    const hasSandbox = bwrap.works || srt.works;
    return judgeServer(server, config, { searchPath: environment.PATH ?? '', hasSandbox });
  };
  const open = async (server: UpstreamServer): Promise<Upstream> => {
    const { found, rejections } = await judged(server);
    assertUsable(server, rejections);
    const recorder = openNestedRecorder(audit, server.name, log);
    recorders.push(recorder);
    const upstream = openUpstream(server, found, {
      ...options,
      backends: await backends(),
      note: recorder.note,
      approveSample,
      tokens: (one) => tokensOf({ ...logins(one), folder }),
      ...(sample && { sample }),
    });
    upstream.onListChanged(() => {
      known.delete(server.name);
      told.set(server.name, (told.get(server.name) ?? 0) + 1);
    });
    return upstream;
  };
  const upstreamOf = (server: UpstreamServer): Promise<Upstream> => {
    const opened = upstreams.get(server.name) ?? open(server);
    upstreams.set(server.name, opened);
    opened.catch(() => upstreams.delete(server.name));
    return opened;
  };
  const discover = async (server: UpstreamServer, { kinds = ALL_KINDS, signal }: DiscoverOptions = {}) => {
    const upstream = await upstreamOf(server);
    const facts = await upstream.connect(signal);
    const toldBefore = told.get(server.name);
    const lists = await Promise.all(kinds.map((kind) => upstream.list(kind, signal ? { signal } : {})));
    const comparison = await catalog.discover({
      server: server.name,
      trust: server.trust,
      definitions: lists.flat(),
      kinds,
      instructions: facts.instructions,
    });
    if (kinds.length === ALL_KINDS.length) {
      if (told.get(server.name) === toldBefore) known.set(server.name, { at: now(), comparison });
      await lastSeen.put(server.name, {
        at: now(),
        source: sourceOf(server),
        entries: comparison.entries,
        protocolVersion: facts.protocolVersion,
        serverVersion: facts.server ? facts.server.version : undefined,
      });
    }
    return comparison;
  };

  return {
    config,
    approvals,
    audit,
    rates,
    catalog,
    lastSeen,
    policyVersion: version,
    session,
    log,
    now,
    server: (name) => serverNamed(config, name),
    loginParts: (server) => {
      const parts = logins(server);
      return { ...parts, settings: parts.settings() };
    },
    judged,
    backends,
    upstream: upstreamOf,
    discover,
    fresh: async (server, signal) => {
      // A server that had to be started again may be another one.
      await (await upstreamOf(server)).connect(signal);
      const last = known.get(server.name);
      if (last && now() - last.at < FRESH_MS) return last.comparison;
      return discover(server, signal ? { signal } : {});
    },
    remembered: async (server) =>
      upstreams.has(server.name) ? undefined : rememberedEntries({ lastSeen, catalog }, server),
    close: async () => {
      const opened = await Promise.allSettled(upstreams.values());
      const open = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      await Promise.all(open.map((one) => one.close()));
      for (const recorder of recorders) await recorder.flush();
      await audit.flush();
    },
  };
}

function serverNamed({ servers }: ControlPlane, name: string): UpstreamServer {
  const server = servers.find((one) => one.name === name);
  if (server) return server;
  const names = servers.map((one) => one.name);
  const meant = nearest(name, names);
  throw new AppError('not_found', 'No such server', {
    subject: name.slice(0, 100),
    hint: meant === undefined ? `There are: ${names.join(', ') || 'none'}.` : `Did you mean ${meant}?`,
  });
}

function assertUsable(server: UpstreamServer, rejections: Verdict['rejections']): void {
  const [first] = rejections;
  const problem = !server.enabled
    ? { code: 'server_disabled', reason: 'It is not enabled. Set enabled to true.' }
    : server.trust === 'blocked'
      ? { code: 'server_blocked', reason: 'Its trust is blocked.' }
      : first;
  if (!problem) return;
  throw new AppError('forbidden', 'The server is not started', {
    subject: `${server.name}: ${problem.code}`,
    hint: problem.reason,
    details: { code: problem.code },
  });
}
