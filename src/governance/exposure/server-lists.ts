/** The definitions of exposed servers, each asked on its own, and what the servers announce about them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { UpstreamServer } from '../../config/control-plane.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Plane } from '../plane.ts';
import type { CatalogEntry } from '../types.ts';

export interface ServerLists {
  /** Waits for servers that are still being asked, or for the named one; whether one has answered. */
  arrival(server?: string): Promise<boolean>;
  /** Why a server could not be asked when it was last tried; undefined when it was. */
  failureOf(server: string): Error | undefined;
  /** Undefined when the server failed, or did not answer within the patience. */
  entriesOf(server: UpstreamServer): Promise<readonly CatalogEntry[] | undefined>;
}

interface ServerListsOptions {
  readonly patienceMs: number;
  /** A server has announced a change, was connected again, or has answered after the patience. */
  readonly onChange: (server: string) => void;
  readonly onAnnounced: (server: string, list: string) => void;
}

export function createServerLists(
  plane: Pick<Plane, 'upstream' | 'freshCatalog' | 'log'>,
  { patienceMs, onChange, onAnnounced }: ServerListsOptions,
): ServerLists {
  // A server that was stopped is another one at its next start.
  const listenedTo = new WeakSet<Upstream>();
  const asking = new Map<string, Promise<readonly CatalogEntry[] | undefined>>();
  const failures = new Map<string, Error>();

  const listen = async (server: UpstreamServer) => {
    const upstream = await plane.upstream(server);
    if (listenedTo.has(upstream)) return;
    listenedTo.add(upstream);
    upstream.onAnnounced((what, list) => what === 'list_changed' && onAnnounced(server.name, list));
    upstream.onListChanged(() => onChange(server.name));
  };
  const ask = async (server: UpstreamServer) => {
    const { name } = server;
    try {
      await listen(server);
      const { entries } = await plane.freshCatalog(server);
      failures.delete(name);
      return entries;
    } catch (error) {
      failures.set(name, error instanceof Error ? error : new Error(String(error)));
      plane.log('warn', 'a server is not exposed, because it could not be listed', {
        server: name,
        error: String(error),
      });
      return undefined;
    }
  };

  return {
    entriesOf(server) {
      const answer = ask(server);
      asking.set(server.name, answer);
      void answer.finally(() => asking.get(server.name) === answer && asking.delete(server.name));
      return withPatience(answer, patienceMs, () => onChange(server.name));
    },
    async arrival(server) {
      const late = server === undefined ? [...asking.values()] : [asking.get(server)];
      return (await Promise.all(late)).some((entries) => entries !== undefined);
    },
    failureOf: (server) => failures.get(server),
  };
}

/** Undefined after `patienceMs`; `onLate` is called when an answer comes after that. */
function withPatience<T>(
  answer: Promise<T | undefined>,
  patienceMs: number,
  onLate: () => void,
): Promise<T | undefined> {
  const patience = new AbortController();
  let isLate = false;
  const late = sleep(patienceMs, undefined, { signal: patience.signal, ref: false }).then(
    () => {
      isLate = true;
      return undefined;
    },
    () => undefined,
  );
  void answer.then((value) => {
    if (isLate && value !== undefined) onLate();
  });
  return Promise.race([answer, late]).finally(() => patience.abort());
}
