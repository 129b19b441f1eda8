/** The hosts that a server may reach: how they are written, and what they match. */
import { describe, expect, it } from 'vitest';
import { hostListOf } from '../../src/shared/host-list.ts';
import { serverOf } from './kit.ts';

const SERVER = { sandbox_profile: 'restricted' };

describe('an entry of sandbox_network', () => {
  it('is a host and a port, in one spelling', () => {
    const sandbox_network = [
      'api.github.com',
      'registry.example:8443',
      '*.example.com:443',
      '192.168.1.20:8443',
      '[FD00:0::1]:443',
      'localhost:5432',
    ];
    expect(serverOf({ ...SERVER, sandbox_network }).sandboxNetwork).toEqual([
      'api.github.com:443',
      'registry.example:8443',
      '*.example.com:443',
      '192.168.1.20:8443',
      '[fd00::1]:443',
      'localhost:5432',
    ]);
    expect(serverOf(SERVER)).not.toHaveProperty('sandboxNetwork');
  });

  it.each([
    ['https://api.github.com', 'is the address of a page; write a host and a port'],
    ['api.github.com/repos', 'name each host'],
    ['10.0.0.0/8', 'is a range or a path: name each host'],
    ['api.github.com:0', 'must have a port from 1 to 65535'],
    ['api.github.com:65536', 'must have a port from 1 to 65535'],
    ['api.github.com:https', 'must have a port from 1 to 65535'],
    ['api.github.com:', 'must have a port from 1 to 65535'],
    ['API.github.com', 'must be in lower case: api.github.com'],
    ['bücher.example', 'must be in its ASCII form'],
    ['*', 'sandbox_profile: network'],
    ['*:443', 'sandbox_profile: network'],
    ['*.com:443', 'would let it reach too many hosts'],
    ['api.*.com', 'may only stand at its beginning'],
    ['api-*.example.com', 'may only stand at its beginning'],
    ['api..example.com', 'is no name of a host'],
    ['api.example.com.', 'is no name of a host'],
    ['-api.example.com', 'is no name of a host'],
    ['api example.com', 'is no name of a host'],
    ['fd00::1', 'an IPv6 address in brackets'],
    ['[fd00::1', 'an IPv6 address in brackets'],
    ['[api.example.com]:443', 'has no IPv6 address in its brackets'],
    ['[fe80::1%eth0]:443', 'must be an address without a zone'],
    ['169.254.169.254:80', 'is never reached'],
    ['100.100.100.200', 'is never reached'],
    ['0.0.0.0:443', 'is never reached'],
    ['127.1:443', 'is neither a name nor an address'],
    ['0x7f000001:443', 'is neither a name nor an address'],
    ['2130706433:443', 'is neither a name nor an address'],
    ['', 'must not be empty'],
    [`${'{env:HOST}'.padStart(11, '$')}:443`, 'may only stand in env'],
  ])('%s is refused: %s', (entry, problem) => {
    expect(() => serverOf({ ...SERVER, sandbox_network: [entry] })).toThrow(problem);
  });

  it.each([
    ['a text', { sandbox_network: 'api.github.com' }, 'must be a list of hosts and ports'],
    ['the same twice', { sandbox_network: ['a.example', 'a.example:443'] }, 'is listed twice'],
    ['too many', { sandbox_network: Array.from({ length: 65 }, (_, at) => `h${at}.example`) }, '64 hosts'],
    ['all of it', { sandbox_profile: 'network', sandbox_network: ['a.example'] }, 'limits nothing'],
    ['no sandbox', { sandbox_profile: 'none', sandbox_network: ['a.example'] }, 'limits nothing'],
  ])('%s is a mistake', (_, settings, problem) => {
    expect(() => serverOf({ ...SERVER, ...settings })).toThrow(problem);
  });
});

describe('a list of hosts', () => {
  const list = hostListOf(['api.github.com:443', '*.example.com:8443', '192.168.1.20:8443']);

  it.each([
    ['api.github.com', 443, true],
    ['API.GitHub.com.', 443, true],
    ['api.github.com', 80, false],
    ['evil.api.github.com', 443, false],
    ['github.com', 443, false],
    ['a.example.com', 8443, true],
    ['a.b.example.com', 8443, true],
    ['example.com', 8443, false],
    ['.example.com', 8443, false],
    ['evilexample.com', 8443, false],
    ['a.example.com', 443, false],
    ['192.168.1.20', 8443, true],
    ['::ffff:192.168.1.20', 8443, true],
    ['192.168.1.21', 8443, false],
    ['192.168.1.20', 443, false],
  ])('%s:%i is in it: %s', (host, port, isIn) => {
    expect(list.allows({ host, port })).toBe(isIn);
  });
});
