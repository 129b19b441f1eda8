/** `quire mcp marketplace show <name>`: all that the catalogue says of one server, as data. */
import type { MarketEntry, MarketInput } from '../../governance/marketplace/entry.ts';
import { type InstallOption, optionsOf } from '../../governance/marketplace/install.ts';
import { cutTo } from '../text-width.ts';
import type { McpCommand } from './command.ts';
import { entryNamed } from './marketplace-entry.ts';
import { marketplaceOf, SOURCE_OPTIONS } from './marketplace-source.ts';

export const marketplaceShow: McpCommand = {
  name: 'show',
  summary: 'all that the catalogue says of one server',
  arguments: [{ name: 'name', description: 'as the list has it; the part after the slash is enough' }],
  options: SOURCE_OPTIONS,
  examples: [['marketplace show server-filesystem', 'what it is, and the ways to install it']],
  config: 'optional',
  async run(call) {
    const market = await marketplaceOf(call);
    const entry = entryNamed(market, call.args.name ?? '');
    return {
      data: dataOf(entry),
      lines: ({ width }) => ({ lines: linesOf(entry).map((line) => cutTo(line, width)) }),
    };
  },
};

function dataOf(entry: MarketEntry) {
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
      transport: option.transport,
      install: option.install,
      installable: option.refusal === undefined,
      reason: option.refusal ?? null,
      inputs: inputsOf(option).map((input) => ({
        name: input.name,
        description: input.description ?? null,
        required: input.isRequired,
        secret: input.isSecret,
      })),
    })),
  };
}

function linesOf(entry: MarketEntry): string[] {
  const facts: readonly (readonly [string, string | undefined])[] = [
    ['Name', entry.name],
    ['Title', entry.title],
    ['Version', entry.version],
    ['Status', entry.status],
    ['Updated', entry.updatedAt],
    ['Description', entry.description || undefined],
    ['Repository', entry.repository],
    ['Website', entry.website],
  ];
  return [
    ...facts.flatMap(([name, value]) => (value === undefined ? [] : [`${name.padEnd(13)}${value}`])),
    ...optionsOf(entry).flatMap((option, at) => [
      `Install ${String(at + 1).padEnd(5)}${option.install}${option.refusal === undefined ? '' : ` (not installable: ${option.refusal})`}`,
      ...inputsOf(option).map((input) => `${' '.repeat(13)}${inputLine(input)}`),
    ]),
  ];
}

function inputsOf({ source }: InstallOption): readonly MarketInput[] {
  return 'package' in source
    ? [...source.package.arguments, ...source.package.environment]
    : source.remote.headers;
}

function inputLine({ name, description, isRequired, isSecret }: MarketInput): string {
  const marks = [...(isRequired ? ['required'] : []), ...(isSecret ? ['secret'] : [])];
  return `${name}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}${description === undefined ? '' : `: ${description}`}`;
}
