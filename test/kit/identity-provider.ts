/** OpenID providers on loopback: the real `oidc-provider`, and a fake that lies in one way at a time. */

import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';
import { onTestFinished } from 'vitest';

export const CLIENT = { clientId: 'quire', clientSecret: 'a secret of the client' };

export interface Account {
  readonly preferred_username?: string;
  readonly groups?: readonly string[];
}

async function listen(handler: RequestListener): Promise<{ origin: string; close: () => Promise<void> }> {
  const server = createServer(handler).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  onTestFinished(close);
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

interface RealProvider {
  callback(): RequestListener;
}

/** Of each account, the login is its subject and any password does. */
export async function startProvider(redirectUri: string, accounts: Readonly<Record<string, Account>>) {
  const name: string = 'oidc-provider';
  const { default: Provider } = (await import(name)) as {
    default: new (issuer: string, settings: object) => RealProvider;
  };
  let handle: RequestListener = (_, response) => void response.end();
  const { origin, close } = await listen((request, response) => handle(request, response));
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: CLIENT.clientId,
        client_secret: CLIENT.clientSecret,
        redirect_uris: [redirectUri],
        post_logout_redirect_uris: [new URL('/account', redirectUri).href],
      },
    ],
    cookies: { keys: ['a key of the cookies'] },
    claims: { openid: ['sub'], profile: ['preferred_username', 'groups'], email: ['email'] },
    findAccount: async (_: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id, ...accounts[id] }),
    }),
  });
  handle = provider.callback();
  return { origin, close };
}

/** A person at the provider: from the address of the login to the one that leads back. */
export async function signInAt(address: string, login: string, abort = false): Promise<URL> {
  const cookies = new Map<string, string>();
  const { origin } = new URL(address);
  const visit = async (url: URL, form?: URLSearchParams) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      cookies.set(name, value);
    }
    return answer;
  };
  let url = new URL(address);
  let form: URLSearchParams | undefined;
  for (let step = 0; step < 12; step++) {
    const answer = await visit(url, form);
    form = undefined;
    const location = answer.headers.get('location');
    if (location !== null) {
      url = new URL(location, url);
      if (url.origin !== origin) return url;
      continue;
    }
    const html = await answer.text();
    if (abort) {
      url = new URL(/href="([^"]*\/abort)"/.exec(html)?.[1] ?? '/none', url);
      continue;
    }
    url = new URL(/<form[^>]*action="([^"]+)"/.exec(html)?.[1] ?? '/none', url);
    form = new URLSearchParams(
      html.includes('name="login"') ? { prompt: 'login', login, password: 'any' } : { prompt: 'consent' },
    );
  }
  throw new Error('the login at the provider does not end');
}

export type Lie =
  | 'none'
  | 'issuer'
  | 'nonce'
  | 'unsigned'
  | 'foreign key'
  | 'expired'
  | 'future'
  | 'audience'
  | 'no id token'
  | 'iss parameter'
  | 'metadata issuer'
  | 'down at the token endpoint';

