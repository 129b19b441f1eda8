/**
 * The configured servers while they are in use: a server is judged before it is started, started at its first request,
 * and listed again when its definitions may have changed.
 */
import type { ControlPlane, UpstreamServer } from '../config/control-plane.ts';
import type { Environment } from '../config/plane-file.ts';
import { AppError } from '../shared/errors.ts';
import { digestOfFile } from '../shared/fs/file-digest.ts';
import { memoize } from '../shared/memoize.ts';
import type { CapabilityKind, Rejection } from '../upstream/definition.ts';
import { type Backends, detectBackends } from '../upstream/sandbox/detect.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { Catalog } from './catalog/catalog.ts';
import type { Comparison } from './catalog/compare.ts';
import type { Observations } from './observed.ts';
import { noSuchServer } from './refusals.ts';
import { isWaived } from './safety/confine.ts';
import { judgeServer, type Verdict } from './safety/judge.ts';
import { judgeOwnFiles, ownPlaces } from './safety/own-places.ts';
import type { SignedManifests } from './signed-manifests.ts';
import { entriesOf, type ServerSnapshots, sourceOf } from './snapshots.ts';
import { rejectSwitchedOff, type Switches } from './switches.ts';
import type { CatalogEntry } from './types.ts';

export interface Servers {
  /** Throws for a name that is not configured. */
  server(name: string): UpstreamServer;
  /** Starts nothing and opens no socket. */
  verdict(server: UpstreamServer): Promise<Verdict>;
  backends(): Promise<Backends>;
  /** Ends the process of a server, or the connection to it; the next request may open another. */
  stop(server: string): Promise<void>;
  /** Throws for a server that may not be used. */
  upstream(server: UpstreamServer): Promise<Upstream>;
  /** Lists the server's definitions, and compares them with the pins. */
  discover(server: UpstreamServer, options?: DiscoverOptions): Promise<Comparison>;
  /** What a call needs to know of a server that runs and was listed lately; undefined where that takes a wait. */
  running(server: UpstreamServer): { readonly verdict: Verdict; readonly comparison: Comparison } | undefined;
  /** The last comparison, or a new one when it is outdated or the server has announced a change. */
  freshCatalog(server: UpstreamServer, signal?: AbortSignal): Promise<Comparison>;
  /** The last snapshot of a server that does not run; undefined for one that runs, or was never listed. */
  lastCatalog(server: UpstreamServer): Promise<readonly CatalogEntry[] | undefined>;
}

interface DiscoverOptions {
  readonly kinds?: readonly CapabilityKind[];
  readonly signal?: AbortSignal;
}

interface ServersParts {
  readonly config: ControlPlane;
  /** Of the operator. */
  readonly environment: Environment;
  readonly catalog: Catalog;
  readonly snapshots: ServerSnapshots;
  readonly switches: Switches;
  readonly observations: Observations;
  readonly manifests: SignedManifests;
  readonly now: () => number;
  /** Instead of those that are found on this machine. */
  readonly backends?: () => Promise<Backends>;
  readonly open: (server: UpstreamServer, verdict: Verdict, backends: Backends) => Upstream;
}

const ALL_KINDS: readonly CapabilityKind[] = ['tool', 'resource', 'template', 'prompt'];
/** A server that announces no changes may still change. */
const FRESH_MS = 60_000;

