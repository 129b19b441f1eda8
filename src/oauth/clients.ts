/**
 * Every client there is, by its id: those the operator set up, those that registered themselves, and those whose
 * id leads to a document. Registrations that nobody ever approved are forgotten after a day.
 */
import type { StateStore } from '../state/state-store.ts';
import type { AuthMethod, Client, ClientKeys, GrantType, PreconfiguredClient } from './client.ts';
import { isDocumentAddress, readClientDocument } from './client-documents.ts';
import { displayName } from './display-name.ts';
import type { Documents } from './documents.ts';
import { OAuthError } from './errors.ts';
import { isLoopback, isSameRedirectUri, redirectUriProblem } from './redirect-uri.ts';
import { hashOf } from './secrets.ts';

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
}

export interface Clients {
  /** Throws `invalid_client` when there is none. */
  get(id: string): Promise<Client>;
  /** Cheaper: whether tokens given to it still count. */
  isKnown(id: string): Promise<boolean>;
  register(registration: Registration): Promise<void>;
  /** A person has let it in: it is kept. */
  approved(client: Client): Promise<void>;
  /** Registrations nobody has approved yet, oldest last. */
  unapproved(): Promise<Registration[]>;
  forgetUnapproved(id: string): Promise<void>;
}

export interface ClientsOptions {
  readonly configured: readonly PreconfiguredClient[];
  readonly state: StateStore;
  readonly documents?: Documents;
}

const UNAPPROVED_SECONDS = 24 * 60 * 60;

/** Where Claude is sent back to. */
const CLAUDE = ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'];

const KEYS = {
  unapproved: (id: string) => `registration:${id}`,
  approved: (id: string) => `client:${id}`,
  approvedDocument: (id: string) => `document:${hashOf(id)}`,
};

export function createClients({ configured, state, documents }: ClientsOptions): Clients {
  const known = new Map(configured.map((client) => [client.id, fromConfiguration(client)]));

  const fromDocument = async (id: string): Promise<Client> => {
    if (!documents) throw unknownClient();
    const { redirectUris, ...client } = await readClientDocument(id, documents);
    const isTrusted = (await state.get(KEYS.approvedDocument(id))) !== undefined;
    return { ...client, isTrusted, acceptsRedirect: oneOf(redirectUris) };
  };

  return {
    async get(id) {
      const client = known.get(id);
      if (client) return client;
      if (isDocumentAddress(id)) return fromDocument(id);
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
      if (client.kind === 'document') return state.put(KEYS.approvedDocument(client.id), { id: client.id });
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
