/**
 * What of the servers behind us is offered at our own endpoint right now. It is looked at again when a server tells of
 * a change and from time to time, and whoever watches hears when it has become something else. A server that is slow
 * or fails keeps nobody waiting for the others.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamServer } from '../config/control-plane.ts';
import type { CapabilityKind } from '../upstream/definition.ts';
import { digestOf } from './digest.ts';
import { type Exposure, type ExposureCandidate, expose, NAME_TAKEN } from './exposure.ts';
import type { Plane } from './plane.ts';
import { classify } from './policy/classify.ts';
import { decide } from './policy/decide.ts';
import { standingOf } from './score.ts';
import type { CatalogEntry } from './types.ts';
import { readUsage, type Usage, usageSince } from './usage.ts';

export interface ExposedCapabilities {
  /** What the servers have that are to be exposed, visible or not, by name. */
  look(): Promise<readonly Exposure[]>;
  /** The same as it was last seen. */
  seen(): readonly Exposure[];
  /** Waits for servers that are still being asked, or for the named one; whether one has answered. */
  arrival(server?: string): Promise<boolean>;
  /** Why a server could not be asked when it was last tried; undefined when it was. */
  failureOf(server: string): Error | undefined;
  /** It may have changed. */
  stale(): void;
  watch(changed: (list: ExposedList) => void): () => void;
  close(): void;
}

/** What is listed together. */
type ExposedList = 'tools' | 'prompts' | 'resources';

const LISTS: Readonly<Record<ExposedList, readonly CapabilityKind[]>> = {
  tools: ['tool'],
  prompts: ['prompt'],
  resources: ['resource', 'template'],
};

interface ExposedTimes {
  /** After which it is looked at again though nobody told of a change. */
  readonly againMs?: number;
  /** How long a list waits for a server. */
  readonly patienceMs?: number;
}

const AGAIN_MS = 60_000;
const AFTER_FAILURE_MS = 5_000;
const PATIENCE_MS = 5_000;
/** Changes come in flocks. */
const SETTLE_MS = 50;

interface ExposureSnapshot {
  readonly at: number;
  readonly goodForMs: number;
  readonly exposures: readonly Exposure[];
  /** Of what is visible. */
  readonly digests: Readonly<Record<ExposedList, string>>;
}

export function openExposed(plane: Plane, times: ExposedTimes = {}): ExposedCapabilities {
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
      void look().catch((error) => plane.log('warn', 'exposure not looked at', { error: String(error) }));
    }, SETTLE_MS).unref();
  };
  const listen = async (server: UpstreamServer) => {
    if (listenedTo.has(server.name)) return;
    listenedTo.add(server.name);
    (await plane.upstream(server)).onListChanged(stale);
  };
  /** Undefined when it did not answer, or not yet. */
  const entriesOf = async (server: UpstreamServer): Promise<readonly CatalogEntry[] | undefined> => {
    const fresh = listen(server).then(() => plane.fresh(server));
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
        plane.log('warn', 'server not exposed', { server: server.name, error: String(error) });
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
      plane.log('error', 'not exposed: the name is taken', { server, kind: definition.kind, name });
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
  plane: Plane,
  server: UpstreamServer,
  entriesOf: (server: UpstreamServer) => Promise<readonly CatalogEntry[] | undefined>,
  usage: ReadonlyMap<string, Usage>,
): Promise<Candidates> {
  const { rejections } = await plane.judged(server);
  const isBlocked = rejections.length > 0;
  // What may not be started is not asked what it has.
  if (isBlocked || !server.enabled || server.trust === 'blocked')
    return { hasAnswered: true, candidates: [] };
  const entries = await entriesOf(server);
  if (!entries) return { hasAnswered: false, candidates: [] };
  const known = { rejections, entries, usage: usage.get(server.name) };
  const { score } = (await standingOf(plane, server, known)).score;
  const isPlain = server.exposeAs === 'plain';
  const about = { isEnabled: true, consent: server.clientConsent, trust: server.trust, score, isPlain };
  const candidates = entries.map((entry) => ({
    entry,
    class: classify(entry.definition, server),
    decision: decide({ server, entry, rejections }, plane.config),
    server: about,
  }));
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

/** What a client would see differ. */
function markOf({ name, needsApproval, candidate }: Exposure): unknown {
  return [name, needsApproval, candidate.class, candidate.entry.fingerprint];
}

/** The log may be long: it is read now and then. */
function usageKeeper(plane: Plane, againMs: number): () => Promise<ReadonlyMap<string, Usage>> {
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
