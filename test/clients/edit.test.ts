/** Entries in configuration files of every shape: set, replaced, removed, and nothing else touched. */
import { diffLines } from 'diff';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Client, Entry } from '../../src/clients/client.ts';
import { mergedEntry, parseConfig, withEntry, withoutEntry } from '../../src/clients/edit.ts';
import { jsonc } from '../../src/clients/formats/jsonc.ts';
import { CLIENTS } from '../../src/clients/table.ts';
import { cases } from '../kit/cases.ts';
import { JSON_SHAPES, TOML_SHAPES, YAML_LIST_SHAPES, YAML_MAP_SHAPES } from './shapes.ts';

const clientNamed = (name: string): Client => CLIENTS.find((client) => client.name === name)!;

const FORMATS: readonly (readonly [Client, Readonly<Record<string, string>>])[] = [
  [clientNamed('claude-desktop'), JSON_SHAPES],
  [clientNamed('codex'), TOML_SHAPES],
  [clientNamed('goose'), YAML_MAP_SHAPES],
  [clientNamed('continue'), YAML_LIST_SHAPES],
];
const CASES = FORMATS.flatMap(([client, shapes]) =>
  Object.entries(shapes).map(([shape, text]) => [`${client.name}: ${shape}`, client, text] as const),
);
const LAUNCH = { command: '/usr/bin/node', args: ['/opt/quire/dist/quire.cjs', '/home/me/my "notes" #1'] };
const OTHER = { command: 'npx', args: ['-y', 'quire-mcp', 'C:\\notes\\é'] };

const edited = (client: Client, text: string, name: string, entry: Entry) =>
  withEntry(parseConfig(client, 'f', text), name, entry);
const removed = (client: Client, text: string, name: string) =>
  withoutEntry(parseConfig(client, 'f', text), name);
/** The lines that a change takes out; a comma or a flow that grows changes its own line. */
const lost = (before: string, after: string) =>
  diffLines(before, after, { stripTrailingCr: false })
    .filter((part) => part.removed)
    .map(({ value }) => value);

/** Whether every character of the old text is still there, in its order. */
function isWoven(before: string, after: string): boolean {
  let at = 0;
  for (const char of after) if (char === before.slice(at, at + char.length)) at += char.length;
  return at === before.length;
}

describe.each(CASES)('%s', (_, client, text) => {
  const entry = client.stdio(LAUNCH, 'quire');

  test('takes an entry, keeps every other byte, and gives it back', () => {
    const after = edited(client, text, 'quire', entry);
    expect(parseConfig(client, 'f', after).entries.get('quire')).toEqual(entry);
    expect(isWoven(text, after)).toBe(true);
    expect(after.length).toBeGreaterThan(text.length);
    if (text.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n');
    else expect(after).not.toContain('\r');
    expect(edited(client, after, 'quire', entry)).toBe(after);

    const without = removed(client, after, 'quire');
    const [before, left] = [parseConfig(client, 'f', text), parseConfig(client, 'f', without)];
    expect([...left.entries]).toEqual([...before.entries]);
  });

  test('takes another entry in the place of one, and one beside it', () => {
    const first = edited(client, text, 'quire', entry);
    const second = edited(client, first, 'quire', client.stdio(OTHER, 'quire'));
    expect(parseConfig(client, 'f', second).entries.get('quire')).toEqual(client.stdio(OTHER, 'quire'));
    expect(edited(client, second, 'quire', entry)).toBe(first);
    const both = edited(client, first, 'quire-work', client.stdio(OTHER, 'quire-work'));
    expect([...parseConfig(client, 'f', both).entries.keys()].slice(-2)).toEqual(['quire', 'quire-work']);
    expect(removed(client, both, 'quire-work')).toBe(first);
  });

  test('loses nothing of the other entries when each of them is removed', () => {
    for (const [name] of parseConfig(client, 'f', text).entries) {
      const without = removed(client, text, name);
      expect(parseConfig(client, 'f', without).entries.has(name)).toBe(false);
      for (const line of lost(without, text)) expect(text).not.toBe(line);
    }
  });
});

test('settings that the user added to our entry stay', () => {
  const client = clientNamed('cline');
  const before = { command: 'npx', args: ['x'], disabled: true, env: { A: '1' } };
  expect(mergedEntry(before, client.stdio(LAUNCH, 'quire'))).toEqual({
    ...LAUNCH,
    disabled: true,
    env: { A: '1' },
  });
  const text =
    '[mcp_servers.quire]\ncommand = "a" # mine\nargs = ["b"]\nstartup_timeout_sec = 20 # slow disk\n\n[mcp_servers.quire.env]\nA = "1"\n';
  const codex = clientNamed('codex');
  const parsed = parseConfig(codex, 'f', text);
  const merged = mergedEntry(parsed.entries.get('quire'), codex.stdio(LAUNCH, 'quire'));
  const after = withEntry(parsed, 'quire', merged);
  expect(after).toContain('startup_timeout_sec = 20 # slow disk');
  expect(after).toContain('[mcp_servers.quire.env]\nA = "1"');
  expect(after).toContain('command = "/usr/bin/node"');
});

test.each([
  ['claude-desktop', '{\n  "mcpServers": {\n    "a": {\n  }\n', 5],
  ['claude-desktop', '{\n  "a": 1\n  "b": 2\n}', 3],
  ['claude-desktop', '[]', 1],
  ['codex', 'a = 1\nb = \n', 2],
  ['codex', '[x]\n[x]\n', 2],
  ['goose', 'a: 1\n  b: 2\n', 1],
  ['goose', '- a\n', 1],
  ['goose', 'a: *nowhere\n', 1],
  ['goose', 'a: [1\nb: 2\n', 2],
])('%s refuses a broken file with its line: %j', (name, text, line) => {
  expect(() => parseConfig(clientNamed(name), '/etc/f', text)).toThrow(new RegExp(`/etc/f, line ${line}: `));
});

test.each([
  ['claude-desktop', '{"mcpServers": []}'],
  ['claude-desktop', '{"mcpServers": {}, "mcpServers": 1}'],
  ['codex', 'mcp_servers = 1\n'],
  ['codex', '[[mcp_servers]]\na = 1\n'],
  ['goose', 'extensions: text\n'],
  ['goose', 'extensions: &x\n  a: {}\nother: *x\n...\n'],
  ['continue', 'mcpServers:\n  a: {command: x}\n'],
])('%s refuses servers in a form that it does not know, and says what to add: %j', (name, text) => {
  const client = clientNamed(name);
  const entry = client.stdio(LAUNCH, 'quire');
  try {
    edited(client, text, 'quire', entry);
    expect.unreachable();
  } catch (error) {
    expect(error).toMatchObject({ code: 'unsupported', hint: expect.stringContaining('Add this by hand') });
  }
});

/** Random files: JSON values written in a random style, with comments. */
test('any JSON file keeps all but the entry', () => {
  const key = fc.stringMatching(/^[a-z"\\/ ü]{0,6}$/);
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 1.5, '', 'a // b', '{'),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    ),
  }));
  const servers = fc.dictionary(key, fc.record({ command: key }), { maxKeys: 3 });
  const style = fc.record({
    indent: fc.constantFrom(0, 1, 2, 4, '\t'),
    eol: fc.constantFrom('\n', '\r\n'),
    comment: fc.constantFrom('', ' // c', ' /* c, { */'),
    comma: fc.constantFrom('', ','),
  });
  const client = clientNamed('claude-desktop');
  fc.assert(
    fc.property(fc.dictionary(key, value, { maxKeys: 4 }), fc.option(servers), style, (rest, held, how) => {
      const config = held === null ? rest : { ...rest, mcpServers: held };
      const plain = JSON.stringify(config, null, how.indent);
      const text = plain
        .replace(/\n(?=\s*[}\]])/g, (end) => `${how.comma}${how.comment}${end}`)
        .replace(/([{[]),/g, '$1')
        .replaceAll('\n', how.eol);
      const entry = client.stdio(LAUNCH, 'quire');
      const after = edited(client, text, 'quire', entry);
      const back = removed(client, after, 'quire');
      // An object that was empty has line breaks in it now; all else is byte for byte as it was.
      const packed = (json: string) => json.replace(/("mcpServers": ?\{)\s*\}/, '$1}');
      if (held !== null) expect(packed(back)).toBe(packed(text));
      expect(JSON.parse(plain)).toEqual(
        held === null ? { ...(jsonc.parse(back) as object), mcpServers: undefined } : jsonc.parse(back),
      );
    }),
    { numRuns: cases(200) },
  );
});

