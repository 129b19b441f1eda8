/** `quire mcp marketplace show <name>`: all that the catalogue says of one server, as data. */
import type { MarketEntry, MarketInput } from '../../governance/marketplace/entry.ts';
import { type InstallOption, optionsOf } from '../../governance/marketplace/install.ts';
import { factLines, type View } from '../table.ts';
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
      lines: (view) => ({ lines: linesOf(entry, view) }),
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

const INDENT = 13;

function linesOf(entry: MarketEntry, view: View): string[] {
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
