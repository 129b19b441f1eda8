/** Snippets of configuration in the documentation are ones that the program takes, and what pages quote is what it says. */
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { mcpCommand } from '../../src/config/commands/notebook.ts';
import { serveCommand } from '../../src/config/commands/serve.ts';
import { loadConfig } from '../../src/config/load.ts';
import { configSchema } from '../../src/config/schema.ts';
import { createMetrics } from '../../src/http/metrics.ts';
import { blocksIn, type CodeBlock, textOf } from '../kit/code-blocks.ts';
import { literalsOf, sourcesBelow } from '../kit/literals.ts';
import { temporaryFolder } from '../kit/temp.ts';

/** What a reader fills in. */
const FILLED: readonly (readonly [string, string])[] = [
  ['<64 hex digits>', '0'.repeat(64)],
  ['<key id>:<base64>', `alex:${'A'.repeat(86)}==`],
];

const OURS = new Set(Object.keys(configSchema.shape));
const filled = ({ text }: CodeBlock) => FILLED.reduce((done, [from, to]) => done.replaceAll(from, to), text);
const isOurs = (block: CodeBlock) => Object.keys(parse(filled(block))).every((key) => OURS.has(key));
/** Of other programs: Prometheus, and AI clients. */
const OTHERS = ['docs/operate/metrics.md', 'docs/use/connect.md'];

describe('a snippet of YAML', () => {
  const blocks = blocksIn('yaml');

  it.each(blocks.map((block) => [block.place, block] as const))('at %s can be read', (_, block) => {
    expect(isOurs(block) || OTHERS.includes(block.page)).toBe(true);
  });

  it.each(blocks.filter(isOurs).map((block) => [block.place, block] as const))(
    'at %s is a configuration that loads',
    async (_, block) => {
      const folder = await temporaryFolder({ 'quire.yaml': filled(block) });
      const variables = [...block.text.matchAll(/\$\{env:(\w+)\}/g)].map(
        ([, name = '']) => [name, name === 'DATABASE_URL' ? 'postgres://localhost/quire' : 'x'] as const,
      );
      const spec = /control_plane|mcp_servers/.test(block.text) ? mcpCommand : serveCommand;
      const file = join(folder, 'quire.yaml');
      await loadConfig({ flags: {}, env: Object.fromEntries(variables), file, spec });
    },
  );
});

it.each(blocksIn('json').map((block) => [block.place, block] as const))(
  'a snippet of JSON at %s can be read',
  (_, block) => {
    expect(() => JSON.parse(block.text)).not.toThrow();
  },
);

test('docs/operate/metrics.md has every series, and no other', async () => {
  const metrics = createMetrics({
    version: '1',
    routes: [],
    tools: [],
    sessions: () => 0,
    indexes: () => [],
    upstreams: () => [],
  });
  const served = [...(await metrics.text()).matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name);
  const [, table = ''] = /\| Series \|.*\n([\s\S]*?)\n\n/.exec(textOf('docs/operate/metrics.md')) ?? [];
  const described = [...table.matchAll(/`(quire_mcp_\w+)`/g)].map(([, name]) => name);
  expect(described.sort()).toEqual(served.sort());
});

describe('docs/operate/troubleshooting.md', () => {
  const rows = textOf('docs/operate/troubleshooting.md')
    .split('\n')
    .filter((line) => /^\| `/.test(line))
    .map((line) => line.split(' | ')[0] ?? '');
  const quoted = rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text));

  it('quotes only what the program says', () => {
    const sources = sourcesBelow('src').map((file) => [file, textOf(file)] as const);
    const isSaid = (text: string) =>
      sources.some(
        ([file, source]) => source.includes(text) && literalsOf(file).some((said) => said.includes(text)),
      );
    expect(quoted.length).toBeGreaterThan(20);
    expect(quoted.filter((text) => !isSaid(text))).toEqual([]);
  });
});
