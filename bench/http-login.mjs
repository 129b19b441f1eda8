// A token as every client gets one: registration, login, consent, exchange of the code.
import { createHash, randomBytes } from 'node:crypto';

const CALLBACK = 'http://127.0.0.1:1/callback';

/** Resolves to the tokens of a new client for the person, and the client's id. */
export async function logIn(origin, { username, password }) {
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'bench', redirect_uris: [CALLBACK] }),
  });
  const { client_id } = await registered.json();
  const cookies = new Map();
  const verifier = randomBytes(32).toString('base64url');
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: origin,
  });
  const login = await fetch(`${origin}/oauth/authorize?${asked}`);
  const consent = await submit(origin, cookies, login, { action: 'login', username, password });
  const back = await submit(origin, cookies, consent, { action: 'approve' });
  const leadsTo = back.headers.get('location');
  if (!leadsTo)
    throw new Error(
      `no consent: HTTP ${back.status} ${(await back.text()).replace(/<[^>]*>|\s+/g, ' ').slice(-300)}`,
    );
  const code = new URL(leadsTo).searchParams.get('code');
  const form = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier };
  const answer = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const tokens = await answer.json();
  if (!tokens.access_token) throw new Error('no token was given');
  return { ...tokens, client_id };
}

/** Sends the form of a page, with the cookies of those before. */
async function submit(origin, cookies, page, fields) {
  keep(cookies, page);
  const ticket = /name="ticket" value="([^"]+)"/.exec(await page.text())?.[1];
  return keep(
    cookies,
    await fetch(`${origin}/oauth/authorize`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      body: new URLSearchParams({ ticket, ...fields }),
    }),
  );
}

function keep(cookies, answer) {
  for (const cookie of answer.headers.getSetCookie()) {
    const [, name, value] = /^([^=]+)=([^;]*)/.exec(cookie);
    cookies.set(name, value);
  }
  return answer;
}
