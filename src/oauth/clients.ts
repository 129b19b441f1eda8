/**
 * Every client there is, by its id: those the operator set up, those that registered themselves, and those whose
 * id leads to a document. Registrations that nobody ever approved are forgotten after a day.
 */

import type { StateStore } from '../state/memory.ts';
import { OAuthError } from './answers.ts';
import {
  type AuthMethod,
  type Client,
  type ClientKeys,
  type ClientMetadata,
  displayName,
  type GrantType,
  type PreconfiguredClient,
  readClientMetadata,
} from './client-metadata.ts';
import type { Documents } from './documents.ts';
import { isLoopback, isSameRedirectUri, redirectUriProblem } from './redirect-uri.ts';
import { hashOf } from './tickets.ts';

/** Clients whose id is the address of a document that describes them (OAuth Client ID Metadata Document). */

const KEPT_MS = 60 * 60_000;
const MAX_LENGTH = 1_024;

/** An https address with a path, spelled in the one usual way, with nothing that could hide another. */
function isDocumentAddress(id: string): boolean {
  if (!id.startsWith('https://') || id.length > MAX_LENGTH || !URL.canParse(id)) return false;
  const url = new URL(id);
  return (
    url.href === id && url.pathname !== '/' && url.hash === '' && url.username === '' && url.password === ''
  );
}

type DescribedClient = Omit<Client, 'isTrusted' | 'acceptsRedirect'> & Pick<ClientMetadata, 'redirectUris'>;

/** `address` is whose request it is for; undefined for a client that a person here has let in. */
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
  // A secret in a public document would be none.
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
  return new OAuthError('invalid_client', `The document of the app at ${host} cannot be used: ${why}`, {
    status: 401,
  });
}

/** A client that registered itself, as it is stored. */
export interface Registration {
  readonly id: string;
  readonly name: string;
  readonly redirectUris: readonly string[];
  readonly grantTypes: readonly GrantType[];
  readonly authMethods: readonly AuthMethod[];
  readonly secretHash?: string;
  readonly keys?: ClientKeys;
  /** Milliseconds since 1970. */
  readonly registeredAt: number;
  /** The network it was registered from. Absent in what older versions kept. */
  readonly from?: string;
}

/** That a person has let in a client described by a document, and what the document said. */
interface ApprovedDocument {
  readonly id: string;
  /** Absent in what older versions kept. */
  readonly document?: unknown;
  /** When it was last seen like that, in milliseconds since 1970. */
  readonly at?: number;
}

export interface Clients {
  /**
   * Throws `invalid_client` when there is none, and `temporarily_unavailable` when it cannot be told now. `address` is
   * where the request comes from that names the client.
   */
  get(id: string, address: string): Promise<Client>;
  /** Cheaper: whether tokens given to it still count. */
  isKnown(id: string): Promise<boolean>;
  register(registration: Registration): Promise<void>;
  /** A person has let it in: it is kept. */
  approved(client: Client): Promise<void>;
  /** Registrations nobody has approved yet, oldest last. */
  unapproved(): Promise<Registration[]>;
  forgetUnapproved(id: string): Promise<void>;
}

interface ClientsOptions {
  readonly configured: readonly PreconfiguredClient[];
  readonly state: StateStore;
  readonly documents?: Documents;
  readonly now: () => number;
}

const DAY_MS = 24 * 60 * 60_000;
/** How long a client is known by a document that cannot be had any more. */
const MAX_STALE_MS = 30 * DAY_MS;
const UNAPPROVED_SECONDS = 24 * 60 * 60;

/** Where Claude is sent back to. */
const CLAUDE = ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'];

const KEYS = {
  unapproved: (id: string) => `registration:${id}`,
  approved: (id: string) => `client:${id}`,
  approvedDocument: (id: string) => `document:${hashOf(id)}`,
};

export function createClients({ configured, state, documents, now }: ClientsOptions): Clients {
  const known = new Map(configured.map((client) => [client.id, fromConfiguration(client)]));

  const keepDocument = (id: string, document: unknown) =>
    state.put(KEYS.approvedDocument(id), { id, document, at: now() } satisfies ApprovedDocument);

  /** What a person has let in is not forgotten because its site does not answer for a while. */
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
    async get(id, address) {
      const client = known.get(id);
      if (client) return client;
      if (isDocumentAddress(id)) return fromDocument(id, address);
      const approved = await state.get<Registration>(KEYS.approved(id));
      if (approved) return fromRegistration(approved, true);
      const unapproved = await state.get<Registration>(KEYS.unapproved(id));
      if (unapproved) return fromRegistration(unapproved, false);
      throw unknownClient();
    },
    async isKnown(id) {
      if (known.has(id)) return true;
      if (isDocumentAddress(id)) return documents !== undefined;
      return (await state.get(KEYS.approved(id))) !== undefined;
    },
    register: (registration) => state.put(KEYS.unapproved(registration.id), registration, UNAPPROVED_SECONDS),
    async approved(client) {
      if (client.isTrusted) return;
      if (client.kind === 'document') return approveDocument(client.id);
      const registration = await state.get<Registration>(KEYS.unapproved(client.id));
      if (!registration) return;
      await state.put(KEYS.approved(client.id), registration);
      await state.delete(KEYS.unapproved(client.id));
    },
    async unapproved() {
      const keys = await state.list(KEYS.unapproved(''));
      const found = await Promise.all(keys.map((key) => state.get<Registration>(key)));
      return found
        .filter((registration) => registration !== undefined)
        .sort((a, b) => b.registeredAt - a.registeredAt);
    },
    forgetUnapproved: (id) => state.delete(KEYS.unapproved(id)),
  };
}

function fromConfiguration({
  id,
  secret,
  name,
  redirectUris,
  clientCredentials,
}: PreconfiguredClient): Client {
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

/** Not `invalid_client`, which would make a client forget what it was granted. */
function unavailable(host: string): OAuthError {
  return new OAuthError(
    'temporarily_unavailable',
    `The document of the app at ${host} cannot be had right now. Try again in a minute.`,
    { status: 503, headers: { 'Retry-After': '60' } },
  );
}

/** 401 makes clients register again (RFC 6749 §5.2). */
function unknownClient(): OAuthError {
  return new OAuthError(
    'invalid_client',
    'This client is not known here (any more): it has to register again',
    {
      status: 401,
    },
  );
}
