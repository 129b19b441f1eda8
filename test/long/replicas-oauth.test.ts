/** Three servers of the built binary on one database, behind a proxy: who is let in on one is let in on all. */
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import bcrypt from 'bcryptjs';
import pg from 'pg';
import { expect, it } from 'vitest';
import { post } from '../kit/http.ts';
import {
  type AppTokens,
  authorizeUrl,
  codeFor,
  connectApp,
  formIn,
  register,
  requestToken,
} from '../kit/login.ts';
import { describeWith } from '../kit/needs.ts';
import { freshDatabase, postgresNeed } from '../kit/postgres.ts';
import { type Replicas, startReplicas } from '../kit/replicas.ts';
import { temporaryFolder } from '../kit/temp.ts';

const ALEX = { username: 'alex', password: 'correct horse battery' };
const BOB = { username: 'bob', password: 'staple of bob' };
const CALLS_PER_MINUTE = 100;
const PING = { jsonrpc: '2.0', id: 1, method: 'ping' };

async function threeServers() {
  const database = await freshDatabase();
  const folder = await temporaryFolder({
    'notes/a.md': 'alpha',
    'quire.yaml': [
      'notebooks: { notes: { folder: notes } }',
      'auth: { mode: oauth, signedTokens: true }',
      `serve: { requestsPerMinute: 0, callsPerMinute: ${CALLS_PER_MINUTE} }`,
    ].join('\n'),
  });
  const users = [ALEX, BOB].map(({ username, password }) => `${username}:${bcrypt.hashSync(password, 4)}`);
  const replicas = await startReplicas(3, {
    database,
    args: ['--config', join(folder, 'quire.yaml')],
    env: { QUIRE_AUTH_USERS: users.join(',') },
  });
  return { ...replicas, database };
}

async function statuses({ servers }: Replicas, bearer: string): Promise<number[]> {
  const headers = { Authorization: `Bearer ${bearer}` };
  const answers = await Promise.all(servers.map(({ address }) => post(address, PING, headers)));
  await Promise.all(answers.map((answer) => answer.text()));
  return answers.map(({ status }) => (status === 401 || status === 429 ? status : 200));
}

function logged({ servers }: Replicas, message: string): number {
  return servers.flatMap(({ log }) => log()).filter((line) => line.message === message).length;
}

/** Ends every connection to the database, wherever it is in a transaction. */
async function cutConnections(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
}

const NEXT_LOOK_MS = 2_500;

/** A stream of 2026-07-28 that waits for notifications; resolves to a function that waits for its end. */
async function openListen(address: string, accessToken: string): Promise<() => Promise<string>> {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  };
  const params = { notifications: { resourcesListChanged: true }, _meta };
  const answer = await post(
    address,
    { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen', params },
    {
      Authorization: `Bearer ${accessToken}`,
      'MCP-Protocol-Version': '2026-07-28',
      'MCP-Method': 'subscriptions/listen',
    },
  );
  expect(answer.status).toBe(200);
  return () =>
    answer.text().then(
      () => 'ended',
      () => 'ended',
    );
}

