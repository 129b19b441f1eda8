/**
 * The client registry, by client id: clients of the operator, registered clients, and clients whose id is the
 * address of a metadata document. Registrations without an approval expire after a day.
 */

import type { StateRead } from '../state/memory.ts';
import { OAuthError } from './answers.ts';
import {
  type Client,
  type ClientMetadata,
  displayName,
  type PreconfiguredClient,
  readClientMetadata,
} from './client-metadata.ts';
import type { OAuthContext } from './context.ts';
import type { Documents } from './documents.ts';
import { isLoopback, isSameRedirectUri, redirectUriProblem } from './redirect-uri.ts';
import { hashOf } from './tickets.ts';

/** How long the metadata document of a client is cached. */
const KEPT_MS = 60 * 60_000;
const MAX_LENGTH = 1_024;
/** Ids that are given out here have 36 characters; none longer is looked for. */
const MAX_ID_LENGTH = 200;

/** An https address with a path, in canonical spelling. */
function isDocumentAddress(id: string): boolean {
  if (!id.startsWith('https://') || id.length > MAX_LENGTH || !URL.canParse(id)) return false;
  const url = new URL(id);
  return (
    url.href === id && url.pathname !== '/' && url.hash === '' && url.username === '' && url.password === ''
  );
}

type DescribedClient = Omit<Client, 'isTrusted' | 'acceptsRedirect'> & Pick<ClientMetadata, 'redirectUris'>;

/** `address` is the requester's, for rate limits; undefined for a client that a person has approved. */
async function fetchClientDocument(
  id: string,
  documents: Documents,
  address: string | undefined,
): Promise<{ readonly document: unknown; readonly client: DescribedClient }> {
  const assertUsable = (document: unknown) => void readClientDocument(id, document);
  const document = await documents.get(id, { maxAgeMs: KEPT_MS, address, assertUsable });
  return { document, client: readClientDocument(id, document) };
}

/** Throws `invalid_client` when the document does not describe a client of that id. */
function readClientDocument(id: string, document: unknown): DescribedClient {
  const { host } = new URL(id);
  if ((document as { client_id?: unknown } | null)?.client_id !== id)
    throw unusable(host, 'its client_id is not its own address');
  const metadata = readDocument(document, host);
  // A shared secret in a public document would not be secret.
  const authMethods = metadata.authMethods.filter(
    (method) => method === 'none' || method === 'private_key_jwt',
  );
  if (authMethods.length === 0)
    throw unusable(host, 'it asks for a shared secret, which a public document cannot have');
  return { ...metadata, id, kind: 'document', authMethods };
}

function readDocument(document: unknown, host: string): ClientMetadata {
  try {
    return readClientMetadata(document);
  } catch (error) {
    throw error instanceof OAuthError ? unusable(host, error.message) : error;
  }
}

function unusable(host: string, why: string): OAuthError {
  return new OAuthError('invalid_client', `The document of the app at ${host} cannot be used: ${why}`);
}

/** A dynamically registered client, as stored. */
export interface Registration extends ClientMetadata {
  readonly id: string;
  readonly secretHash?: string;
  /** Milliseconds since 1970. */
  readonly registeredAt: number;
  /** The network of the registration request. Absent in records of older versions. */
  readonly from?: string;
}

/** Approval of a client described by a document, with the document's content. */
interface ApprovedDocument {
  readonly id: string;
  /** Absent in records of older versions. */
  readonly document?: unknown;
  /** Time of the last successful fetch, in milliseconds since 1970. */
  readonly at?: number;
}

const DAY_MS = 24 * 60 * 60_000;
/** How long an approved client is accepted without its document being reachable. */
const MAX_STALE_MS = 30 * DAY_MS;
const UNAPPROVED_SECONDS = 24 * 60 * 60;
const READ_AT_ONCE = 4;

/** Claude's redirect addresses. */
const CLAUDE = ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'];

const KEYS = {
  unapproved: (id: string) => `registration:${id}`,
  approved: (id: string) => `client:${id}`,
  approvedDocument: (id: string) => `document:${hashOf(id)}`,
};

export type Clients = ReturnType<typeof createClients>;

