/**
 * The live list of upstream capabilities that our own endpoint offers. It is refreshed when a server announces a change
 * and at an interval, and watchers are notified of differences. A slow or failing server does not delay the others.
 * A client may hear of changes from one replica and list at another: a list that changed again before this replica looked
 * counts as different, since the client may have the one in between.
 */
import type { UpstreamServer } from '../../config/control-plane.ts';
import type { CapabilityKind } from '../../upstream/definition.ts';
import { digestOf } from '../digest.ts';
import type { Plane } from '../plane.ts';
import { mayStart } from '../safety/judge.ts';
import { standingOf } from '../score.ts';
import { readUsage, type Usage, usageSince } from '../usage.ts';
import { createServerLists, type ServerLists } from './server-lists.ts';
import {
  candidateOf,
  type Exposure,
  type ExposureCandidate,
  expose,
  limitsOf,
  NAME_TAKEN,
} from './visibility.ts';

type ListContext = Pick<Plane, 'config' | 'verdict' | 'upstream' | 'freshCatalog' | 'audit' | 'now' | 'log'>;

export interface ExposedCapabilities extends Pick<ServerLists, 'arrival' | 'failureOf'> {
  /** Every capability of the servers with `expose`, visible or not, by name; refreshed when it is stale. */
  look(): Promise<readonly Exposure[]>;
  /** As `look`, but while no server has announced a change, a list that is merely old is refreshed afterwards. */
  recent(): Promise<readonly Exposure[]>;
  /** Called with each new list. */
  onRefresh(listener: (exposures: readonly Exposure[]) => void): void;
  /** The last result of `look`, without a refresh. */
  seen(): readonly Exposure[];
  /** A visible capability of a server that has announced nothing since it was listed: a call of it waits for no other server. */
  known(kind: CapabilityKind, name: string): Exposure | undefined;
  /** Marks the list as outdated, or the part of one server. */
  stale(server?: string): void;
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
  const refreshed = new Set<(exposures: readonly Exposure[]) => void>();
  const usageNow = createUsageCache(plane, againMs);
  const logConflicts = createConflictLog(plane);
  const logWaiting = createWaitingLog(plane);
  let last: ExposureSnapshot | undefined;
  let refreshing: Promise<ExposureSnapshot> | undefined;
  let soon: NodeJS.Timeout | undefined;
  let isClosed = false;
  const outdated = createOutdated();
  const announced = createAnnounced();

  const refreshLater = () =>
    void look().catch((error) =>
      plane.log('warn', 'the list of exposed capabilities could not be refreshed', { error: String(error) }),
    );
  const refreshSoon = () => {
    if (isClosed || watchers.size === 0 || soon) return;
    soon = setTimeout(() => {
      soon = undefined;
      refreshLater();
    }, SETTLE_MS).unref();
  };
  const expire = () => {
    last = last && { ...last, goodForMs: 0 };
    refreshSoon();
  };
  const stale = (server?: string) => {
    outdated.add(server);
    expire();
  };
  const lists = createServerLists(plane, {
    patienceMs,
    onChange: stale,
    onAnnounced: (server, list) => announced.add(server, list, refreshing !== undefined),
  });
  const refresh = async (): Promise<ExposureSnapshot> => {
    const [settle, missed] = [outdated.begin(), announced.begin()];
    const usage = await usageNow();
    const all = await Promise.all(servers.map((server) => candidatesOf(plane, server, lists, usage)));
    const exposures = expose(
      all.flatMap(({ candidates }) => candidates),
      limitsOf(plane.config),
    );
    logConflicts(exposures);
    logWaiting(exposures);
    const isWhole = all.every(({ hasAnswered }) => hasAnswered);
    settle();
    // Changes that were announced meanwhile may be missing in this list.
    const goodForMs = outdated.hasSome() ? 0 : isWhole ? againMs : AFTER_FAILURE_MS;
    const now = { at: plane.now(), goodForMs, exposures, digests: digestsOf(exposures) };
    const changed = changedLists(last, now, missed());
    last = now;
    for (const listener of refreshed) listener(exposures);
    for (const list of changed) for (const tell of watchers) tell(list);
    if (goodForMs === 0) refreshSoon();
    return now;
  };
  const refreshOnce = () => {
    refreshing ??= refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  };
  const look = async (): Promise<readonly Exposure[]> => {
    if (last && plane.now() - last.at < last.goodForMs) return last.exposures;
    // A refresh that began before the announcement may not have the change.
    const isTooEarly = refreshing !== undefined && outdated.isWaiting();
    const { exposures } = await refreshOnce();
    return isTooEarly ? (await refreshOnce()).exposures : exposures;
  };
  const timer = setInterval(() => watchers.size > 0 && expire(), againMs).unref();

