/** Attacks on refresh tokens, and what a lost answer may do. Each row tries one and sees it fail. */
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type AttackTable,
  connect,
  errorOf,
  exchange,
  isValid,
  openServer,
  pkce,
  refresh,
  tokensOf,
} from '../kit.ts';

const ON_REFRESH: AttackTable = {
  'a stolen refresh token is used after its owner refreshed: everything falls': async () => {
    const served = openServer();
    const { clientId, refresh_token, access_token } = await connect(served);
    const next = await tokensOf(await refresh(served, clientId, refresh_token));
    served.advance(31);
    expect(await errorOf(await refresh(served, clientId, refresh_token))).toBe('invalid_grant');
    expect(served.events('refresh token reused')).toHaveLength(1);
    for (const token of [access_token, next.access_token]) expect(await isValid(served, token)).toBe(false);
    expect(await errorOf(await refresh(served, clientId, next.refresh_token))).toBe('invalid_grant');
  },
  'a stolen refresh token is used first: its owner’s next refresh finds out': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const thief = await tokensOf(await refresh(served, clientId, refresh_token));
    served.advance(3_600);
    expect(await errorOf(await refresh(served, clientId, refresh_token))).toBe('invalid_grant');
    expect(await isValid(served, thief.access_token)).toBe(false);
    expect(await errorOf(await refresh(served, clientId, thief.refresh_token))).toBe('invalid_grant');
  },
  'a lost answer is asked for again within the grace: the same successor, no second line': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const lost = await tokensOf(await refresh(served, clientId, refresh_token));
    served.advance(29);
    const again = await tokensOf(await refresh(served, clientId, refresh_token));
    expect(again.refresh_token).toBe(lost.refresh_token);
    expect(again.access_token).not.toBe(lost.access_token);
    expect(served.events('refresh repeated')).toHaveLength(1);
    served.advance(86_000);
    expect((await refresh(served, clientId, again.refresh_token)).status).toBe(200);
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
  'the grace is used to live alongside the owner: whoever comes second ends it for both': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    const owner = await tokensOf(await refresh(served, clientId, refresh_token));
    const thief = await tokensOf(await refresh(served, clientId, refresh_token));
    expect(thief.refresh_token).toBe(owner.refresh_token);
    served.advance(3_600);
    const thiefNext = await tokensOf(await refresh(served, clientId, thief.refresh_token));
    served.advance(3_600);
    expect(await errorOf(await refresh(served, clientId, owner.refresh_token))).toBe('invalid_grant');
    expect(await isValid(served, thiefNext.access_token)).toBe(false);
    expect(await errorOf(await refresh(served, clientId, thiefNext.refresh_token))).toBe('invalid_grant');
  },
  'the grace is stretched by asking again and again': async () => {
    const served = openServer();
    const { clientId, refresh_token } = await connect(served);
    for (let at = 0; at < 4; at++) {
      expect((await refresh(served, clientId, refresh_token)).status).toBe(200);
      served.advance(10);
    }
    expect(await errorOf(await refresh(served, clientId, refresh_token))).toBe('invalid_grant');
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

describe('attacks on refresh tokens', () => {
  it.each(Object.entries(ON_REFRESH))('%s', async (_, attack) => attack());
});