export function openServers(parts: ServersParts): Servers & { close(): Promise<void> } {
  const { config, catalog, snapshots, observations, now } = parts;
  const searchPath = parts.environment.PATH ?? '';
  const backends = memoize(parts.backends ?? (() => detectBackends(config.configFolder)));
  const places = memoize(() => ownPlaces(config, parts.environment));
  const ownFiles = memoize(() => judgeOwnFiles(config));
  const verdicts = new Map<string, Promise<Verdict>>();
  const judged = new Map<string, Verdict>();
  const upstreams = new Map<string, Promise<Upstream>>();
  const opened = new Map<string, Upstream>();
  const comparisons = createComparisonCache(now);
  const fileDigest = createFileDigests();

  const judge = async (server: UpstreamServer): Promise<Verdict> => {
    const { rejections, ...rest } = await judgeServer(server, config, {
      searchPath,
      backends: await backends(),
      now: now(),
      ownPlaces: places,
      manifests: parts.manifests,
      fileDigest,
    });
    return { ...rest, rejections: [...(await ownFiles()), ...rejections] };
  };
  // A waiver ends while Quire runs.
  const verdictKey = (server: UpstreamServer) => `${server.name} ${isWaived(server, now())}`;
  const verdict = async (server: UpstreamServer): Promise<Verdict> => {
    const key = verdictKey(server);
    const known = verdicts.get(key) ?? judge(server);
    verdicts.set(key, known);
    const off = await parts.switches.of(server.name);
    const found = await known;
    judged.set(key, found);
    return off ? { ...found, rejections: [rejectSwitchedOff(off, server), ...found.rejections] } : found;
  };
  const open = async (server: UpstreamServer): Promise<Upstream> => {
    const found = await verdict(server);
    assertUsable(server, found.rejections);
    if (found.verified) await parts.manifests.put(found.verified);
    const upstream = parts.open(server, found, await backends());
    upstream.onListChanged(() => comparisons.invalidate(server.name));
    opened.set(server.name, upstream);
    return upstream;
  };
  const upstreamOf = (server: UpstreamServer): Promise<Upstream> => {
    const opened = upstreams.get(server.name) ?? open(server);
    upstreams.set(server.name, opened);
    opened.catch(() => upstreams.delete(server.name));
    return opened;
  };
  const observed = (comparison: Comparison): Comparison => ({
    ...comparison,
    entries: observations.applied(comparison.server, comparison.entries),
  });
  const discover = async (server: UpstreamServer, { kinds = ALL_KINDS, signal }: DiscoverOptions = {}) => {
    const upstream = await upstreamOf(server);
    const facts = await upstream.connect(signal);
    const keep = comparisons.begin(server.name);
    const lists = await Promise.all(kinds.map((kind) => upstream.list(kind, { signal })));
    await observations.refresh();
    const comparison = await catalog.discover({
      server: server.name,
      trust: server.trust,
      firstDefinitions: server.firstDefinitions,
      definitions: lists.flat(),
      kinds,
      instructions: facts.instructions,
    });
    if (kinds.length < ALL_KINDS.length) return observed(comparison);
    keep(comparison);
    await snapshots.put(server.name, {
      at: now(),
      source: sourceOf(server),
      entries: comparison.entries,
      instructions: comparison.instructions,
      protocolVersion: facts.protocolVersion,
      serverVersion: facts.server?.version,
    });
    return observed(comparison);
  };

  return {
    server: (name) => serverNamed(config, name),
    verdict,
    backends,
    stop: async (server) => {
      const upstream = await upstreams.get(server)?.catch(() => undefined);
      upstreams.delete(server);
      opened.delete(server);
      comparisons.invalidate(server);
      await upstream?.close();
    },
    upstream: upstreamOf,
    discover,
    running: (server) => {
      const found = judged.get(verdictKey(server));
      const fresh = opened.get(server.name)?.isConnected ? comparisons.fresh(server.name) : undefined;
      return found && fresh && parts.switches.isUnused()
        ? { verdict: found, comparison: observed(fresh) }
        : undefined;
    },
    freshCatalog: async (server, signal) => {
      // A server that was started again may be another version.
      await (await upstreamOf(server)).connect(signal);
      const fresh = comparisons.fresh(server.name);
      return fresh ? observed(fresh) : discover(server, { signal });
    },
    lastCatalog: async (server) => {
      if (upstreams.has(server.name)) return undefined;
      await observations.refresh();
      const entries = await entriesOf({ snapshots, catalog }, server);
      return entries && observations.applied(server.name, entries);
    },
    close: async () => {
      const all = await Promise.allSettled(upstreams.values());
      await Promise.all(all.map((one) => one.status === 'fulfilled' && one.value.close()));
    },
  };
}

/** Many servers have one interpreter, whose file is read once. */
function createFileDigests(): (path: string) => Promise<string> {
  const known = new Map<string, Promise<string>>();
  return (path) => {
    const digest = known.get(path) ?? digestOfFile(path);
    known.set(path, digest);
    return digest;
  };
}

/** The last comparison of each server, for a minute or until the server announces a change. */
function createComparisonCache(now: () => number) {
  const last = new Map<string, { readonly at: number; readonly comparison: Comparison }>();
  const announced = new Map<string, number>();
  return {
    fresh(server: string): Comparison | undefined {
      const found = last.get(server);
      return found && now() - found.at < FRESH_MS ? found.comparison : undefined;
    },
    invalidate(server: string): void {
      last.delete(server);
      announced.set(server, (announced.get(server) ?? 0) + 1);
    },
    /** Returns a function that keeps a comparison, unless a change was announced since. */
    begin(server: string): (comparison: Comparison) => void {
      const before = announced.get(server);
      return (comparison) => {
        if (announced.get(server) === before) last.set(server, { at: now(), comparison });
      };
    },
  };
}

function serverNamed({ servers }: ControlPlane, name: string): UpstreamServer {
  const server = servers.find((one) => one.name === name);
  if (server) return server;
  throw noSuchServer(
    name,
    servers.map((one) => one.name),
  );
}

function assertUsable(server: UpstreamServer, rejections: Verdict['rejections']): void {
  const [first] = rejections;
  const problem: Rejection | undefined = !server.enabled
    ? { code: 'server_disabled', reason: 'It is not enabled. Set enabled to true.' }
    : server.trust === 'blocked'
      ? { code: 'server_blocked', reason: 'Its trust is blocked.' }
      : first;
  if (!problem) return;
  throw new AppError('forbidden', 'The server is not started', {
    subject: `${server.name}: ${problem.code}`,
    hint: problem.reason,
    reason: problem.code,
  });
}
