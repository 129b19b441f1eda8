/** Logins at HTTP servers: tokens and the client they were given to, in one file for its owner alone. */
import { join } from 'node:path';
import type { StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client';
import * as z from 'zod';
import { openJsonFile } from '../../state/json-file.ts';

export interface LoginRecord {
  /** What the login is for: tokens go nowhere else, whatever becomes of the configuration. */
  readonly url: string;
  readonly client?: StoredOAuthClientInformation;
  readonly tokens?: StoredOAuthTokens;
  /** Where tokens are given back. */
  readonly revocation?: string;
  readonly at: number;
}

export interface LoginStore {
  /** Undefined where nobody has logged in, or at another address. */
  of(server: LoginPlace): Promise<LoginRecord | undefined>;
  change(server: LoginPlace, change: Partial<LoginRecord>): Promise<void>;
  /** Gives what was forgotten. */
  forget(name: string): Promise<LoginRecord | undefined>;
}

export interface LoginPlace {
  readonly name: string;
  readonly url: string;
}

export const LOGINS_FILE = 'logins.json';
const MAX_BYTES = 4 * 1024 * 1024;

const record = z.looseObject({
  url: z.string(),
  at: z.number(),
  client: z.looseObject({ client_id: z.string() }).optional(),
  tokens: z.looseObject({ access_token: z.string() }).optional(),
});
const file = z.strictObject({ version: z.literal(1), servers: z.record(z.string(), record) });
type Servers = Readonly<Record<string, LoginRecord>>;

export function openLoginStore(folder: string, now: () => number): LoginStore {
  const stored = openJsonFile<z.infer<typeof file>>(join(folder, LOGINS_FILE), {
    parse: (value) => file.parse(value),
    empty: { version: 1, servers: {} },
    maxBytes: MAX_BYTES,
  });
  const update = <R>(work: (servers: Servers) => { servers: Servers; result: R }) =>
    stored.update((before) => {
      // The schema says that it still looks like what was put.
      const { servers, result } = work(before.servers as unknown as Servers);
      return { value: { version: 1, servers: servers as never }, result };
    });
  return {
    async of(place) {
      return knownAt((await stored.read()).servers as unknown as Servers, place);
    },
    change: (place, change) =>
      update((servers) => {
        const before = knownAt(servers, place) ?? { url: place.url, at: now() };
        return {
          servers: { ...servers, [place.name]: { ...before, ...change, at: now() } },
          result: undefined,
        };
      }),
    forget: (name) =>
      update((servers) => {
        const { [name]: gone, ...rest } = servers;
        return { servers: rest, result: gone };
      }),
  };
}

function knownAt(servers: Servers, { name, url }: LoginPlace): LoginRecord | undefined {
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  return found?.url === url ? found : undefined;
}
