// A token as every client gets one: registration, login, consent, exchange of the code.
import { createHash, randomBytes } from 'node:crypto';

const CALLBACK = 'http://127.0.0.1:1/callback';

/** Resolves to an access token for the person. */
export async function logIn(origin, { username, password }) {
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'bench', redirect_uris: [CALLBACK] }),
  });
  const { client_id } = await registered.json();
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
  const consent = await submit(origin, login, { action: 'login', username, password });
  const back = await submit(origin, consent, { action: 'approve' });
  const code = new URL(back.headers.get('location')).searchParams.get('code');
  const form = { grant_type: 'authorization_code', client_id, code, code_verifier: verifier };
  const answer = await fetch(`${origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(form) });
  const { access_token } = await answer.json();
  if (!access_token) throw new Error('no token was given');
  return access_token;
}

let cookies = new Map();

/** Sends the form of a page, with the cookies of those before. */
async function submit(origin, page, fields) {
  keep(page);
  const ticket = /name="ticket" value="([^"]+)"/.exec(await page.text())?.[1];
  return keep(
    await fetch(`${origin}/oauth/authorize`, {
      method: 'POST',
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      body: new URLSearchParams({ ticket, ...fields }),
    }),
  );
}

function keep(answer) {
  const set = answer.headers.getSetCookie().map((cookie) => /^([^=]+)=([^;]*)/.exec(cookie).slice(1));
  cookies = new Map([...cookies, ...set]);
  return answer;
}
