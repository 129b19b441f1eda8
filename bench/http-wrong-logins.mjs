// People who get their password wrong, so many at a time, until stopped. Each attempt comes from another
// address and for another name, so that no limit keeps the server from comparing the password.
const CALLBACK = 'http://127.0.0.1:1/callback';

/** Resolves to a function that stops them, which resolves to how many were answered. */
export async function keepFailing(origin, inFlight) {
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...fromSomewhere() },
    body: JSON.stringify({ client_name: 'wrong logins', redirect_uris: [CALLBACK] }),
  });
  const { client_id } = await registered.json();
  const asked = new URLSearchParams({
    response_type: 'code',
    client_id,
    redirect_uri: CALLBACK,
    code_challenge: 'c'.repeat(43),
    code_challenge_method: 'S256',
  });
  let answered = 0;
  let isOver = false;
  const person = async () => {
    while (!isOver) {
      await failOnce(`${origin}/oauth/authorize`, asked);
      answered++;
    }
  };
  const people = Array.from({ length: inFlight }, person);
  return async () => {
    isOver = true;
    await Promise.all(people);
    return answered;
  };
}

async function failOnce(url, asked) {
  const page = await fetch(`${url}?${asked}`, { headers: fromSomewhere() });
  const ticket = /name="ticket" value="([^"]+)"/.exec(await page.text())?.[1];
  const cookies = page.headers.getSetCookie().map((cookie) => cookie.split(';')[0]);
  const form = { ticket, action: 'login', username: `nobody ${Math.random()}`, password: 'wrong' };
  const answer = await fetch(url, {
    method: 'POST',
    headers: { Cookie: cookies.join('; '), ...fromSomewhere() },
    body: new URLSearchParams(form),
  });
  await answer.text();
  if (answer.status !== 403) throw new Error(`a wrong login was answered with ${answer.status}`);
}

/** An address of 198.18.0.0/15, which is for measurements, as a proxy on this machine would say it. */
function fromSomewhere() {
  const [a, b, c] = [
    18 + Math.floor(Math.random() * 2),
    ...[0, 0].map(() => Math.floor(Math.random() * 256)),
  ];
  return { 'X-Forwarded-For': `198.${a}.${b}.${c}` };
}
