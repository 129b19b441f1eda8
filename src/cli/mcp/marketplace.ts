/** `quire mcp marketplace`: which servers there are. Nothing is launched, nothing is installed. */
import type { MarketEntry } from '../../governance/marketplace/entry.ts';
import {
  type InstallOption,
  type InstallTransport,
  optionsOf,
} from '../../governance/marketplace/install.ts';
import type { Marketplace } from '../../governance/marketplace/marketplace.ts';
import { searchMarket, transportsOf } from '../../governance/marketplace/search.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { type Column, cutTo, tableOf } from '../table.ts';
import { choiceOf } from './choice.ts';
import type { McpCommand } from './command.ts';
import { marketplaceAdd, marketplaceShow } from './marketplace-add.ts';
import { marketplaceOf, SOURCE_OPTIONS } from './marketplace-source.ts';

const COLUMNS: readonly Column<MarketEntry>[] = [
  { title: 'Name', value: ({ name }) => name, min: 50, priority: 7 },
  { title: 'Version', value: ({ version }) => version, min: 9, priority: 5 },
  { title: 'Transport', value: (entry) => transportsOf(entry).join(', '), min: 9, priority: 3 },
  { title: 'Install', value: installOf, min: 16, priority: 4 },
  { title: 'Status', value: ({ status }) => status, min: 6, priority: 2 },
  { title: 'Updated', value: ({ updatedAt = '' }) => updatedAt.slice(0, 10), min: 7, priority: 1 },
  { title: 'Description', value: ({ description }) => description, min: 16, priority: 6 },
];

export const marketplace: McpCommand = {
  name: 'marketplace',
  summary: 'find MCP servers in a catalogue, look at one, add one to the configuration',
  arguments: [{ name: 'query', description: 'words to look for', optional: true }],
  options: [
    { flag: '--transport <kind>', description: 'only those of stdio or streamable_http' },
    { flag: '--limit <n>', description: 'how many are shown', default: '20' },
    { flag: '--all', description: 'deprecated ones too' },
    ...SOURCE_OPTIONS,
  ],
  examples: [
    ['marketplace', 'the servers that come with Quire'],
    ['marketplace files --transport stdio', 'those that are about files'],
    ['marketplace --source https://registry.modelcontextprotocol.io/v0.1/servers', 'the official registry'],
    ['marketplace show io.github.modelcontextprotocol/server-memory', 'one of them'],
    [
      'marketplace add io.github.modelcontextprotocol/server-memory --as memory',
      'into quire.yaml, switched off',
    ],
  ],
  config: 'optional',
  subcommands: [marketplaceShow, marketplaceAdd],
  async run(call) {
    const { query } = call.args;
    const limit = limitOf(call.options.limit);
    const transport = transportOf(call.options.transport);
    const market = await marketplaceOf(call);
    const found = searchMarket(market.entries, {
      all: call.options.all === true,
      text: query,
      transport,
    });
    const shown = found.slice(0, limit);
    if (found.length === 0) call.note('Nothing was found. Try fewer words, or --all, or another --source.');
    return {
      data: dataOf(market, { found: found.length, shown }),
      lines: (view) => {
        const { lines, hidden } = tableOf(COLUMNS, shown, view);
        const footer = cutTo(footerOf(market, { found: found.length, shown: shown.length }), view.width);
        return { lines: [...(shown.length > 0 ? lines : []), footer], hidden };
      },
    };
  },
};

/** The way that would be taken. */
function installOf(entry: MarketEntry): string {
  const options = optionsOf(entry);
  const best = options.find(({ refusal }) => refusal === undefined) ?? options[0];
  if (best === undefined) return '';
  return best.refusal === undefined ? best.install : `${best.install} (not installable)`;
}

function dataOf(market: Marketplace, { found, shown }: { found: number; shown: readonly MarketEntry[] }) {
  return {
    source: market.source,
    fetched_at: market.fetchedAt ?? null,
    entries: market.entries.length,
    malformed: market.malformed,
    found,
    servers: shown.map((entry) => ({
      name: entry.name,
      title: entry.title ?? null,
      version: entry.version,
      transports: transportsOf(entry),
      install: optionsOf(entry).map(installData),
      status: entry.status,
      updated_at: entry.updatedAt ?? null,
      description: entry.description,
    })),
  };
}

function installData({ transport, install, refusal }: InstallOption) {
  return { transport, install, installable: refusal === undefined, reason: refusal ?? null };
}

function footerOf(market: Marketplace, { found, shown }: { found: number; shown: number }): string {
  const more = shown < found ? `, ${shown} of ${found} shown (--limit)` : '';
  return `source: ${printable(market.source, 200)}, entries: ${market.entries.length}${more}, age: ${ageOf(market)}`;
}

function ageOf({ fetchedAt }: Marketplace): string {
  if (fetchedAt === undefined) return 'as the file is';
  const minutes = Math.max(0, Math.floor((Date.now() - Date.parse(fetchedAt)) / 60_000));
  if (minutes < 60) return `${minutes} min`;
  return minutes < 48 * 60 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} days`;
}

const MAX_LIMIT = 1_000;

function limitOf(given: unknown): number {
  const limit = typeof given === 'string' && /^\d{1,6}$/.test(given) ? Number(given) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw new AppError('invalid_input', `--limit must be a whole number, 1 to ${MAX_LIMIT}`);
}

function transportOf(given: unknown): InstallTransport | undefined {
  if (given === undefined) return undefined;
  return choiceOf<InstallTransport>('transport', given, {
    choices: ['stdio', 'streamable_http'],
    hint: 'Use --transport stdio or --transport streamable_http.',
  });
}
