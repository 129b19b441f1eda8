/** A person with a browser, as far as a login needs one: follows, remembers cookies, fills in forms; and an app for it. */
import { createHash, randomBytes } from 'node:crypto';

export interface Person {
  readonly username: string;
  readonly password: string;
}

/**
 * From the address a client sends a person to, through login and consent, to where the person is sent back; the pages
 * on the way are put into `seen`. Unless `choose` says something else, all that is asked for is allowed.
 */
export async function approve(
  address: string | URL,
  person: Person,
  seen: string[] = [],
  choose: (fields: URLSearchParams) => void = () => {},
): Promise<URL> {
  const cookies = new Map<string, string>();
  const visit = async (url: URL, form?: URLSearchParams) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const equals = pair.indexOf('=');
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    return answer;
  };
  let url = new URL(address);
  let answer = await visit(url);
  for (let step = 0; step < 6; step++) {
    const location = answer.headers.get('location');
    if (location !== null) {
      const next = new URL(location, url);
      if (next.origin !== url.origin) return next;
      url = next;
      answer = await visit(url);
      continue;
    }
    const page = await answer.text();
    seen.push(page);
    const form = formIn(page);
    if (!form) throw new Error(`no form: ${answer.status} ${page.slice(0, 500)}`);
    if (page.includes('name="password"')) {
      form.fields.set('username', person.username);
      form.fields.set('password', person.password);
      form.fields.set('action', 'login');
    } else {
      form.fields.delete('notebooks');
      form.fields.set('action', 'approve');
      choose(form.fields);
    }
    url = new URL(form.action, url);
    answer = await visit(url, form.fields);
  }
  throw new Error('the login does not end');
}

export function formIn(page: string): { action: string; fields: URLSearchParams } | undefined {
  const form = /<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(page);
  if (!form) return undefined;
  const fields = new URLSearchParams();
  for (const [input] of (form[2] ?? '').matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    const value = /value="([^"]*)"/.exec(input)?.[1] ?? '';
    if (name !== undefined) fields.set(name, plainText(value));
  }
  return { action: plainText(form[1] ?? ''), fields };
}

function plainText(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

const CALLBACK = 'http://127.0.0.1:33418/callback';

export interface AppTokens {
  readonly access_token: string;
  readonly refresh_token: string;
}

/** The id of a new app. */
export async function register(origin: string): Promise<string> {
  const answer = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test', redirect_uris: [CALLBACK] }),
  });
  return ((await answer.json()) as { client_id: string }).client_id;
}

export function authorizeUrl(origin: string, clientId: string, verifier: string): string {
  const parameters = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: CALLBACK,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
  };
  return `${origin}/oauth/authorize?${new URLSearchParams(parameters)}`;
}

/** A person logs in and approves an app; the form is what the app sends for its tokens. */
export async function codeFor(origin: string, person: Person) {
  const clientId = await register(origin);
  const verifier = randomBytes(32).toString('base64url');
  const back = await approve(authorizeUrl(origin, clientId, verifier), person);
  const code = back.searchParams.get('code') ?? '';
  return {
    clientId,
    form: { grant_type: 'authorization_code', client_id: clientId, code, code_verifier: verifier },
  };
}

export function requestToken(origin: string, form: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
}

export async function connectApp(origin: string, person: Person) {
  const { clientId, form } = await codeFor(origin, person);
  const answer = await requestToken(origin, form);
  if (answer.status !== 200) throw new Error(`no token: ${answer.status} ${await answer.text()}`);
  return { clientId, ...((await answer.json()) as AppTokens) };
}
