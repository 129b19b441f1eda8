/** Clients whose id is the address of a document that describes them (OAuth Client ID Metadata Document). */
import type { Client } from './client.ts';
import { type ClientMetadata, readClientMetadata } from './client-metadata.ts';
import type { Documents } from './documents.ts';
import { OAuthError } from './errors.ts';

const KEPT_MS = 60 * 60_000;
const MAX_LENGTH = 1_024;

/** An https address with a path, spelled in the one usual way, with nothing that could hide another. */
export function isDocumentAddress(id: string): boolean {
  if (!id.startsWith('https://') || id.length > MAX_LENGTH || !URL.canParse(id)) return false;
  const url = new URL(id);
  return (
    url.href === id && url.pathname !== '/' && url.hash === '' && url.username === '' && url.password === ''
  );
}

export type DescribedClient = Omit<Client, 'isTrusted' | 'acceptsRedirect'> &
  Pick<ClientMetadata, 'redirectUris'>;

/** `address` is whose request it is for; undefined for a client that a person here has let in. */
export async function fetchClientDocument(
  id: string,
  documents: Documents,
  address: string | undefined,
): Promise<{ readonly document: unknown; readonly client: DescribedClient }> {
  const assertUsable = (document: unknown) => void readClientDocument(id, document);
  const document = await documents.get(id, { maxAgeMs: KEPT_MS, address, assertUsable });
  return { document, client: readClientDocument(id, document) };
}

/** Throws `invalid_client` when the document does not describe a client of that id. */
export function readClientDocument(id: string, document: unknown): DescribedClient {
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
