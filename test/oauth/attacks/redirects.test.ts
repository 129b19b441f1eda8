/** Attacks by way of where browsers are sent back to. Each row tries one and sees it fail. */
import { describe, expect, it } from 'vitest';
import {
  type AttackTable,
  authorizeUrl,
  CALLBACK,
  calledBack,
  connect,
  errorOf,
  ISSUER,
  openServer,
  parametersOf,
  staysHere,
} from '../kit.ts';

const BAD_REDIRECTS = [
  'https://evil.example/api/mcp/auth_callback',
  'https://claude.ai.evil.example/api/mcp/auth_callback',
  'https://claude.ai/api/mcp/auth_callback/',
  'https://claude.ai/api/mcp/auth_callback?next=https://evil.example',
  'https://claude.ai/api/mcp/auth_callback#x',
  'https://claude.ai/api/mcp/../mcp/auth_callback',
  'https://claude.ai:444/api/mcp/auth_callback',
  'https://CLAUDE.ai/api/mcp/auth_callback',
  'http://claude.ai/api/mcp/auth_callback',
  'https://claude.ai@evil.example/api/mcp/auth_callback',
  'https://evil.example\\@claude.ai/api/mcp/auth_callback',
  'http://localhost:1@evil.example/callback',
  'http://localhost.evil.example/callback',
  'http://127.0.0.1.evil.example/callback',
  'http://127.0.0.1:99999999/callback',
  'http://127.0.0.1:1/callback',
  'http://localhost:1/other',
  'https://localhost:1/callback',
  '//evil.example',
  'javascript:alert(1)',
];

const ON_REDIRECTS: AttackTable = {
  'a port no address has is asked for: a page, not a failure': async () => {
    const served = openServer({ clients: [{ id: 'set-up', secret: 'a secret of sixteen' }] });
    const { client_id } = await served.register({ redirect_uris: ['http://localhost/cb'] });
    for (const id of [client_id, 'set-up'])
      for (const port of ['99999', '65536', '00000', '-1'])
        for (const host of ['localhost', '127.0.0.1', '[::1]']) {
          const redirect_uri = `http://${host}:${port}/cb`;
          const answer = await served.browser().open(authorizeUrl({ client_id: id, redirect_uri }));
          if (port === '00000') expect(answer.status).toBeLessThan(500);
          else expect([redirect_uri, answer.status]).toEqual([redirect_uri, 400]);
        }
  },
  'an app’s own scheme is used: a plain warning, each time': async () => {
    const served = openServer();
    const redirect_uri = 'com.example.app:/oauth';
    const { client_id } = await served.register({ redirect_uris: [redirect_uri] });
    for (let at = 0; at < 2; at++) {
      const browser = served.browser();
      await browser.open(authorizeUrl({ client_id, redirect_uri }));
      expect((await browser.logIn()).status).toBe(200);
      expect(browser.html).toContain('any app on your device can claim <b>com.example.app:</b> links');
      calledBack(await browser.send({ action: 'approve' }));
    }
  },
  'another address than the registered ones is asked for: a page, never a redirect': async () => {
    const served = openServer();
    const { client_id } = await served.register({ redirect_uris: [CALLBACK, 'http://localhost:3/callback'] });
    for (const redirect_uri of [...BAD_REDIRECTS, undefined]) {
      const browser = served.browser();
      staysHere(await browser.open(authorizeUrl({ client_id, redirect_uri })));
      expect(browser.html).not.toContain('evil.example');
    }
  },
  'an unknown client is named: a page': async () => {
    const served = openServer();
    for (const client_id of ['nobody', undefined, '__proto__', 'https://evil.example'])
      staysHere(await served.browser().open(authorizeUrl({ client_id })));
  },
  'an address no browser should be sent to is registered': async () => {
    const { call } = openServer();
    for (const uri of [
      'javascript:alert(1)',
      'JavaScript:alert(1)',
      'java\nscript:alert(1)',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://claude.ai/x',
      'ms-msdt:/id',
      'search-ms:query=x',
      'intent://x#Intent;end',
      'c:/windows',
      'http://evil.example/cb',
      'http://192.168.1.7/cb',
      'http://localhost.evil.example/cb',
      'https://claude.ai/cb#fragment',
      'https://claude.ai/cb#',
      'https://user@claude.ai/cb',
      'https://evil;sandbox/cb',
      "https://evil,script-src'unsafe-inline'/cb",
      'https://claude.ai\\evil',
      'https://claude.ai/a b',
      'https://claude.ai/\u202e',
      '/relative',
      '',
      `https://claude.ai/${'x'.repeat(2_100)}`,
    ]) {
      const answer = await call('/oauth/register', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [CALLBACK, uri] }),
        address: `10.0.${uri.length}.${uri.charCodeAt(uri.length - 1) || 0}`,
      });
      expect([uri, answer.status, await errorOf(answer)]).toEqual([uri, 400, 'invalid_redirect_uri']);
    }
  },
  'a client of one’s own is used to send people elsewhere by way of an error': async () => {
    const served = openServer();
    const { client_id } = await served.register({ redirect_uris: ['https://evil.example/phish'] });
    const browser = served.browser();
    const url = authorizeUrl({
      client_id,
      redirect_uri: 'https://evil.example/phish',
      response_type: 'token',
    });
    staysHere(await browser.open(url));
    expect(browser.html).toContain('Go back to evil.example');
  },
  'a redirect URI carries an answer already': async () => {
    const served = openServer();
    const redirect_uri = 'https://app.example/cb?code=evil&state=evil&iss=https://evil.example&keep=1';
    const { client_id } = await served.register({ redirect_uris: [redirect_uri] });
    const back = await served.browser().approve(authorizeUrl({ client_id, redirect_uri }));
    expect(back.searchParams.getAll('code')).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
    expect(back.searchParams.getAll('state')).toEqual(['xyz']);
    expect(back.searchParams.getAll('iss')).toEqual([ISSUER]);
    expect(back.searchParams.get('keep')).toBe('1');
  },
  'the answer of another server is passed off as ours (mix-up): every answer says who it is from':
    async () => {
      const served = openServer();
      const { clientId: client_id } = await connect(served);
      const browser = served.browser();
      expect((await browser.approve(authorizeUrl({ client_id }))).searchParams.get('iss')).toBe(ISSUER);
      await browser.open(authorizeUrl({ client_id, prompt: 'login' }));
      const denied = calledBack(await browser.send({ action: 'deny' }));
      expect(parametersOf(denied)).toMatchObject({ error: 'access_denied', state: 'xyz', iss: ISSUER });
      const failed = calledBack(
        await served.browser().open(authorizeUrl({ client_id, response_type: 'token' })),
      );
      expect(parametersOf(failed)).toMatchObject({
        error: 'unsupported_response_type',
        state: 'xyz',
        iss: ISSUER,
      });
    },
};

describe('attacks on redirects', () => {
  it.each(Object.entries(ON_REDIRECTS))('%s', async (_, attack) => attack());
});