/** A provider that signs everybody in at once, as the subject `eve`. */
export async function startFake(redirectUri: string) {
  const foreign = await generateKeyPair('ES256');
  const newKey = async (kid: string) => {
    const pair = await generateKeyPair('ES256');
    return { ...pair, kid, jwk: { ...(await exportJWK(pair.publicKey)), kid, alg: 'ES256', use: 'sig' } };
  };
  let own = await newKey('k');
  const asked = new Map<string, string>();
  const provider = {
    lie: 'none' as Lie,
    origin: '',
    verifiers: [] as string[],
    /** What else the identity token says. */
    claims: {} as Readonly<Record<string, unknown>>,
    /** What else its description says. */
    metadata: {} as Readonly<Record<string, unknown>>,
    /** Ways in which a client may send its secret. */
    secretBy: ['basic', 'post'],
    /** Answers of the token endpoint, instead of tokens. */
    refusal: undefined as { readonly status: number; readonly body: object | string } | undefined,
    /** Where it sends people with an error, instead of a code. */
    error: undefined as string | undefined,
    async rotate(kid = 'next') {
      own = await newKey(kid);
    },
  };

  const idToken = async (nonce: string): Promise<string | undefined> => {
    const seconds = Math.floor(Date.now() / 1000) + (provider.lie === 'future' ? 3_600 : 0);
    const claims = {
      sub: 'eve',
      nonce: provider.lie === 'nonce' ? 'another' : nonce,
      groups: ['staff'],
      preferred_username: 'eve',
      ...provider.claims,
    };
    const issuer = provider.lie === 'issuer' ? 'https://evil.example' : provider.origin;
    const audience = provider.lie === 'audience' ? 'another' : CLIENT.clientId;
    const expires = provider.lie === 'expired' ? seconds - 3_600 : seconds + 300;
    const issued = provider.lie === 'expired' ? seconds - 7_200 : seconds;
    if (provider.lie === 'no id token') return undefined;
    if (provider.lie === 'unsigned')
      return new UnsecuredJWT(claims)
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issued)
        .setExpirationTime(expires)
        .encode();
    const key = provider.lie === 'foreign key' ? foreign.privateKey : own.privateKey;
    return new SignJWT({ ...claims, ...(provider.lie === 'future' && { nbf: issued }) })
      .setProtectedHeader({ alg: 'ES256', kid: own.kid })
      .setIssuer(issuer)
      .setAudience(audience)
      .setIssuedAt(issued)
      .setExpirationTime(expires)
      .sign(key);
  };

  const { origin, close } = await listen(async (request, response) => {
    const url = new URL(request.url ?? '', provider.origin);
    const json = (body: object, status = 200) => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    switch (url.pathname) {
      case '/.well-known/openid-configuration':
        return json({
          issuer: provider.lie === 'metadata issuer' ? 'https://evil.example' : provider.origin,
          authorization_endpoint: `${provider.origin}/authorize`,
          token_endpoint: `${provider.origin}/token`,
          jwks_uri: `${provider.origin}/jwks`,
          response_types_supported: ['code'],
          id_token_signing_alg_values_supported: ['ES256', 'none'],
          authorization_response_iss_parameter_supported: true,
          token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
          ...provider.metadata,
        });
      case '/jwks':
        return json({ keys: [own.jwk] });
      case '/authorize': {
        const code = `code-${asked.size}`;
        asked.set(code, url.searchParams.get('nonce') ?? '');
        const back = new URL(redirectUri);
        if (provider.error === undefined) back.searchParams.set('code', code);
        else back.searchParams.set('error', provider.error);
        back.searchParams.set('state', url.searchParams.get('state') ?? '');
        back.searchParams.set(
          'iss',
          provider.lie === 'iss parameter' ? 'https://evil.example' : provider.origin,
        );
        return void response.writeHead(303, { Location: back.href }).end();
      }
      case '/token': {
        if (provider.lie === 'down at the token endpoint') return void request.socket.destroy();
        let body = '';
        for await (const chunk of request) body += chunk;
        const form = new URLSearchParams(body);
        const way = request.headers.authorization === undefined ? 'post' : 'basic';
        if (!provider.secretBy.includes(way)) return json({ error: 'invalid_client' }, 401);
        const { refusal } = provider;
        if (refusal) {
          const isText = typeof refusal.body === 'string';
          response.writeHead(refusal.status, { 'Content-Type': isText ? 'text/html' : 'application/json' });
          return void response.end(isText ? refusal.body : JSON.stringify(refusal.body));
        }
        provider.verifiers.push(form.get('code_verifier') ?? '');
        const token = await idToken(asked.get(form.get('code') ?? '') ?? '');
        return json({
          access_token: 'x',
          token_type: 'Bearer',
          ...(token !== undefined && { id_token: token }),
        });
      }
      default:
        return json({}, 404);
    }
  });
  return Object.assign(provider, { origin, close });
}
