/** Strangers register thousands of clients: others can still, and keep theirs. */
import { describe, expect, it } from 'vitest';
import { type AttackTable, CALLBACK, openServer } from '../oauth/kit.ts';

const ON_REGISTRATION: AttackTable = {
  'clients are registered without end: bounded by address, and altogether': async () => {
    const served = openServer();
    const attempt = (address: string) =>
      served.call('/oauth/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [CALLBACK] }),
        address,
      });
    const statuses: number[] = [];
    for (let at = 0; at < 25; at++) statuses.push((await attempt(`2001:db8::${at}`)).status);
    expect(statuses.filter((status) => status === 201)).toHaveLength(20);
    const refused = await attempt('2001:db8::ffff');
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '3600']);
    for (let at = 0; at < 980; at++) expect((await attempt(`10.1.${at >> 8}.${at & 255}`)).status).toBe(201);
    expect((await attempt('192.0.2.1')).status).toBe(201);
    expect(await served.state.list('registration:')).toHaveLength(1_000);
    served.advance(3_600);
    expect((await attempt('192.0.2.1')).status).toBe(201);
    expect(await served.state.list('registration:')).toHaveLength(1_000);
    served.advance(86_400);
    expect(await served.state.list('registration:')).toEqual([]);
  },
  'clients are registered from all over one large network: others still can, and keep theirs': async () => {
    const served = openServer();
    const { client_id } = await served.register();
    const attempt = async (address: string) =>
      (
        await served.call('/oauth/register', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ redirect_uris: [CALLBACK] }),
          address,
        })
      ).status;
    const given = new Map<string, number>();
    const count = (key: string, status: number) =>
      status === 201 && given.set(key, (given.get(key) ?? 0) + 1);
    for (let at = 0; at < 60; at++) count('a /56', await attempt(`2001:db8:1:${at.toString(16)}::1`));
    for (let at = 0; at < 998; at++)
      count('a /48', await attempt(`2001:db8:2:${(at & 255).toString(16)}00::1`));
    for (let at = 0; at < 30; at++) count('an IPv4', await attempt('::ffff:192.0.2.77'));
    expect([...given]).toEqual([
      ['a /56', 40],
      ['a /48', 80],
      ['an IPv4', 20],
    ]);
    expect(await attempt('192.0.2.1')).toBe(201);
    for (let network = 0; network < 900; network++)
      expect(await attempt(`10.${network >> 6}.${network & 63}.1`)).toBe(201);
    expect(await served.state.list('registration:')).toHaveLength(1_000);
    expect(await served.state.get(`registration:${client_id}`)).toBeDefined();
    for (let at = 0; at < 15; at++) expect(await attempt('198.51.100.4')).toBe(201);
    const { client_id: newest } = await served.register();
    for (let at = 0; at < 300; at++) await attempt(`2001:db8:9:${(at & 255).toString(16)}00::1`);
    expect(await served.state.get(`registration:${newest}`)).toBeDefined();
  },
};

describe('attacks on registration', () => {
  it.each(Object.entries(ON_REGISTRATION))('%s', async (_, attack) => attack());
});