describeWith(postgresNeed, 'three servers on one database', () => {
  it('share logins, tokens, refreshes and revocations', async () => {
    const replicas = await threeServers();
    const { origin, servers, database } = replicas;
    const each = async <T>(ask: (address: string) => Promise<T>) =>
      Promise.all([...servers, ...servers].map(({ address }) => ask(address)));

    // A code is redeemed once, wherever.
    const { form } = await codeFor(origin, ALEX);
    const redeemed = await each((address) => requestToken(address, form));
    expect(redeemed.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);

    // A login begun on one server has ended on another; its token opens all.
    const { clientId, ...first } = await connectApp(origin, ALEX);
    expect(
      servers.map(({ address }) => replicas.proxy.sent.get(address) ?? 0).every((count) => count > 1),
    ).toBe(true);
    expect(await statuses(replicas, first.access_token)).toEqual([200, 200, 200]);
    const keys = await each(async (address) => (await fetch(`${address}/oauth/jwks`)).text());
    expect(new Set(keys).size).toBe(1);

    // A refresh raced on all yields one family.
    const refresh = (address: string, refresh_token: string) =>
      requestToken(address, { grant_type: 'refresh_token', client_id: clientId, refresh_token });
    const raced = await each(
      async (address) => (await (await refresh(address, first.refresh_token)).json()) as AppTokens,
    );
    expect(new Set(raced.map(({ refresh_token }) => refresh_token)).size).toBe(1);
    expect([logged(replicas, 'token refreshed'), logged(replicas, 'refresh repeated')]).toEqual([1, 5]);
    for (const { access_token } of raced)
      expect(await statuses(replicas, access_token)).toEqual([200, 200, 200]);

    // Connections break in the middle of commits: the client repeats, and is let in.
    let last = raced[0]?.refresh_token ?? '';
    for (let round = 0; round < 6; round++) {
      const cutting = sleep(5 * round).then(() => cutConnections(database));
      const answers = await each((address) => refresh(address, last));
      await cutting;
      for (const { status } of answers) expect([200, 503]).toContain(status);
      const again = await refresh(origin, last);
      expect(again.status).toBe(200);
      last = ((await again.json()) as AppTokens).refresh_token;
    }
    expect(logged(replicas, 'refresh token reused')).toBe(0);

    // Real reuse ends the family, on all servers within a second.
    const { access_token, refresh_token } = (await (await refresh(origin, last)).json()) as AppTokens;
    expect(await statuses(replicas, access_token)).toEqual([200, 200, 200]);
    expect((await refresh(origin, first.refresh_token)).status).toBe(400);
    await sleep(1_000);
    expect(await statuses(replicas, access_token)).toEqual([401, 401, 401]);
    for (const { status } of await each((address) => refresh(address, refresh_token)))
      expect(status).toBe(400);

    // So does a revocation.
    const other = await connectApp(origin, ALEX);
    expect(await statuses(replicas, other.access_token)).toEqual([200, 200, 200]);
    const opened = await Promise.all(
      [0, 2].map((at) => openListen(servers[at]?.address ?? '', other.access_token)),
    );
    const revoked = { client_id: other.clientId, token: other.refresh_token };
    await fetch(`${servers[1]?.address}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams(revoked),
    });
    await sleep(1_000);
    expect(await statuses(replicas, other.access_token)).toEqual([401, 401, 401]);
    // Streams end before their tokens would be looked at again.
    const late = sleep(NEXT_LOOK_MS).then(() => 'open');
    expect(await Promise.all(opened.map((ended) => Promise.race([ended(), late])))).toEqual([
      'ended',
      'ended',
    ]);
  });

  it('count calls and wrong passwords together', async () => {
    const replicas = await threeServers();
    const { origin, servers } = replicas;
    const { access_token } = await connectApp(origin, BOB);
    const headers = { Authorization: `Bearer ${access_token}` };
    const begun = performance.now();
    let through = 0;
    for (let at = 0; at < CALLS_PER_MINUTE + 60; at++) {
      const answer = await post(origin, PING, headers);
      await answer.text();
      if (answer.status !== 429) through++;
    }
    expect(through).toBeGreaterThanOrEqual(CALLS_PER_MINUTE);
    // One more for each server but the first, in each minute that this has taken.
    const minutes = 1 + Math.floor((performance.now() - begun) / 60_000);
    expect(through).toBeLessThanOrEqual(minutes * (CALLS_PER_MINUTE + 2));

    const clientId = await register(origin);
    const url = authorizeUrl(origin, clientId, 'v'.repeat(43));
    const guess = async (at: number) => {
      const page = await fetch(url);
      const [cookie = ''] = (page.headers.getSetCookie()[0] ?? '').split(';');
      const login = formIn(await page.text());
      login?.fields.set('username', 'carol');
      login?.fields.set('password', `guess ${at}`);
      login?.fields.set('action', 'login');
      const place = new URL(login?.action ?? '', servers[at % servers.length]?.address);
      // Some wait for their turn, longer than this test.
      void fetch(place, { method: 'POST', headers: { Cookie: cookie }, body: login?.fields ?? null }).catch(
        () => {},
      );
    };
    const tries = 30;
    await Promise.all(Array.from({ length: tries }, (_, at) => guess(at)));
    // Ten are free, and two more wait for ten and twenty seconds: as on one server.
    await expect.poll(() => logged(replicas, 'login slowed')).toBe(tries - 12);
  });
});
