/**
 * `quire mcp marketplace`: searches a catalogue of servers, shows one, and adds one to the configuration file, pinned and
 * switched off. Nothing is launched or installed.
 */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ControlPlane, controlPlaneOf, stateDirOf } from '../../config/control-plane.ts';
import type { Config } from '../../config/schema.ts';
import { appendServer } from '../../governance/marketplace/append-server.ts';
import type { MarketEntry, MarketInput } from '../../governance/marketplace/entry.ts';
import {
  ALIAS,
  aliasOf,
  bestOptionOf,
  type InstallOption,
  type InstallTransport,
  installationOf,
  optionsOf,
} from '../../governance/marketplace/install.ts';
import {
  BUILTIN,
  isAddress,
  type Marketplace,
  openMarketplace,
  searchMarket,
  transportsOf,
} from '../../governance/marketplace/marketplace.ts';
import { AppError } from '../../shared/errors.ts';
import { fromHome } from '../../shared/fs/folder.ts';
import { nearest } from '../../shared/nearest.ts';
import { printable } from '../../shared/printable.ts';
import { type Column, cutTo, factLines, tableOf, type View } from '../table.ts';
import { choiceOf, type McpCall, type McpCommand, type McpOption, numberOf } from './command.ts';
import { growingFileOf, writeGrown } from './growing-file.ts';
import { checkedConfigOf } from './plane.ts';

const NAME = { name: 'name', description: 'as the list has it; the part after the slash is enough' };
const MAX_LIMIT = 1_000;
const SOURCE_OPTIONS: readonly McpOption[] = [
  { flag: '--source <source>', description: 'builtin, a file, or the https address of a registry list' },
  { flag: '--refresh', description: 'ask the registry again, however new what was fetched is' },
];

const marketplaceAdd: McpCommand = {
  name: 'add',
  summary: 'add a server to the configuration file, pinned to its version and switched off',
  arguments: [NAME],
  options: [
    { flag: '--as <alias>', description: 'what it is called here; the part after the slash when left out' },
    { flag: '--package <n>', description: 'which of its ways to install, as `show` numbers them' },
    ...SOURCE_OPTIONS,
  ],
  examples: [['marketplace add server-memory --as memory', 'add it to quire.yaml; then do what is printed']],
  config: 'optional',
  async run(call) {
    const { options } = call;
    const file = growingFileOf(call);
    const entry = entryNamed(await marketplaceOf(call), call.args.name ?? '');
    const alias = checkedAlias(typeof options.as === 'string' ? options.as : aliasOf(entry));
    const { settings, steps } = installationOf(chosenOption(entry, options.package), alias, entry);
    call.signal.throwIfAborted();
    await writeGrown(file, await appendServer(file.text, settings));
    return {
      data: { file: file.path, server: settings, steps },
      lines: (view) => ({
        lines: [
          `Added ${alias} to ${file.path}, switched off. It was not started. What is left to do:`,
          ...steps.flatMap((step, at) => factLines(`${at + 1}.`, step, view, 4)),
        ],
      }),
    };
  },
};

export function checkedAlias(alias: string): string {
  if (ALIAS.test(alias) && !alias.includes('__')) return alias;
  throw new AppError('invalid_input', 'This cannot be the name of a server', {
    subject: printable(alias, 60),
    hint: 'Use --as with 1 to 40 of a-z, 0-9 and "-", beginning with a letter or a digit.',
  });
}

function chosenOption(entry: MarketEntry, given: unknown): InstallOption {
  const options = optionsOf(entry);
  const option =
    given === undefined
      ? bestOptionOf(entry)
      : options[/^\d{1,3}$/.test(String(given)) ? Number(given) - 1 : -1];
  if (option === undefined && given !== undefined)
    throw new AppError('invalid_input', `--package must be 1 to ${options.length}`, {
      hint: `See: quire mcp marketplace show ${entry.name}`,
    });
  if (option?.refusal === undefined && option !== undefined) return option;
  throw new AppError('unsupported', 'This server cannot be added from here', {
    subject: `${entry.name}: ${option?.refusal ?? 'it names neither a package nor an address'}`,
    hint: `See what there is: quire mcp marketplace show ${entry.name}`,
  });
}

const marketplaceShow: McpCommand = {
  name: 'show',
  summary: 'all that the catalogue says of one server',
  arguments: [NAME],
  options: SOURCE_OPTIONS,
  examples: [['marketplace show server-filesystem', 'what it is, and the ways to install it']],
  config: 'optional',
  async run(call) {
    const entry = entryNamed(await marketplaceOf(call), call.args.name ?? '');
    return { data: entryData(entry), lines: (view) => ({ lines: entryLines(entry, view) }) };
  },
};

