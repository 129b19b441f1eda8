/** The client's address: taken from headers only as far as trusted proxies wrote them. */
import { describe, expect, test } from 'vitest';
import {
  addressOf,
  createAddressOf,
  trustedProxies,
  warnOfForwarding,
} from '../../src/http/client-address.ts';
import { processorTime } from '../kit/processor-time.ts';

const none = trustedProxies([]);
const local = trustedProxies(['loopback']);
const chain = trustedProxies(['127.0.0.1', '10.0.0.0/8', 'fd00::/8']);
const forwarded = trustedProxies(['loopback', '10.0.0.0/8'], 'forwarded');

describe('without proxies', () => {
  test.each([
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['2001:DB8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1'],
    [undefined, 'unknown'],
    ['', 'unknown'],
    ['/run/quire.sock', 'unknown'],
  ])('%j is %s, whatever a header says', (socket, address) => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' };
    expect(addressOf(headers, socket, none)).toBe(address);
  });
});

describe('X-Forwarded-For', () => {
  test.each([
    // One proxy in front: what it wrote is the last entry.
    [local, '127.0.0.1', '203.0.113.9', '203.0.113.9'],
    [local, '::1', '203.0.113.9', '203.0.113.9'],
    [local, '::ffff:127.0.0.1', '2001:db8::5', '2001:db8::5'],
    [local, '127.0.0.1', '6.6.6.6, 203.0.113.9', '203.0.113.9'],
    [local, '127.0.0.1', '6.6.6.6,7.7.7.7,203.0.113.9', '203.0.113.9'],
    // A stranger that calls directly.
    [local, '203.0.113.50', '127.0.0.1', '203.0.113.50'],
    // Several proxies.
    [chain, '127.0.0.1', '6.6.6.6, 203.0.113.9, 10.1.1.1', '203.0.113.9'],
    [chain, '10.2.2.2', '203.0.113.9, fd00::1, 10.1.1.1', '203.0.113.9'],
    [chain, '10.2.2.2', '10.3.3.3', '10.3.3.3'],
    // Ports and brackets.
    [local, '127.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    [local, '127.0.0.1', '[2001:db8::5]:4711', '2001:db8::5'],
    [local, '127.0.0.1', '[2001:db8::5]', '2001:db8::5'],
    [local, '127.0.0.1', '  203.0.113.9  ', '203.0.113.9'],
    // Nothing to be read there.
    [local, '127.0.0.1', '', '127.0.0.1'],
    [local, '127.0.0.1', ',', '127.0.0.1'],
    [local, '127.0.0.1', 'unknown', '127.0.0.1'],
    [local, '127.0.0.1', '203.0.113.9, garbage', '127.0.0.1'],
    [local, '127.0.0.1', '203.0.113.9,', '127.0.0.1'],
    [local, '127.0.0.1', '0x7f.1', '127.0.0.1'],
    [local, '127.0.0.1', '203.0.113.9:99999999', '127.0.0.1'],
    [local, '127.0.0.1', '<script>', '127.0.0.1'],
    [local, '127.0.0.1', 'a\nb', '127.0.0.1'],
    [chain, '127.0.0.1', '6.6.6.6, garbage, 10.1.1.1', '10.1.1.1'],
  ] as const)('case %#: %o', (proxies, socket, header, address) => {
    expect(addressOf({ 'x-forwarded-for': header }, socket, proxies)).toBe(address);
  });

  test('may come as several lines, and be absent', () => {
    const lines = { 'x-forwarded-for': ['6.6.6.6', '203.0.113.9'] as unknown as string };
    expect(addressOf(lines, '127.0.0.1', local)).toBe('203.0.113.9');
    expect(addressOf({}, '127.0.0.1', local)).toBe('127.0.0.1');
  });

  test('is the only header that is read: a client can make the other one up', () => {
    const headers = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=6.6.6.6' };
    expect(addressOf(headers, '127.0.0.1', local)).toBe('203.0.113.9');
    expect(addressOf({ forwarded: 'for=6.6.6.6' }, '127.0.0.1', local)).toBe('127.0.0.1');
  });
});

describe('Forwarded', () => {
  test.each([
    ['for=203.0.113.9', '203.0.113.9'],
    ['For="203.0.113.9:4711"', '203.0.113.9'],
    ['for="[2001:db8:cafe::17]:4711"', '2001:db8:cafe::17'],
    ['for=6.6.6.6, for=203.0.113.9;proto=https;by=10.0.0.1', '203.0.113.9'],
    ['for=203.0.113.9, for=10.0.0.5', '203.0.113.9'],
    ['proto=https; for=203.0.113.9', '203.0.113.9'],
    ['host="a,b;for=6.6.6.6";for=203.0.113.9', '203.0.113.9'],
    ['for=unknown', '127.0.0.1'],
    ['for=_hidden', '127.0.0.1'],
    ['for=6.6.6.6;for=203.0.113.9', '127.0.0.1'],
    ['for=6.6.6.6, proto=https', '127.0.0.1'],
    ['for="203.0.113.9', '127.0.0.1'],
    ['x', '127.0.0.1'],
    ['', '127.0.0.1'],
    ['""",,,;;;="', '127.0.0.1'],
  ])('%j names %s', (header, address) => {
    expect(addressOf({ forwarded: header }, '127.0.0.1', forwarded)).toBe(address);
    expect(addressOf({ forwarded: header, 'x-forwarded-for': '6.6.6.6' }, '127.0.0.1', forwarded)).toBe(
      address,
    );
  });

  test.each([
    'a'.repeat(16_000),
    '"'.repeat(16_000),
    `${';'.repeat(8_000)}${' '.repeat(8_000)}`,
    '=,'.repeat(8_000),
    '\\"'.repeat(8_000),
  ])('of 16 kB of nonsense takes no time', (header) => {
    const spent = processorTime();
    expect(addressOf({ forwarded: header }, '127.0.0.1', forwarded)).toBe('127.0.0.1');
    expect(spent()).toBeLessThan(400);
  });
});

test('a request is asked for its socket', () => {
  const request = { headers: { 'x-forwarded-for': '203.0.113.9' }, socket: { remoteAddress: '127.0.0.1' } };
  expect(createAddressOf(local)(request as never)).toBe('203.0.113.9');
});

test('what is no network is refused at the start', () => {
  expect(() => trustedProxies(['everybody'])).toThrow('Not a network: everybody');
});

describe('forwarding headers without trusted proxies', () => {
  const heard = (trusted: readonly string[], ...requests: Record<string, string>[]) => {
    const lines: { message: string; fields: unknown }[] = [];
    const notice = warnOfForwarding({
      trustedProxies: trusted,
      origin: 'http://127.0.0.1:8090',
      log: (_level, message, fields) => lines.push({ message, fields }),
    });
    for (const headers of requests) notice(headers, '::ffff:172.18.0.2');
    return lines;
  };

  test.each(['x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host', 'forwarded'])(
    'are noticed once: %s',
    (name) => {
      const lines = heard([], {}, { [name]: 'x' }, { [name]: 'x' }, { forwarded: 'for=1.2.3.4' });
      expect(lines).toHaveLength(1);
      expect(lines[0]?.message).toBe('forwarding headers are ignored');
      expect(lines[0]?.fields).toMatchObject({
        headers: name,
        sender: '172.18.0.2',
        effect: expect.stringMatching(/shares its rate limits, and links use http:\/\/127\.0\.0\.1:8090/),
        hint: expect.stringContaining('--trusted-proxies'),
      });
    },
  );

  test('are no news without such a header, or with a trusted proxy', () => {
    expect(heard([], {}, { 'x-real-ip': '1.2.3.4' })).toEqual([]);
    expect(heard(['loopback'], { 'x-forwarded-for': '1.2.3.4' })).toEqual([]);
  });
});