  return {
    look,
    async recent() {
      const age = last ? plane.now() - last.at : Number.POSITIVE_INFINITY;
      if (!last || age >= 2 * againMs || outdated.hasSome()) return look();
      if (age >= last.goodForMs) refreshLater();
      return last.exposures;
    },
    onRefresh: (listener) => void refreshed.add(listener),
    seen: () => last?.exposures ?? [],
    known(kind, name) {
      const age = last ? plane.now() - last.at : Number.POSITIVE_INFINITY;
      if (!last || age >= 2 * againMs) return undefined;
      const found = last.exposures.find(
        (one) => one.isVisible && one.name === name && one.candidate.entry.definition.kind === kind,
      );
      if (!found || outdated.has(found.candidate.entry.server)) return undefined;
      if (age >= last.goodForMs) refreshLater();
      return found;
    },
    async arrival(server) {
      const hasAnswered = await lists.arrival(server);
      if (hasAnswered) stale(server);
      return hasAnswered;
    },
    failureOf: lists.failureOf,
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

/** The servers whose part of the list is outdated, until a refresh that began after that is done. */
function createOutdated() {
  let waiting = new Set<string | undefined>();
  let underWay = new Set<string | undefined>();
  return {
    /** All of them without a name. */
    add: (server?: string) => void waiting.add(server),
    has: (server: string) =>
      [waiting, underWay].some((servers) => servers.has(server) || servers.has(undefined)),
    hasSome: () => waiting.size + underWay.size > 0,
    /** Whether something has become outdated since the last refresh began. */
    isWaiting: () => waiting.size > 0,
    /** A refresh begins. Returns a function for its end; of a refresh that fails, all stays outdated. */
    begin(): () => void {
      underWay = new Set([...underWay, ...waiting]);
      waiting = new Set();
      return () => {
        underWay = new Set();
      };
    },
  };
}

/** The lists that changed more than once between two looks at them: the one in between is not known here. */
function createAnnounced() {
  let waiting = new Set<string>();
  let missed = new Set<string>();
  return {
    /** `isLooking`: a refresh runs, which may see the list before this change or after it. */
    add(server: string, list: string, isLooking: boolean): void {
      const key = `${list} ${server}`;
      if (isLooking || waiting.has(key)) missed.add(list);
      waiting.add(key);
    },
    /** A refresh begins. Returns a function for its end. */
    begin(): () => ReadonlySet<string> {
      waiting = new Set();
      return () => {
        const found = missed;
        missed = new Set();
        return found;
      };
    },
  };
}

/** Logs each capability whose name is in use, once. */
function createConflictLog({ log }: Pick<Plane, 'log'>): (exposures: readonly Exposure[]) => void {
  const logged = new Set<string>();
  return (exposures) => {
    for (const { name, reason, candidate } of exposures) {
      const { server, definition } = candidate.entry;
      const key = `${definition.kind} ${server} ${name}`;
      if (reason !== NAME_TAKEN || logged.has(key)) continue;
      logged.add(key);
      log('error', 'a capability is not exposed, because its name is in use', {
        server,
        kind: definition.kind,
        name,
      });
    }
  };
}

/** Logs once for each server that some of its definitions wait for a review, and how to review them. */
function createWaitingLog({ log }: Pick<Plane, 'log'>): (exposures: readonly Exposure[]) => void {
  const logged = new Set<string>();
  return (exposures) => {
    for (const { reason, candidate } of exposures) {
      const { server } = candidate.entry;
      if (reason !== 'definition_pending' || logged.has(server)) continue;
      logged.add(server);
      log('warn', 'definitions of a server wait for a review, and are not exposed', {
        server,
        next: `quire mcp discover ${server} --full, then --accept-clean or --accept-baseline`,
      });
    }
  };
}

function changedLists(
  before: ExposureSnapshot | undefined,
  now: ExposureSnapshot,
  missed: ReadonlySet<string>,
): ExposedList[] {
  if (!before) return [];
  return (Object.keys(LISTS) as ExposedList[]).filter(
    (list) => missed.has(list) || before.digests[list] !== now.digests[list],
  );
}

async function candidatesOf(
  plane: Pick<Plane, 'config' | 'verdict'>,
  server: UpstreamServer,
  lists: ServerLists,
  usage: ReadonlyMap<string, Usage>,
): Promise<{ hasAnswered: boolean; candidates: readonly ExposureCandidate[] }> {
  const { rejections, manifest, confinement } = await plane.verdict(server);
  if (!mayStart(server, rejections)) return { hasAnswered: true, candidates: [] };
  const entries = await lists.entriesOf(server);
  if (!entries) return { hasAnswered: false, candidates: [] };
  const known = { rejections, manifest, confinement, entries, usage: usage.get(server.name) };
  const { score } = standingOf(server, known).score;
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
        .map(clientFactsOf),
    );
  return { tools: of('tools'), prompts: of('prompts'), resources: of('resources') };
}

/** The properties of a capability that a client can see. */
function clientFactsOf({ name, needsApproval, candidate }: Exposure): unknown {
  return [name, needsApproval, candidate.class, candidate.entry.fingerprint];
}

/** The audit log may be long, so usage is computed from it only every `againMs`. */
function createUsageCache(
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