export function createClients(
  { state, now }: OAuthContext,
  configured: readonly PreconfiguredClient[],
  documents: Documents | undefined,
) {
  const known = new Map(configured.map((client) => [client.id, fromConfiguration(client)]));

  const keepDocument = (id: string, document: unknown) =>
    state.put(KEYS.approvedDocument(id), { id, document, at: now() } satisfies ApprovedDocument);

  /** An approved client stays valid while its site is unreachable for a while. */
  const fromApprovedDocument = async (
    approved: ApprovedDocument,
    documents: Documents,
  ): Promise<DescribedClient> => {
    const { id } = approved;
    try {
      const { document, client } = await fetchClientDocument(id, documents, undefined);
      const isOld = now() - (approved.at ?? 0) > DAY_MS;
      if (isOld || JSON.stringify(document) !== JSON.stringify(approved.document))
        await keepDocument(id, document);
      return client;
    } catch (error) {
      if (!(error instanceof OAuthError)) throw error;
      const isUsable = approved.document !== undefined && now() - (approved.at ?? 0) < MAX_STALE_MS;
      if (isUsable) return readClientDocument(id, approved.document);
      throw unavailable(new URL(id).host);
    }
  };

  const fromDocument = async (id: string, address: string): Promise<Client> => {
    if (!documents) throw unknownClient();
    const approved = await state.get<ApprovedDocument>(KEYS.approvedDocument(id));
    const { redirectUris, ...client } = approved
      ? await fromApprovedDocument(approved, documents)
      : (await fetchClientDocument(id, documents, address)).client;
    return { ...client, isTrusted: approved !== undefined, acceptsRedirect: oneOf(redirectUris) };
  };

  const approveDocument = async (id: string): Promise<void> => {
    const found = documents && (await fetchClientDocument(id, documents, undefined).catch(() => undefined));
    if (found) await keepDocument(id, found.document);
    else await state.put(KEYS.approvedDocument(id), { id } satisfies ApprovedDocument);
  };

  return {
    /**
     * Throws `invalid_client` when there is no such client, and `temporarily_unavailable` when its document cannot be
     * fetched now. `address` is the requester's.
     */
    async get(id: string, address: string): Promise<Client> {
      const client = known.get(id);
      if (client) return client;
      if (isDocumentAddress(id)) return fromDocument(id, address);
      if (id.length > MAX_ID_LENGTH) throw unknownClient();
      const approved = await state.get<Registration>(KEYS.approved(id));
      if (approved) return fromRegistration(approved, true);
      const unapproved = await state.get<Registration>(KEYS.unapproved(id));
      if (unapproved) return fromRegistration(unapproved, false);
      throw unknownClient();
    },
    /** Cheaper than `get`: whether tokens of this client still count. */
    async isKnown(id: string, read: StateRead = 'get'): Promise<boolean> {
      if (known.has(id)) return true;
      if (isDocumentAddress(id)) return documents !== undefined;
      return (await state[read](KEYS.approved(id))) !== undefined;
    },
    register: (registration: Registration) =>
      state.put(KEYS.unapproved(registration.id), registration, UNAPPROVED_SECONDS),
    /** Keeps the client beyond its expiry. */
    async approved(client: Client): Promise<void> {
      if (client.isTrusted) return;
      if (client.kind === 'document') return approveDocument(client.id);
      const registration = await state.get<Registration>(KEYS.unapproved(client.id));
      if (!registration) return;
      await state.put(KEYS.approved(client.id), registration);
      await state.delete(KEYS.unapproved(client.id));
    },
    /** Registrations without an approval, newest first; none where there are fewer than so many. */
    async unapproved(least: number): Promise<Registration[]> {
      const keys = await state.list(KEYS.unapproved(''));
      const found: Registration[] = [];
      if (keys.length < least) return found;
      // Anybody can ask for this: it must not take all connections of a database.
      for (let at = 0; at < keys.length; at += READ_AT_ONCE) {
        const some = keys.slice(at, at + READ_AT_ONCE).map((key) => state.get<Registration>(key));
        found.push(...(await Promise.all(some)).filter((registration) => registration !== undefined));
      }
      return found.sort((a, b) => b.registeredAt - a.registeredAt);
    },
    forgetUnapproved: (id: string) => state.delete(KEYS.unapproved(id)),
  };
}

function fromConfiguration(client: PreconfiguredClient): Client {
  const { id, secret, name, redirectUris, clientCredentials } = client;
  return {
    id,
    name: displayName(name ?? id, id),
    kind: 'configured',
    grantTypes: [
      'authorization_code',
      'refresh_token',
      ...(clientCredentials === true ? (['client_credentials'] as const) : []),
    ],
    authMethods: ['client_secret_post', 'client_secret_basic'],
    secretHash: hashOf(secret),
    isTrusted: true,
    acceptsRedirect: redirectUris ? oneOf(redirectUris) : isClaudeOrDevice,
  };
}

function fromRegistration({ redirectUris, ...registration }: Registration, isTrusted: boolean): Client {
  return { ...registration, kind: 'registered', isTrusted, acceptsRedirect: oneOf(redirectUris) };
}

function oneOf(redirectUris: readonly string[]): (uri: string) => boolean {
  return (uri) => redirectUris.some((registered) => isSameRedirectUri(uri, registered));
}

function isClaudeOrDevice(uri: string): boolean {
  return CLAUDE.includes(uri) || (isLoopback(uri) && redirectUriProblem(uri) === undefined);
}

/** Not `invalid_client`, which would make the client discard its grant. */
function unavailable(host: string): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    `The document of the app at ${host} cannot be fetched right now. Try again in a minute.`,
  );
}

function unknownClient(): OAuthError {
  return new OAuthError(
    'invalid_client',
    'This client is not known here (any more): it has to register again',
  );
}
