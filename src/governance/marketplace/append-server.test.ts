import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { appendServer } from './append-server.ts';
import type { ServerSettings } from './install.ts';

const SERVER: ServerSettings = {
  name: 'memory',
  transport: 'stdio',
  command: 'npx',
  args: ['-y', '@modelcontextprotocol/server-memory@2026.8.31'],
  env: { KEY: `\${env:KEY}`, NUMBER: '1.10', YES: 'true' },
  trust: 'untrusted',
  client_consent: 'pending',
  enabled: false,
};
const added = (indent: string) =>
  [
    '- name: memory',
    '  transport: stdio',
    '  command: npx',
    '  args:',
    '    - -y',
    '    - "@modelcontextprotocol/server-memory@2026.8.31"',
    '  env:',
    `    KEY: \${env:KEY}`,
    '    NUMBER: "1.10"',
    '    YES: "true"',
    '  trust: untrusted',
    '  client_consent: pending',
    '  enabled: false',
  ]
    .map((line) => `${indent}${line}\n`)
    .join('');

const ODD = `# my plane
version:   1     # odd   spacing
control_plane:
    mcp_sandbox: { backend: auto,   policy: warn }      # a comment that stands far away
    mcp_policy:
    - { effect: deny, servers: ["*"], reason: 'a very long reason that a printer of YAML would like to fold somewhere about here' }
`;

describe('a server added to a file', () => {
  test.each([
    [
      'into the list that is there',
      'mcp_servers:\n  - name: a # one\n    enabled: true  # yes\n\n# after\nversion: 1\n',
      '    enabled: true  # yes\n',
      '  ',
    ],
    ['into a list that is not indented', 'mcp_servers:\n- name: a\nversion: 1\n', '- name: a\n', ''],
    [
      'into a list with wide indents',
      'control_plane:\n    mcp_servers:\n        - { name: a }   # b\n    mcp_approval_ttl_s: 9\n',
      '# b\n',
      '        ',
    ],
    [
      'after a text of several lines',
      'mcp_servers:\n  - name: a\n    note: |\n      x\n      y\n\nversion: 1\n',
      '      y\n',
      '  ',
    ],
  ])('%s leaves every other byte as it is', async (_, before, after, indent) => {
    const at = before.indexOf(after) + after.length;
    const text = await appendServer(before, SERVER);
    const expected = before.slice(0, at) + added(indent) + before.slice(at);
    // An empty line that belongs to a text stays in front of what comes after it.
    expect(text.replace(/\n\n+/g, '\n')).toBe(expected.replace(/\n\n+/g, '\n'));
  });

  it('makes the list where the plane has none, without touching odd spacing and long lines', async () => {
    const text = await appendServer(ODD, SERVER);
    expect(text).toBe(`${ODD}    mcp_servers:\n${added('      ')}`);
  });

  test.each([
    ['nothing', 'version: 1 # x\n', `version: 1 # x\ncontrol_plane:\n  mcp_servers:\n${added('    ')}`],
    ['no newline at its end', 'version: 1', `version: 1\ncontrol_plane:\n  mcp_servers:\n${added('    ')}`],
    [
      'an empty list',
      'mcp_servers: []  # none yet\nversion:  1\n',
      `mcp_servers:  # none yet\n${added('  ')}version:  1\n`,
    ],
    [
      'a key with nothing after it',
      'control_plane:\n  mcp_servers:\nversion:  1\n',
      `control_plane:\n  mcp_servers:\n${added('    ')}version:  1\n`,
    ],
    [
      'an empty plane',
      'control_plane: {}\nversion:  1\n',
      `control_plane:\n  mcp_servers:\n${added('    ')}version:  1\n`,
    ],
  ])('into a file with %s', async (_, before, after) => {
    expect(await appendServer(before, SERVER)).toBe(after);
  });

  test.each([
    ['', {}],
    ['# only a comment\n', {}],
    [
      'control_plane: { mcp_servers: [{ name: a }], mcp_approval_ttl_s: 9 } # kept\n',
      { control_plane: { mcp_servers: [{ name: 'a' }], mcp_approval_ttl_s: 9 } },
    ],
    ['{"mcp_servers": [{"name": "a"}]}', { mcp_servers: [{ name: 'a' }] }],
  ])('into %j says the same as before and the server', async (before, content: Record<string, unknown>) => {
    const text = await appendServer(before, SERVER);
    const servers = (from: Record<string, unknown>) =>
      (from.mcp_servers ??
        (from.control_plane as Record<string, unknown> | undefined)?.mcp_servers ??
        []) as unknown[];
    expect(servers(parse(text))).toEqual([...servers(content), SERVER]);
    for (const comment of before.match(/#.*/g) ?? []) expect(text).toContain(comment);
  });

  it('keeps the line endings of Windows', async () => {
    const text = await appendServer('mcp_servers:\r\n  - name: a\r\n', SERVER);
    expect(text).toBe(`mcp_servers:\r\n  - name: a\r\n${added('  ').replaceAll('\n', '\r\n')}`);
  });

  test.each([
    ['mcp_servers:\n  - name: memory\n', /already: memory/],
    ['mcp_servers: []\ncontrol_plane:\n  mcp_servers: []\n', /both in/],
    ['mcp_servers: 7\n', /mcp_servers is not a list/],
    ['control_plane: []\n', /control_plane is not a mapping/],
    ['- a\n', /not a mapping/],
    ['a: [1\n', /not valid YAML/],
    ['a: 1\n---\nb: 2\n', /not valid YAML/],
  ])('is refused for %j', async (before, says) => {
    await expect(appendServer(before, SERVER)).rejects.toThrow(says);
  });
});
