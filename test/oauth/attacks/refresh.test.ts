/** Attacks on refresh tokens, and what a lost answer may do. Each row tries one and sees it fail. */
import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type AttackTable,
  connect,
  errorOf,
  exchange,
  isValid,
  type OAuthServer,
  openServer,
  pkce,
  refresh,
  tokensOf,
} from '../kit.ts';

const ON_REFRESH: AttackTable = {
  'a stolen refresh token is used when its successor was, at once or weeks later: everything falls':
    async () => {
      for (const pause of [0, 31, 20 * 86_400]) {
        const served = openServer();
        const { clientId, refresh_token, access_token } = await connect(served);
        const next = await tokensOf(await refresh(served, clientId, refresh_token));
        const last = await tokensOf(await refresh(served, clientId, next.refresh_token));
        served.advance(pause);
        expect(await errorOf(await refresh(served, clientId, refresh_token))).toBe('invalid_grant');
        expect(served.events('refresh token reused')).toHaveLength(1);
        for (const token of [access_token, next.access_token, last.access_token])
          expect(await isValid(served, token)).toBe(false);
        expect(await errorOf(await refresh(served, clientId, last.refresh_token))).toBe('invalid_grant');
      }
    },
  'a refresh token from long ago is used: everything falls': async () => {
    const served = openServer();
    const { clientId, refresh_token: first } = await connect(served);
    let token = first;
    for (let at = 0; at < 50; at++)
      token = (await tokensOf(await refresh(served, clientId, token))).refresh_token;
    expect(await errorOf(await refresh(served, clientId, first))).toBe('invalid_grant');
    expect(served.events('refresh token reused')).toHaveLength(1);
    expect(await errorOf(await refresh(served, clientId, token))).toBe('invalid_grant');
  },
  'a stolen refresh token is used first: its owner’s next refresh finds out': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const thief = await tokensOf(await refresh(served, clientId, refresh_token));
    const later = await tokensOf(await refresh(served, clientId, thief.refresh_token));
    served.advance(3_600);
    expect(await errorOf(await refresh(served, clientId, refresh_token))).toBe('invalid_grant');
    expect(await isValid(served, later.access_token)).toBe(false);
    expect(await errorOf(await refresh(served, clientId, later.refresh_token))).toBe('invalid_grant');
  },
  'a token is made up from the half that names a family: nothing falls': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const next = await tokensOf(await refresh(served, clientId, refresh_token));
    const other = await connect(served);
    for (const made of [
      refresh_token.slice(0, 32) + '0'.repeat(32),
      refresh_token.slice(0, 32) + other.refresh_token.slice(32),
      refresh_token.slice(0, 32),
      refresh_token.toUpperCase(),
      `${refresh_token}00`,
    ])
      expect(await errorOf(await refresh(served, clientId, made))).toBe('invalid_grant');
    expect(served.events('refresh token reused')).toEqual([]);
    expect((await refresh(served, clientId, next.refresh_token)).status).toBe(200);
  },
  'a lost answer is asked for again, however late: the same successor, no second line': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const lost = await tokensOf(await refresh(served, clientId, refresh_token));
    for (const pause of [0, 29, 2, 3_600, 10 * 86_400]) {
      served.advance(pause);
      const again = await tokensOf(await refresh(served, clientId, refresh_token));
      expect(again.refresh_token).toBe(lost.refresh_token);
      expect(again.access_token).not.toBe(lost.access_token);
      expect(await isValid(served, again.access_token)).toBe(true);
    }
    expect(served.events('refresh repeated')).toHaveLength(5);
    const next = await tokensOf(await refresh(served, clientId, lost.refresh_token));
    expect((await refresh(served, clientId, next.refresh_token)).status).toBe(200);
  },
  'many refresh at once: all get the same successor': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => refresh(served, clientId, refresh_token)),
    );
    const successors = await Promise.all(
      answers.map(async (answer) => (await tokensOf(answer)).refresh_token),
    );
    expect(new Set(successors).size).toBe(1);
    expect((await refresh(served, clientId, successors[0] ?? '')).status).toBe(200);
  },
  'a thief refreshes beside the owner: falling two behind ends the grant for both': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const owner = await tokensOf(await refresh(served, clientId, refresh_token));
    const thief = await tokensOf(await refresh(served, clientId, refresh_token));
    expect(thief.refresh_token).toBe(owner.refresh_token);
    served.advance(3_600);
    const thiefNext = await tokensOf(await refresh(served, clientId, thief.refresh_token));
    const thiefLast = await tokensOf(await refresh(served, clientId, thiefNext.refresh_token));
    served.advance(3_600);
    expect(await errorOf(await refresh(served, clientId, owner.refresh_token))).toBe('invalid_grant');
    expect(await isValid(served, thiefLast.access_token)).toBe(false);
    expect(await errorOf(await refresh(served, clientId, thiefLast.refresh_token))).toBe('invalid_grant');
  },
  'the server dies after it wrote and before it answered: the old token still leads on': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    await refresh(served, clientId, refresh_token);
    const restarted = openServer({ state: served.state });
    const next = await tokensOf(await refresh(restarted, clientId, refresh_token));
    expect((await refresh(restarted, clientId, next.refresh_token)).status).toBe(200);
  },
  'the clock jumps back: a used token stays used, an unused successor is found': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const next = await tokensOf(await refresh(served, clientId, refresh_token));
    served.advance(-3_600);
    expect((await tokensOf(await refresh(served, clientId, refresh_token))).refresh_token).toBe(
      next.refresh_token,
    );
    await tokensOf(await refresh(served, clientId, next.refresh_token));
    served.advance(-3_600);
    expect(await errorOf(await refresh(served, clientId, refresh_token))).toBe('invalid_grant');
  },
  'a client refreshes without end: the state does not grow': async () => {
    for (const kind of ['opaque', 'jwt'] as const) {
      const served = openServer({ tokens: { kind } });
      const { clientId, refresh_token } = await connect(served);
      let token = refresh_token;
      for (let at = 0; at < 30; at++) {
        token = (await tokensOf(await refresh(served, clientId, token))).refresh_token;
        await tokensOf(await refresh(served, clientId, token));
      }
      const size = (await served.state.list('')).length;
      for (let at = 0; at < 200; at++)
        token = (await tokensOf(await refresh(served, clientId, token))).refresh_token;
      expect((await served.state.list('')).length).toBeLessThanOrEqual(size);
      expect((await served.state.list('refresh')).length).toBe(1);
    }
  },
  'a client gets tokens by its secret without end: the state does not grow': async () => {
    const clients = [{ id: 'robot', secret: 'a secret of the robot', clientCredentials: true }];
    const served = openServer({ clients });
    const ask = () =>
      served.post('/oauth/token', {
        grant_type: 'client_credentials',
        client_id: 'robot',
        client_secret: 'a secret of the robot',
      });
    const first = await tokensOf(await ask());
    for (let at = 0; at < 99; at++) await tokensOf(await ask());
    expect(await isValid(served, first.access_token)).toBe(true);
    const size = (await served.state.list('')).length;
    for (let at = 0; at < 50; at++) await tokensOf(await ask());
    expect((await served.state.list('')).length).toBe(size);
    expect(await isValid(served, (await tokensOf(await ask())).access_token)).toBe(true);
  },
  'the next refresh token is computed from an old one': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const next = await tokensOf(await refresh(served, clientId, refresh_token));
    for (const message of ['', clientId, refresh_token, 'refresh'])
      expect(createHmac('sha256', refresh_token).update(message).digest('hex')).not.toBe(next.refresh_token);
  },
  'a refresh token is used by another client, as a code, or as an access token': async () => {
    const served = openServer();
    const { clientId, refresh_token, access_token } = await connect(served);
    const other = await served.register();
    expect(await errorOf(await refresh(served, other.client_id, refresh_token))).toBe('invalid_grant');
    expect(await isValid(served, refresh_token)).toBe(false);
    expect(await errorOf(await refresh(served, clientId, access_token))).toBe('invalid_grant');
    const form = { client_id: clientId, code: refresh_token, code_verifier: pkce().verifier };
    expect(await errorOf(await exchange(served, form))).toBe('invalid_grant');
    expect((await refresh(served, clientId, refresh_token)).status).toBe(200);
  },
  'an old refresh token outlives its time': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    served.advance(30 * 86_400);
    expect(await errorOf(await refresh(served, clientId, refresh_token))).toBe('invalid_grant');
  },
};