function entryData(entry: MarketEntry) {
  return {
    name: entry.name,
    title: entry.title ?? null,
    version: entry.version,
    status: entry.status,
    updated_at: entry.updatedAt ?? null,
    description: entry.description,
    repository: entry.repository ?? null,
    website: entry.website ?? null,
    install: optionsOf(entry).map((option) => ({
      ...installData(option),
      inputs: inputsOf(option).map((input) => ({
        name: input.name,
        description: input.description ?? null,
        required: input.isRequired,
        secret: input.isSecret,
      })),
    })),
  };
}

const INDENT = 13;

function entryLines(entry: MarketEntry, view: View): string[] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Name', entry.name],
    ['Title', entry.title],
    ['Version', entry.version],
    ['Status', entry.status],
    ['Updated', entry.updatedAt],
    ['Description', entry.description || undefined],
    ['Repository', entry.repository],
    ['Website', entry.website],
    ...optionsOf(entry).flatMap(installFacts),
  ];
  return facts.flatMap(([name, text]) => (text === undefined ? [] : factLines(name, text, view, INDENT)));
}

function installFacts(option: InstallOption, at: number): (readonly [string, string])[] {
  const refusal = option.refusal === undefined ? '' : ` (not installable: ${option.refusal})`;
  const inputs = inputsOf(option).map((input) => ['  takes', inputLine(input)] as const);
  return [[`Install ${at + 1}`, `${option.install}${refusal}`], ...inputs];
}

function inputsOf({ source }: InstallOption): readonly MarketInput[] {
  return 'package' in source
    ? [...source.package.arguments, ...source.package.environment]
    : source.remote.headers;
}

function inputLine({ name, description, isRequired, isSecret }: MarketInput): string {
  const marks = [isRequired ? 'required' : 'optional', ...(isSecret ? ['secret'] : [])];
  return `${name} (${marks.join(', ')})${description === undefined ? '' : `: ${description}`}`;
}

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
    {
      flag: '--transport <kind>',
      description: 'only those of stdio or streamable_http',
      choices: ['stdio', 'streamable_http'],
    },
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
    const limit = numberOf('--limit', call.options.limit, { min: 1, max: MAX_LIMIT });
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

function installOf(entry: MarketEntry): string {
  const best = bestOptionOf(entry);
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

function transportOf(given: unknown): InstallTransport | undefined {
  if (given === undefined) return undefined;
  return choiceOf<InstallTransport>('transport', given, {
    choices: ['stdio', 'streamable_http'],
    hint: 'Use --transport stdio or --transport streamable_http.',
  });
}

/** Notes of the catalogue go to stderr. */
export async function marketplaceOf(call: McpCall): Promise<Marketplace> {
  const config = await checkedConfigOf(call);
  const source = sourceOf(call, config && controlPlaneOf(config));
  call.progress(`reading ${source}`);
  const market = await openMarketplace({
    source,
    stateFolder: stateFolderOf(call, config),
    refresh: call.options.refresh === true,
    fetch: { signal: call.signal, progress: call.progress },
  });
  for (const note of market.notes) call.note(note);
  if (market.malformed === 1) call.note('One entry is malformed and was left out.');
  if (market.malformed > 1) call.note(`${market.malformed} entries are malformed and were left out.`);
  return market;
}

function sourceOf({ options, workingFolder }: McpCall, plane: ControlPlane | undefined): string {
  const flag = options.source;
  if (typeof flag !== 'string' || flag === '') return plane?.marketplace.source ?? BUILTIN;
  return flag === BUILTIN || isAddress(flag) ? flag : resolve(workingFolder, fromHome(flag));
}

function stateFolderOf({ environment }: McpCall, config: Config | undefined): string {
  if (config) return stateDirOf(config);
  const cache = environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache');
  return join(cache, 'quire', 'plane');
}

/** Finds an entry by its full or short name. */
function entryNamed({ entries }: Marketplace, name: string): MarketEntry {
  const entry = entries.find((one) => one.name === name);
  if (entry) return entry;
  // The part after the slash is enough where it means one server.
  const byShortName = entries.filter((one) => one.name.endsWith(`/${name}`));
  if (byShortName.length === 1 && byShortName[0]) return byShortName[0];
  const names = (byShortName.length > 1 ? byShortName : entries.slice(0, 10_000)).map((one) => one.name);
  const meant = byShortName.length > 1 ? names.slice(0, 5).join(' or ') : nearest(name, names);
  throw new AppError('not_found', 'The marketplace has no such server', {
    subject: printable(name, 100),
    hint: meant === undefined ? 'Look for it with: quire mcp marketplace <words>' : `Did you mean ${meant}?`,
  });
}
