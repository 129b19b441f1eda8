/** Authentication: the token as it is, as Bearer, or as the password of the user `etapi`. */
import { type Answer, etapiError, type FakeRequest, json, jsonBody, nothing, Refusal } from './answer.ts';
import { randomId } from './database.ts';
import type { Trilium } from './trilium.ts';

const MAX_TRIES = 10;
const LIMIT_HEADER = { 'x-ratelimit-limit': String(MAX_TRIES) };

export function assertAuthenticated({ tokens, isOpen }: Trilium, { headers }: FakeRequest): void {
  if (isOpen || tokens.has(tokenOf(headers.authorization ?? ''))) return;
  throw etapiError(401, 'NOT_AUTHENTICATED', 'Not authenticated');
}

function tokenOf(header: string): string {
  if (header.startsWith('Bearer ')) return header.slice('Bearer '.length);
  if (!header.startsWith('Basic ')) return header;
  const [user, ...password] = Buffer.from(header.slice('Basic '.length), 'base64').toString().split(':');
  return user === 'etapi' ? password.join(':') : '';
}

export function login(trilium: Trilium, asked: FakeRequest): Answer {
  if (++trilium.loginTries > MAX_TRIES)
    throw new Refusal({
      status: 429,
      headers: { 'content-type': 'text/html; charset=utf-8', 'retry-after': '900', ...LIMIT_HEADER },
      body: 'Too many requests, please try again later.',
    });
  if (jsonBody(asked).password !== trilium.password)
    return json({ status: 401, code: 'WRONG_PASSWORD', message: 'Wrong password.' }, 401, LIMIT_HEADER);
  const authToken = `${randomId()}_${randomId(43)}=`;
  trilium.tokens.add(authToken);
  return json({ authToken }, 201, LIMIT_HEADER);
}

export function logout({ tokens }: Trilium, { headers }: FakeRequest): Answer {
  tokens.delete(tokenOf(headers.authorization ?? ''));
  return nothing;
}
