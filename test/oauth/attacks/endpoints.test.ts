/** Attacks on the endpoints clients talk to. Each row tries one and sees it fail. */
import { describe, expect, it } from 'vitest';
import { type AttackTable, authorizeUrl, connect, errorOf, openServer, staysHere } from '../kit.ts';

const ON_ENDPOINTS: AttackTable = {
  'a parameter is given twice': async () => {
    const served = openServer();
    const { clientId: client_id } = await connect(served);
    for (const name of ['client_id', 'redirect_uri', 'state', 'scope', 'code_challenge', 'x'])
      staysHere(
        await served
          .browser()
          .open(`${authorizeUrl({ client_id, scope: 'notes:read', x: '1' })}&${name}=other`),
      );
    const body = 'grant_type=authorization_code&grant_type=client_credentials';
    for (const path of ['/oauth/token', '/oauth/revoke']) {
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const answer = await served.call(path, { method: 'POST', body, headers });
      expect([answer.status, await errorOf(answer)]).toEqual([400, 'invalid_request']);
    }
  },
  'a body or a request is huge': async () => {
    const served = openServer();
    const huge = 'x'.repeat(70_000);
    const json = { 'content-type': 'application/json' };
    for (const answer of [
      await served.post('/oauth/token', { grant_type: huge }),
      await served.post('/oauth/revoke', { token: huge }),
      await served.call('/oauth/register', {
        method: 'POST',
        body: JSON.stringify({ client_name: huge }),
        headers: json,
      }),
      await served.post('/oauth/authorize', { ticket: huge }),
    ])
      expect(answer.status).toBe(413);
    const { client_id } = await served.register();
    staysHere(await served.browser().open(authorizeUrl({ client_id, state: 'x'.repeat(9_000) })));
  },
  'a body never ends': async () => {
    const served = openServer();
    let sent = 0;
    const body = new ReadableStream({
      pull(controller) {
        sent += 1_024;
        controller.enqueue(new Uint8Array(1_024).fill(97));
      },
    });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const answer = await served.call('/oauth/token', {
      method: 'POST',
      body,
      headers,
      duplex: 'half',
    } as RequestInit);
    expect(answer.status).toBe(413);
    expect(sent).toBeLessThan(100_000);
  },
  'a body is of another type': async () => {
    const served = openServer();
    for (const [path, type] of [
      ['/oauth/token', 'application/json'],
      ['/oauth/token', 'multipart/form-data; boundary=x'],
      ['/oauth/token', 'text/plain'],
      ['/oauth/register', 'application/x-www-form-urlencoded'],
      ['/oauth/revoke', 'application/json'],
    ] as const) {
      const answer = await served.call(path, {
        method: 'POST',
        body: '{}',
        headers: { 'content-type': type },
      });
      expect(answer.status).toBe(415);
      expect(await errorOf(answer)).toBe('invalid_request');
    }
  },
  'a stranger registers a client and lets it in with its secret alone': async () => {
    const served = openServer();
    const registered = await served.register({
      grant_types: ['authorization_code', 'client_credentials'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    const { client_id, client_secret = '', grant_types } = registered;
    expect(grant_types).toEqual(['authorization_code']);
    const answer = await served.post('/oauth/token', {
      grant_type: 'client_credentials',
      client_id,
      client_secret,
    });
    expect(await errorOf(answer)).toBe('unauthorized_client');
  },
  'a client secret is wrong, missing, sent twice, or for another client': async () => {
    const clients = [
      { id: 'one', secret: 'secret one', clientCredentials: true },
      { id: 'two', secret: 'secret two', clientCredentials: true },
    ];
    const served = openServer({ clients });
    const ask = async (form: Record<string, string>, headers?: Record<string, string>) => {
      const answer = await served.post(
        '/oauth/token',
        { grant_type: 'client_credentials', ...form },
        headers,
      );
      return [answer.status, ((await answer.json()) as { error: string }).error];
    };
    const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString('base64')}` });
    expect(await ask({ client_id: 'one', client_secret: 'secret two' })).toEqual([401, 'invalid_client']);
    expect(await ask({ client_id: 'one' })).toEqual([401, 'invalid_client']);
    expect(await ask({ client_id: 'three', client_secret: 'secret two' })).toEqual([401, 'invalid_client']);
    expect(await ask({}, basic('one:wrong'))).toEqual([401, 'invalid_client']);
    expect(await ask({}, basic('no colon'))).toEqual([400, 'invalid_request']);
    expect(await ask({}, { authorization: 'Bearer x' })).toEqual([400, 'invalid_request']);
    expect(await ask({ client_id: 'two' }, basic('one:secret one'))).toEqual([400, 'invalid_request']);
    expect(await ask({ client_secret: 'secret one' }, basic('one:secret one'))).toEqual([
      400,
      'invalid_request',
    ]);
    expect(await ask({})).toEqual([400, 'invalid_request']);
    expect(served.events('client authentication failed')).toHaveLength(4);
    const wrong = await served.post('/oauth/token', { grant_type: 'client_credentials' }, basic('one:wrong'));
    expect(wrong.headers.get('www-authenticate')).toBe('Basic realm="quire"');
  },
  'lines are put into the log': async () => {
    const served = openServer();
    const client_name = `Claude\n{"level":"info","message":"login succeeded"}\r\u2028\u0085${'x'.repeat(400)}`;
    await served.register({ client_name });
    await served.post('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: `a\nb${'y'.repeat(5_000)}`,
      refresh_token: 'x',
    });
    for (const { fields } of served.lines)
      for (const value of Object.values(fields)) {
        expect(String(value)).not.toMatch(/[\n\r\u2028\u0085]/);
        expect(String(value).length).toBeLessThanOrEqual(200);
      }
  },
};

describe('attacks on endpoints', () => {
  it.each(Object.entries(ON_ENDPOINTS))('%s', async (_, attack) => attack());
});
