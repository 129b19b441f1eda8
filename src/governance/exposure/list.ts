/**
 * The live list of upstream capabilities that our own endpoint offers. It is refreshed when a server announces a change
 * and at an interval, and watchers are notified of differences. A slow or failing server does not delay the others.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamServer } from '../../config/control-plane.ts';
import type { CapabilityKind } from '../../upstream/definition.ts';
import { digestOf } from '../digest.ts';
import type { Plane } from '../plane.ts';
import { type ScoreContext, standingOf } from '../score.ts';
import type { CatalogEntry } from '../types.ts';
import { readUsage, type Usage, usageSince } from '../usage.ts';
import { candidateOf, type Exposure, type ExposureCandidate, expose, NAME_TAKEN } from './visibility.ts';

type ListContext = ScoreContext &
  Pick<Plane, 'verdict' | 'upstream' | 'freshCatalog' | 'audit' | 'now' | 'log'>;

export interface ExposedCapabilities {
  /** Every capability of the servers with `expose`, visible or not, by name; refreshed when it is stale. */
  look(): Promise<readonly Exposure[]>;
  /** The last result of `look`, without a refresh. */
  seen(): readonly Exposure[];
  /** Waits for servers that are still being asked, or for the named one; whether one has answered. */
  arrival(server?: string): Promise<boolean>;
  /** Why a server could not be asked when it was last tried; undefined when it was. */
  failureOf(server: string): Error | undefined;
  /** Marks the list as outdated. */
  stale(): void;
  watch(changed: (list: ExposedList) => void): () => void;
  close(): void;
}

/** The lists that a client is notified of. */
type ExposedList = 'tools' | 'prompts' | 'resources';

const LISTS: Readonly<Record<ExposedList, readonly CapabilityKind[]>> = {
  tools: ['tool'],
  prompts: ['prompt'],
  resources: ['resource', 'template'],
};

interface ExposedTimes {
  /** Refresh interval without a notification of the server. */
  readonly againMs?: number;
  /** How long `look` waits for one server. */
  readonly patienceMs?: number;
}

const AGAIN_MS = 60_000;
const AFTER_FAILURE_MS = 5_000;
const PATIENCE_MS = 5_000;
/** Notifications come in bursts. */
const SETTLE_MS = 50;

interface ExposureSnapshot {
  readonly at: number;
  readonly goodForMs: number;
  readonly exposures: readonly Exposure[];
  /** Digests of the visible entries of each list. */
  readonly digests: Readonly<Record<ExposedList, string>>;
}

