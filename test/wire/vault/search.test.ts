/** vault_search over files: what is found, in which order, and how it is shown. */
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startVault, type ToolClient, withVault } from '../../kit/server.ts';
import { temporaryFolder } from '../../kit/temp.ts';
import { checked } from '../notebook/support.ts';

interface Result {
  path: string;
  match_type: string;
  snippet: string;
  line: number;
}

const FILLER = 'Nothing to see here, only words that fill the line up. ';
const SEED = {
  'projects/heating-system.md': `# Heating\n\n${FILLER}the Go-based heating controller communicates via MQTT. ${FILLER}\n`,
  'homelab/mqtt-setup.md': '# Setup\n\nused by the heating controller and other IoT devices\n',
  'projects/home-automation.md': '---\ntitle: Home\ntags: [heating, controller, go, mqtt]\n---\ntext\n',
  'archive/Heating Controller manual.md': 'empty\n',
  'other.md': 'nothing of the kind\n',
};

test('names come first, then tags, then text; each says where and shows the match in bold', async () => {
  const { call } = await checked(withVault(SEED));
  const { json } = await call('vault_search', { query: 'heating controller' });
  expect(json).toMatchObject({ query: 'heating controller', total_matches: 4 });
  const [name, tag, ...content] = json.results as Result[];
  expect(name).toEqual({
    path: 'archive/Heating Controller manual.md',
    match_type: 'filename',
    snippet: 'archive/**Heating Controller** manual.md',
    line: 1,
  });
  expect(tag).toMatchObject({ path: 'projects/home-automation.md', match_type: 'tag', line: 3 });
  expect(tag?.snippet).toContain('tags: [**heating**, controller, go, mqtt]');
  expect(content.map(({ match_type }) => match_type)).toEqual(['content', 'content']);
  const system = content.find(({ path }) => path === 'projects/heating-system.md');
  expect(system).toMatchObject({ line: 3 });
  expect(system?.snippet).toMatch(
    /^\.\.\..*the Go-based \*\*heating controller\*\* communicates via MQTT\..*\.\.\.$/,
  );
  expect(system?.snippet.length).toBeLessThan(50 + 18 + 50 + 4 + 6 + 1);
});

test('the line is where vault_read finds it', async () => {
  const { call } = await checked(withVault({ 'a.md': `${'x\n'.repeat(41)}the needle\nrest\n` }));
  const [result] = (await call('vault_search', { query: 'needle' })).json.results;
  expect(result.line).toBe(42);
  const read = await call('vault_read', { path: result.path, offset: result.line, limit: 1 });
  expect(read.json.content).toBe('the needle\n');
});

test.each(['HEATING CONTROLLER', 'heating controller', 'Heating Controller'])(
  '%s: case does not matter',
  async (query) => {
    const { call } = await checked(withVault(SEED));
    expect((await call('vault_search', { query })).json).toMatchObject({ query, total_matches: 4 });
  },
);

test.each(['mqtt', '#mqtt', '#MQTT'])('the tag is found as %s', async (query) => {
  const { call } = await checked(withVault(SEED));
  const { results } = (await call('vault_search', { query })).json;
  const tagged = (results as Result[]).find(({ path }) => path === 'projects/home-automation.md');
  expect(tagged).toMatchObject({ match_type: 'tag', line: 3 });
  expect(tagged?.snippet).toContain('go, **mqtt**]');
});

test.each(['mqtt-setup', 'mqtt-setup.md', 'homelab/mqtt', 'MQTT-Setup'])(
  'the file is found by its name as %s',
  async (query) => {
    const { call } = await checked(withVault(SEED));
    const [first] = (await call('vault_search', { query })).json.results;
    expect(first).toMatchObject({ path: 'homelab/mqtt-setup.md', match_type: 'filename', line: 1 });
    expect(first.snippet.toLowerCase()).toContain(`**${query.toLowerCase()}**`);
  },
);

test('max_results bounds what is shown, not what is counted', async () => {
  const seed = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`${i}.md`, 'needle\n']));
  const { call } = await checked(withVault(seed));
  const shown = async (args: object) => {
    const { json } = await call('vault_search', { query: 'needle', ...args });
    expect(json.total_matches).toBe(30);
    return json.results.length;
  };
  expect(await shown({})).toBe(20);
  expect(await shown({ max_results: 3 })).toBe(3);
  expect(await shown({ max_results: 100 })).toBe(30);
});

test('no match is an empty answer', async () => {
  const { call } = await checked(withVault(SEED));
  const { json } = await call('vault_search', { query: 'zyxwvut' });
  expect(json).toEqual({ query: 'zyxwvut', total_matches: 0, results: [] });
});

test('what is hidden is not found', async () => {
  const seed = {
    '.obsidian/needle.md': 'needle',
    'sub/.x/n.md': 'needle',
    'drafts/n.md': 'needle',
    'n.md': 'needle',
  };
  const { call } = await checked(withVault(seed, { ignore: ['drafts/**'] }));
  const { json } = await call('vault_search', { query: 'needle' });
  expect(json.results.map(({ path }: Result) => path)).toEqual(['n.md']);
});

const found = async ({ call }: ToolClient, query: string): Promise<string[]> =>
  (await call('vault_search', { query })).json.results.map(({ path }: Result) => path).sort();

test('what is written and edited is found at once', async () => {
  const vault = await checked(withVault({ 'a.md': 'needle\n' }));
  expect(await found(vault, 'needle')).toEqual(['a.md']);
  await vault.call('vault_write', { path: 'new/b.md', content: 'a needle\n' });
  expect(await found(vault, 'needle')).toEqual(['a.md', 'new/b.md']);
  await vault.call('vault_edit', { path: 'new/b.md', old_text: 'needle', new_text: 'haystack' });
  expect(await found(vault, 'needle')).toEqual(['a.md']);
  expect(await found(vault, 'haystack')).toEqual(['new/b.md']);
});

test('what other programs change and remove is found accordingly', async () => {
  const folder = await temporaryFolder({ 'a.md': 'before\n', 'gone.md': 'needle\n' });
  const vault = await startVault(folder);
  expect(await found(vault, 'needle')).toEqual(['gone.md']);
  await rm(join(folder, 'gone.md'));
  await writeFile(join(folder, 'a.md'), 'needle by another program\n');
  await expect.poll(() => found(vault, 'needle'), { timeout: 40_000 }).toEqual(['a.md']);
});

// The searcher reads the kinds of file it knows to be text, and knows no other by name yet.
test.each([
  ['an image by its name', { 'plans/heating diagram.png': Uint8Array.of(0, 1) }, 'heating diagram'],
  ['a file without a known type by its text', { 'src/main.ts': 'const needle = 1;\n' }, 'needle'],
])('%s is found', async (_, seed: Record<string, string | Uint8Array>, query) => {
  const { call } = await checked(withVault(seed));
  expect((await call('vault_search', { query })).json.total_matches).toBe(1);
});
