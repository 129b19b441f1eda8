/** `quire mcp marketplace add <name>`: an entry in the configuration file, pinned and switched off. Nothing is launched. */
import { appendServer } from '../../governance/marketplace/append-server.ts';
import type { MarketEntry, MarketInput } from '../../governance/marketplace/entry.ts';
import {
  ALIAS,
  aliasOf,
  type InstallOption,
  installationOf,
  optionsOf,
} from '../../governance/marketplace/install.ts';
import { replaceText } from '../../governance/marketplace/marketplace.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import { factLines, type View } from '../table.ts';
import type { McpCommand } from './command.ts';
import { entryNamed, marketplaceOf, SOURCE_OPTIONS } from './marketplace-source.ts';

export const marketplaceAdd: McpCommand = {
  name: 'add',
  summary: 'add a server to the configuration file, pinned to its version and switched off',
  arguments: [{ name: 'name', description: 'as the list has it; the part after the slash is enough' }],
  options: [
    { flag: '--as <alias>', description: 'what it is called here; the part after the slash when left out' },
    { flag: '--package <n>', description: 'which of its ways to install, as `show` numbers them' },
    ...SOURCE_OPTIONS,
  ],
  examples: [['marketplace add server-memory --as memory', 'add it to quire.yaml; then do what is printed']],
  config: 'needed',
  async run(call) {
    const { config, options } = call;
    if (config === undefined) throw new AppError('internal', 'No configuration file');
    const entry = entryNamed(await marketplaceOf(call), call.args.name ?? '');
    const alias = checkedAlias(typeof options.as === 'string' ? options.as : aliasOf(entry));
    const { settings, steps } = installationOf(chosenOption(entry, options.package), alias, entry);
    call.signal.throwIfAborted();
    await replaceText(config.path, config.text, await appendServer(config.text, settings));
    return {
      data: { file: config.path, server: settings, steps },
      lines: (view) => ({
        lines: [
          `Added ${alias} to ${config.path}, switched off. It was not started. What is left to do:`,
          ...steps.flatMap((step, at) => factLines(`${at + 1}.`, step, view, 4)),
        ],
      }),
    };
  },
};

function checkedAlias(alias: string): string {
  if (ALIAS.test(alias) && !alias.includes('__')) return alias;
  throw new AppError('invalid_input', 'Not a name for a server', {
    subject: printable(alias, 60),
    hint: 'Use --as with 1 to 40 of a-z, 0-9 and "-", beginning with a letter or a digit.',
  });
}

function chosenOption(entry: MarketEntry, given: unknown): InstallOption {
  const options = optionsOf(entry);
  const option =
    given === undefined
      ? (options.find(({ refusal }) => refusal === undefined) ?? options[0])
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
