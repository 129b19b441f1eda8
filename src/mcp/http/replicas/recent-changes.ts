/**
 * Changes that this replica noticed lately. The replica that speaks for a session tells its client of them; when another
 * one takes over, what happened in between was noticed by both or by neither, so the new one looks back.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Prompts, Resources } from '../../offers.ts';
import type { LiveTools } from '../../tool.ts';
import type { StoredEvent } from './store.ts';

const MOST = 1_000;
const KEEP_MS = 120_000;
/**
 * How much earlier than its last sign of life a replica may have stopped to tell of changes: it hears of them through a
 * connection of its own, which comes back some seconds after an outage.
 */
const MARGIN_MS = 10_000;
/** Two replicas notice the same change that far apart. */
const SKEW_MS = 300;
/** How long after a change a replica that runs tells of it at the latest. */
const LATE_MS = 10_000;

type Method =
  | 'notifications/resources/updated'
  | 'notifications/resources/list_changed'
  | 'notifications/prompts/list_changed'
  | 'notifications/tools/list_changed';

interface Change {
  readonly at: number;
  readonly method: Method;
  /** In the canonical spelling. */
  readonly uri?: string;
}

interface ChangeSources {
  readonly resources?: Resources;
  readonly prompts?: Prompts;
  readonly live?: LiveTools;
}

interface LookBack {
  /** When the replica that spoke before was seen for the last time. */
  readonly since: number;
  readonly until: number;
}

export class RecentChanges {
  readonly #resources: Resources | undefined;
  #changes: Change[] = [];
  /** From when on all changes are known. */
  #knownSince = Date.now();
  readonly #offered: readonly Method[];
  readonly #stops: readonly ((() => void) | undefined)[];

  constructor({ resources, prompts, live }: ChangeSources) {
    this.#resources = resources;
    this.#offered = [
      ...(resources ? (['notifications/resources/list_changed'] as const) : []),
      ...(prompts ? (['notifications/prompts/list_changed'] as const) : []),
      ...(live ? (['notifications/tools/list_changed'] as const) : []),
    ];
    this.#stops = [
      resources?.watch({
        updated: (uri) => this.#add('notifications/resources/updated', uri),
        listChanged: () => this.#add('notifications/resources/list_changed'),
      }),
      prompts?.watch(() => this.#add('notifications/prompts/list_changed')),
      live?.watch(() => this.#add('notifications/tools/list_changed')),
    ];
  }

  /**
   * The notifications of a session about changes in this time that are not among its events. Each event tells of one
   * change: a change told twice does no harm, one not told does.
   */
  missing(
    { since: seen, until }: LookBack,
    subscriptions: readonly string[],
    told: readonly StoredEvent[],
  ): JSONRPCMessage[] {
    const given = new Map(subscriptions.map((uri) => [this.#canonical(uri), uri]));
    const since = seen - MARGIN_MS;
    const missing = new Map<string, JSONRPCMessage>();
    const now = Date.now();
    const events = told.map(({ ageMs, message }) => ({ at: now - ageMs, message }));
    for (const { at, method, uri } of this.#changes) {
      const named = uri === undefined ? undefined : given.get(uri);
      if (at > until || (uri !== undefined && named === undefined)) continue;
      const index = events.findIndex(
        (event) => event.at > at - SKEW_MS && event.at < at + LATE_MS && isSame(event.message, method, named),
      );
      if (index >= 0) events.splice(index, 1);
      else if (at >= since) {
        const message = notification(method, named);
        missing.set(JSON.stringify(message), message);
      }
    }
    return [...missing.values()];
  }

  /** Whether all changes since then were noticed; not by a replica that was started later. */
  isKnown(since: number): boolean {
    return since - MARGIN_MS >= this.#knownSince;
  }

  /** That everything may have changed. */
  everything(subscriptions: readonly string[]): JSONRPCMessage[] {
    return [
      ...subscriptions.map((uri) => notification('notifications/resources/updated', uri)),
      ...this.#offered.map((method) => notification(method)),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop?.();
  }

  #canonical(uri: string): string {
    try {
      return this.#resources?.canonical(uri) ?? uri;
    } catch {
      return uri;
    }
  }

  #add(method: Method, uri?: string): void {
    const now = Date.now();
    this.#changes.push({ at: now, method, uri });
    const old = this.#changes.findLastIndex(({ at }) => at < now - KEEP_MS) + 1;
    const dropped = this.#changes.splice(0, Math.max(old, this.#changes.length - MOST));
    this.#knownSince = dropped.at(-1)?.at ?? this.#knownSince;
  }
}

function notification(method: Method, uri?: string): JSONRPCMessage {
  return { jsonrpc: '2.0', method, ...(uri !== undefined && { params: { uri } }) };
}

function isSame(message: JSONRPCMessage | undefined, method: Method, uri: string | undefined): boolean {
  if (!message || !('method' in message) || message.method !== method) return false;
  return (message.params as { uri?: unknown } | undefined)?.uri === uri;
}
