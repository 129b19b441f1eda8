/** Where everything is found: under `/oauth` as the metadata says, and at the root, where older clients look. */
import type { Handler, Route } from '../shared/exchange.ts';
import type { Log } from '../shared/log.ts';
import { json, openToAll, preflight } from './answers.ts';
import {
  authorizationServerMetadata,
  type MetadataFacts,
  openidConfiguration,
  protectedResourceMetadata,
} from './metadata.ts';

export interface Endpoints {
  readonly account: { readonly get: Handler; readonly post: Handler };
  readonly authorize: { readonly get: Handler; readonly post: Handler };
  readonly token: Handler;
  readonly revoke: Handler;
  readonly jwks: Handler;
  readonly register?: Handler;
}

const CACHED = { 'Cache-Control': 'public, max-age=300' };

export function routesOf(endpoints: Endpoints, log: Log): Route[] {
  const { account, authorize, token, revoke, jwks, register } = endpoints;
  // People's browsers only: no other site's scripts have any business there.
  const forPeople = (path: string, { get, post }: Endpoints['authorize']): Route[] => [
    { method: 'GET', path, handle: get },
    { method: 'POST', path, handle: post },
  ];
  const forClients = (method: 'GET' | 'POST', name: string, handle: Handler) =>
    everywhere(name).flatMap((path) => openRoutes(method, path, handle, log));
  return [
    ...everywhere('authorize').flatMap((path) => forPeople(path, authorize)),
    ...forPeople('/account', account),
    ...forClients('POST', 'token', token),
    ...forClients('POST', 'revoke', revoke),
    ...forClients('GET', 'jwks', jwks),
    ...(register ? forClients('POST', 'register', register) : []),
  ];
}

interface ProtectedResource {
  readonly id: string;
  /** Paths of the MCP endpoints. */
  readonly endpoints?: readonly string[] | undefined;
}

export function metadataRoutes(
  facts: MetadataFacts,
  { id, endpoints = ['/mcp'] }: ProtectedResource,
  log: Log,
): Route[] {
  const { issuer } = facts;
  const base = new URL(issuer).pathname.replace(/\/$/, '');
  /** What is asked about, by its path, which stands at the end (RFC 8414 §3, RFC 9728 §3). */
  const suffixes = new Map<string, string>();
  for (const path of ['', ...endpoints])
    for (const suffix of [path, `${base}${path}`])
      suffixes.set(suffix, path === '' ? id : `${issuer}${path}`);
  const documents = new Map<string, object>([
    ['/mcp/.well-known/openid-configuration', openidConfiguration(facts)],
  ]);
  for (const [suffix, about] of suffixes) {
    documents.set(`/.well-known/oauth-protected-resource${suffix}`, protectedResourceMetadata(issuer, about));
    documents.set(`/.well-known/oauth-authorization-server${suffix}`, authorizationServerMetadata(facts));
    documents.set(`/.well-known/openid-configuration${suffix}`, openidConfiguration(facts));
  }
  return [...documents].flatMap(([path, document]) =>
    openRoutes('GET', path, async () => json(document, { headers: CACHED }), log),
  );
}

function everywhere(name: string): readonly string[] {
  return [`/oauth/${name}`, `/${name}`];
}

function openRoutes(method: 'GET' | 'POST', path: string, handle: Handler, log: Log): Route[] {
  return [
    { method, path, handle: openToAll(handle, log) },
    { method: 'OPTIONS', path, handle: preflight },
  ];
}