/** Random files of lines that each format knows, around the servers. */
test('any TOML or YAML file keeps every line but those of the entry', () => {
  const word = fc.stringMatching(/^[a-z]{1,5}$/);
  const tomlLine = fc.constantFrom(
    '# note',
    '',
    'k1 = 1',
    'k2 = "a # b"',
    "k3 = '''\n[x]\n'''",
    'k4 = [\n  1, # one\n]',
  );
  const yamlLine = fc.constantFrom(
    '# note',
    '',
    'k1: 1',
    'k2: "a # b"',
    'k3: |\n  text\n\n  more',
    'k4:\n- 1 # one',
    'k5: {a: [1, 2]}',
  );
  const eol = fc.constantFrom('\n', '\r\n');
  const end = fc.constantFrom('', '\n', '\n\n');
  const of = (client: Client, server: (name: string) => string, line: fc.Arbitrary<string>, head: string) =>
    fc.property(
      fc.uniqueArray(line, { maxLength: 4 }),
      fc.uniqueArray(word, { maxLength: 3 }),
      fc.uniqueArray(line, { maxLength: 3 }),
      eol,
      end,
      (before, names, after, br, last) => {
        const rest =
          client.format === 'toml' ? [] : after.filter((one) => one === '' || !before.includes(one));
        const servers = names.length === 0 ? [] : [head, ...names.map(server)].filter((one) => one !== '');
        const text = ([...before, ...servers, ...rest].join('\n') + last).replaceAll('\n', br);
        const entry = client.stdio(LAUNCH, 'quire');
        const changed = edited(client, text, 'quire', entry);
        expect(isWoven(text, changed)).toBe(true);
        expect(
          lost(text, changed)
            .join('')
            .replace(/\r?\n$/, ''),
        ).toBe(
          // Only a last line without an end gets one.
          lost(text, changed).length === 0 ? '' : text.slice(text.lastIndexOf('\n') + 1),
        );
        const back = removed(client, changed, 'quire');
        expect(lost(changed, back).join('').split('\n').length).toBeGreaterThan(3);
        for (const one of text.split(br)) expect(back).toContain(one);
      },
    );
  const toml = of(clientNamed('codex'), (name) => `[mcp_servers.${name}]\ncommand = "x" # c\n`, tomlLine, '');
  const map = of(
    clientNamed('goose'),
    (name) => `  ${name}:\n    cmd: x # c\n    args:\n      - y`,
    yamlLine,
    'extensions:',
  );
  const list = of(
    clientNamed('continue'),
    (name) => `  - name: ${name}\n    # c\n    command: x`,
    yamlLine,
    'mcpServers:',
  );
  for (const property of [toml, map, list]) fc.assert(property, { numRuns: cases(60) });
});