/** The state of versions before token families: every token by itself, and when it was exchanged. */
const grantOf = async (served: OAuthServer) => {
  const { clientId } = await connect(served);
  const [key = ''] = await served.state.list('refresh-family:');
  const { grant } = (await served.state.get<{ grant: object }>(key)) ?? {};
  await served.state.delete(key);
  return { clientId, stored: { grant, offline: false, familySecret: 'f'.repeat(64) } };
};
const afterIn = (token: string) => createHmac('sha256', token).update('f'.repeat(64)).digest('hex');
const hashed = (token: string) => createHash('sha256').update(token).digest('hex');

describe('refresh tokens of an older version', () => {
  it('go on in a family, lose no answer, and are found out when stolen', async () => {
    const served = openServer();
    const { clientId, stored } = await grantOf(served);
    const token = 'a'.repeat(64);
    await served.state.put(`refresh:${hashed(token)}`, stored, 86_400);
    const next = await tokensOf(await refresh(served, clientId, token));
    served.advance(3_600);
    expect((await tokensOf(await refresh(served, clientId, token))).refresh_token).toBe(next.refresh_token);
    const last = await tokensOf(await refresh(served, clientId, next.refresh_token));
    expect(await errorOf(await refresh(served, clientId, token))).toBe('invalid_grant');
    expect(served.events('refresh token reused')).toHaveLength(1);
    expect(await isValid(served, last.access_token)).toBe(false);
  });

  it('that were exchanged lead to their successor until that is used', async () => {
    const served = openServer();
    const { clientId, stored } = await grantOf(served);
    const token = 'a'.repeat(64);
    for (const one of [token, afterIn(token)])
      await served.state.put(`refresh:${hashed(one)}`, stored, 86_400);
    await served.state.put(`exchanged:${hashed(token)}`, served.clock.now, 86_400);
    served.advance(3_600);
    const again = await tokensOf(await refresh(served, clientId, token));
    expect(again.refresh_token).toBe(afterIn(token));
    await tokensOf(await refresh(served, clientId, again.refresh_token));
    expect(await errorOf(await refresh(served, clientId, token))).toBe('invalid_grant');
    expect(served.events('refresh token reused')).toHaveLength(1);
  });
});

describe('attacks on refresh tokens', () => {
  it.each(Object.entries(ON_REFRESH))('%s', async (_, attack) => attack());
});