export function openExposed(plane: ListContext, times: ExposedTimes = {}): ExposedCapabilities {
  const { againMs = AGAIN_MS, patienceMs = PATIENCE_MS } = times;
  const servers = plane.config.servers.filter((server) => server.expose);
  const watchers = new Set<(list: ExposedList) => void>();
  const listenedTo = new Set<string>();
  const asking = new Map<string, Promise<unknown>>();
  const failures = new Map<string, Error>();
  const usageNow = usageKeeper(plane, againMs);
  let last: ExposureSnapshot | undefined;
  let looking: Promise<ExposureSnapshot> | undefined;
  let soon: NodeJS.Timeout | undefined;
  let isClosed = false;

  const stale = () => {
    last = last && { ...last, goodForMs: 0 };
    if (isClosed || watchers.size === 0 || soon) return;
    soon = setTimeout(() => {
      soon = undefined;
      void look().catch((error) =>
        plane.log('warn', 'the list of exposed capabilities could not be refreshed', {
          error: String(error),
        }),
      );
    }, SETTLE_MS).unref();
  };
  const listen = async (server: UpstreamServer) => {
    if (listenedTo.has(server.name)) return;
    listenedTo.add(server.name);
    (await plane.upstream(server)).onListChanged(stale);
  };
  /** Undefined when it did not answer, or not yet. */
  const entriesOf = async (server: UpstreamServer): Promise<readonly CatalogEntry[] | undefined> => {
    const fresh = listen(server).then(() => plane.freshCatalog(server));
    let isLate = false;
    const known = fresh.then(
      ({ entries }) => {
        failures.delete(server.name);
        if (isLate) stale();
        return entries;
      },
      (error: unknown) => {
        failures.set(server.name, error instanceof Error ? error : new Error(String(error)));
        listenedTo.delete(server.name);
        plane.log('warn', 'a server is not exposed, because it could not be listed', {
          server: server.name,
          error: String(error),
        });
        return undefined;
      },
    );
    asking.set(server.name, known);
    void known.finally(() => asking.get(server.name) === known && asking.delete(server.name));
    const patience = new AbortController();
    const late = sleep(patienceMs, undefined, { signal: patience.signal, ref: false }).then(
      () => {
        isLate = true;
        return undefined;
      },
      () => undefined,
    );
    return Promise.race([known, late]).finally(() => patience.abort());
  };
  const taken = new Set<string>();
  const tellOfTaken = (exposures: readonly Exposure[]) => {
    for (const { name, reason, candidate } of exposures) {
      const { server, definition } = candidate.entry;
      const key = `${definition.kind} ${server} ${name}`;
      if (reason !== NAME_TAKEN || taken.has(key)) continue;
      taken.add(key);
      plane.log('error', 'a capability is not exposed, because its name is in use', {
        server,
        kind: definition.kind,
        name,
      });
    }
  };
  const lookNow = async (): Promise<ExposureSnapshot> => {
    const usage = await usageNow();
    const all = await Promise.all(servers.map((server) => candidatesOf(plane, server, entriesOf, usage)));
    const exposures = expose(
      all.flatMap(({ candidates }) => candidates),
      { ...plane.config.exposure, servers: plane.config.servers.map(({ name }) => name) },
    );
    tellOfTaken(exposures);
    const isWhole = all.every(({ hasAnswered }) => hasAnswered);
    const goodForMs = isWhole ? againMs : AFTER_FAILURE_MS;
    return { at: plane.now(), goodForMs, exposures, digests: digestsOf(exposures) };
  };
  const look = async (): Promise<readonly Exposure[]> => {
    if (last && plane.now() - last.at < last.goodForMs) return last.exposures;
    looking ??= lookNow().finally(() => {
      looking = undefined;
    });
    const before = last;
    const now = await looking;
    if (last !== before) return last?.exposures ?? [];
    last = now;
    const lists = (Object.keys(LISTS) as ExposedList[]).filter(
      (list) => before && before.digests[list] !== now.digests[list],
    );
    for (const list of lists) for (const changed of watchers) changed(list);
    return now.exposures;
  };
  const timer = setInterval(() => watchers.size > 0 && stale(), againMs).unref();

  return {
    look,
    seen: () => last?.exposures ?? [],
    async arrival(server) {
      const late = server === undefined ? [...asking.values()] : [asking.get(server)];
      const hasAnswered = (await Promise.all(late)).some((entries) => entries !== undefined);
      if (hasAnswered) stale();
      return hasAnswered;
    },
    failureOf: (server) => failures.get(server),
    stale,
    watch(changed) {
      watchers.add(changed);
      return () => void watchers.delete(changed);
    },
    close() {
      isClosed = true;
      clearInterval(timer);
      clearTimeout(soon);
    },
  };
}

interface Candidates {
  readonly hasAnswered: boolean;
  readonly candidates: readonly ExposureCandidate[];
}

async function candidatesOf(
  plane: ScoreContext & Pick<Plane, 'verdict'>,
  server: UpstreamServer,
  entriesOf: (server: UpstreamServer) => Promise<readonly CatalogEntry[] | undefined>,
  usage: ReadonlyMap<string, Usage>,
): Promise<Candidates> {
  const { rejections } = await plane.verdict(server);
  const isBlocked = rejections.length > 0;
  // A server that may not be started is not asked for its lists.
  if (isBlocked || !server.enabled || server.trust === 'blocked')
    return { hasAnswered: true, candidates: [] };
  const entries = await entriesOf(server);
  if (!entries) return { hasAnswered: false, candidates: [] };
  const known = { rejections, entries, usage: usage.get(server.name) };
  const { score } = (await standingOf(plane, server, known)).score;
  const candidates = entries.map((entry) => candidateOf(entry, { server, rejections, score }, plane.config));
  return { hasAnswered: true, candidates };
}

function digestsOf(exposures: readonly Exposure[]): ExposureSnapshot['digests'] {
  const of = (list: ExposedList) =>
    digestOf(
      exposures
        .filter(
          ({ isVisible, candidate }) => isVisible && LISTS[list].includes(candidate.entry.definition.kind),
        )
        .map(markOf),
    );
  return { tools: of('tools'), prompts: of('prompts'), resources: of('resources') };
}

/** The facts of an entry that a client can see. */
function markOf({ name, needsApproval, candidate }: Exposure): unknown {
  return [name, needsApproval, candidate.class, candidate.entry.fingerprint];
}

/** The log may be long: it is read now and then. */
function usageKeeper(
  plane: Pick<Plane, 'audit' | 'now'>,
  againMs: number,
): () => Promise<ReadonlyMap<string, Usage>> {
  let known: { readonly at: number; readonly usage: Promise<ReadonlyMap<string, Usage>> } | undefined;
  return () => {
    const now = plane.now();
    if (known && now - known.at < againMs) return known.usage;
    const usage = readUsage(plane.audit.read({ since: usageSince(now) }), now);
    known = { at: now, usage };
    usage.catch(() => {
      known = undefined;
    });
    return usage;
  };
}
