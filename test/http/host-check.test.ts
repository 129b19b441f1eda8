/** Checks of Host against DNS rebinding, and of Origin against pages of other sites. */
import { describe, expect, test } from 'vitest';
import { createHostCheck, type HostRules } from '../../src/http/host-check.ts';

const check = (rules: HostRules, host: string | undefined, origin?: string) =>
  createHostCheck(rules)({
    headers: { ...(host !== undefined && { host }), ...(origin !== undefined && { origin }) },
  });

const loopback: HostRules = { host: '127.0.0.1' };
const everywhere: HostRules = { host: '0.0.0.0', publicUrl: 'https://vault.example.com' };
const behindProxy: HostRules = { host: '127.0.0.1', publicUrl: 'https://vault.example.com/' };

describe('a Host that is answered', () => {
  test.each([
    [loopback, '127.0.0.1:8090'],
    [loopback, '127.0.0.1'],
    [loopback, 'localhost:8090'],
    [loopback, 'LOCALHOST:8090'],
    [loopback, 'localhost.:8090'],
    [loopback, '[::1]:8090'],
    [loopback, '127.1.2.3:9999'],
    [{ host: 'localhost' }, 'localhost:8090'],
    [{ host: '::1' }, '[::1]:8090'],
    [{ host: '[::1]' }, 'localhost:8090'],
    [behindProxy, 'vault.example.com'],
    [behindProxy, 'VAULT.example.com:443'],
    [behindProxy, '127.0.0.1:8090'],
    [everywhere, 'vault.example.com'],
    [everywhere, 'localhost:8090'],
    [everywhere, '192.168.1.5:8090'],
    [everywhere, '[fd00::5]:8090'],
    [{ host: '::' }, '10.0.0.2:8090'],
    [{ host: '' }, '10.0.0.2:8090'],
    [{ host: '192.168.1.5' }, '192.168.1.5:8090'],
    [{ host: '127.0.0.1', allowedHosts: ['quire.lan'] }, 'quire.lan:1234'],
    [{ host: '127.0.0.1', allowedHosts: ['quire.lan:8443'] }, 'quire.lan:8443'],
    [{ host: '127.0.0.1', publicUrl: 'https://bücher.example' }, 'xn--bcher-kva.example'],
  ] as const)('case %#: %o %s', (rules, host) => {
    expect(check(rules, host)).toBeUndefined();
  });
});

describe('a Host that is not', () => {
  test.each([
    [loopback, undefined],
    [loopback, ''],
    [loopback, 'evil.example'],
    [loopback, 'evil.example:8090'],
    [loopback, 'localhost.evil.example'],
    [loopback, '127.0.0.1.evil.example'],
    [loopback, 'evil.example@127.0.0.1'],
    [loopback, '127.0.0.1@evil.example'],
    [loopback, '127.0.0.1:8090, evil.example'],
    [loopback, '127.0.0.1/evil'],
    [loopback, '127.0.0.1:8090:8090'],
    [loopback, '127.0.0.1:port'],
    [loopback, '127.0.0.1 evil'],
    [loopback, '127.0.0.1\\evil'],
    [loopback, '127.0.0.1#'],
    [loopback, '%31%32%37.0.0.1'],
    [loopback, '[::1'],
    [loopback, '::1'],
    [loopback, '10.0.0.1:8090'],
    [loopback, '256.0.0.1'],
    [behindProxy, 'vault.example.com.evil.example'],
    [behindProxy, 'evil-vault.example.com'],
    [everywhere, 'evil.example'],
    [{ host: '192.168.1.5' }, 'localhost:8090'],
    [{ host: '192.168.1.5' }, '192.168.1.6:8090'],
    [{ host: '127.0.0.1', allowedHosts: ['quire.lan:8443'] }, 'quire.lan:8090'],
  ] as const)('case %#: %o %s', (rules, host) => {
    expect(check(rules, host)).toContain('not known under that Host');
  });
});

describe('an Origin that may call', () => {
  test.each([
    [loopback, 'localhost:8090', 'http://localhost:6274'],
    [loopback, 'localhost:8090', 'http://127.0.0.1:6274'],
    [loopback, '[::1]:8090', 'http://[::1]:6274'],
    [loopback, 'localhost:8090', 'https://localhost'],
    [behindProxy, 'vault.example.com', 'https://vault.example.com'],
    [everywhere, 'vault.example.com', 'https://VAULT.example.com:443'],
    [{ ...everywhere, allowedOrigins: ['https://app.example/'] }, 'vault.example.com', 'https://app.example'],
    [
      { ...everywhere, allowedOrigins: ['vscode-webview://abc'] },
      'vault.example.com',
      'vscode-webview://abc',
    ],
    [{ ...everywhere, allowedOrigins: ['*'] }, 'vault.example.com', 'https://anything.example'],
    [{ ...everywhere, allowedOrigins: ['*'] }, 'vault.example.com', 'null'],
  ] as const)('case %#: %o %s %s', (rules, host, origin) => {
    expect(check(rules, host, origin)).toBeUndefined();
  });
});

describe('an Origin that may not', () => {
  test.each([
    [loopback, 'localhost:8090', 'https://evil.example'],
    [loopback, 'localhost:8090', 'http://localhost.evil.example'],
    [loopback, 'localhost:8090', 'http://localhost@evil.example'],
    [loopback, 'localhost:8090', 'null'],
    [loopback, 'localhost:8090', ''],
    [loopback, 'localhost:8090', 'http://localhost/path'],
    [loopback, 'localhost:8090', 'http://localhost, https://evil.example'],
    [loopback, 'localhost:8090', 'file://'],
    [loopback, 'localhost:8090', 'chrome-extension://abc'],
    [loopback, 'localhost:8090', 'http://192.168.1.5'],
    // Behind a proxy the caller's own machine is not this one.
    [behindProxy, 'vault.example.com', 'http://localhost:6274'],
    [everywhere, 'localhost:8090', 'http://localhost:6274'],
    [everywhere, 'vault.example.com', 'http://vault.example.com'],
    [everywhere, 'vault.example.com', 'https://vault.example.com:8443'],
    [everywhere, 'vault.example.com', 'https://sub.vault.example.com'],
    [{ ...everywhere, allowedOrigins: ['https://app.example'] }, 'vault.example.com', 'http://app.example'],
    [
      { ...everywhere, allowedOrigins: ['https://app.example'] },
      'vault.example.com',
      'https://app.example.evil',
    ],
  ] as const)('case %#: %o %s %s', (rules, host, origin) => {
    expect(check(rules, host, origin)).toContain('may not call');
  });
});

test('each request is judged by its own Host, whatever came before', () => {
  const judge = createHostCheck(loopback);
  const hosts = [
    'localhost',
    'evil.example',
    'localhost',
    'localhost',
    undefined,
    'evil.example',
    undefined,
    'localhost',
  ];
  const verdicts = hosts.map((host) => judge({ headers: host === undefined ? {} : { host } }) === undefined);
  expect(verdicts).toEqual([true, false, true, true, false, false, false, true]);
});

test('a problem says nothing of what was sent', () => {
  expect(check(loopback, 'evil.example')).not.toContain('evil');
  expect(check(loopback, 'localhost', 'https://evil.example')).not.toContain('evil');
});

test.each(['', 'a b', 'https://a.example', 'a/b'])('%j is no host to allow', (host) => {
  expect(() => createHostCheck({ host: '127.0.0.1', allowedHosts: [host] })).toThrow('Not a host name');
});
