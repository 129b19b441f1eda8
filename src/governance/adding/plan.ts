/** What adding a server means, before anything is fetched or started: where it comes from, what runs, what it needs. */
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { MarketEntry, MarketInput, MarketPackage } from '../marketplace/entry.ts';
import { aliasOf, bestOptionOf, type InstallOption } from '../marketplace/install.ts';
import type { AddedNetwork } from './entry.ts';
import type { AddTarget, NpmPackage } from './target.ts';

export interface AddPlan {
  /** A name it could have here. */
  readonly name: string;
  /** What its catalogue says of it, for the person who decides. */
  readonly origin: readonly string[];
  readonly start: AddStart;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly network: AddedNetwork;
  /** Variables that name files or folders get one in the server's own folder. */
  readonly inputs: readonly MarketInput[];
}

export type AddStart =
  | { readonly kind: 'npm'; readonly package: NpmPackage }
  | { readonly kind: 'command'; readonly command: string; readonly args: readonly string[] }
  | { readonly kind: 'address'; readonly url: string };

interface PlanOptions {
  readonly env: Readonly<Record<string, string>>;
  /** What the person asks for. */
  readonly network: AddedNetwork;
}

export function planOf(target: AddTarget, { env, network }: PlanOptions): AddPlan {
  const usual = { origin: [], words: [], env, network, inputs: [] };
  switch (target.kind) {
    case 'address':
      return { ...usual, name: nameIn(new URL(target.url).hostname), start: target };
    case 'command':
      return {
        ...usual,
        name: nameIn(target.command),
        start: { kind: 'command', command: target.command, args: [] },
        words: target.words,
      };
    case 'npm':
      return { ...usual, name: nameIn(target.package.name), start: target, words: target.words };
    case 'catalogue':
      return { ...usual, ...cataloguePlan(target.entry, target.words, usual) };
  }
}

function cataloguePlan(entry: MarketEntry, words: readonly string[], { env, network }: AddPlanParts) {
  const option = bestOptionOf(entry);
  if (option === undefined || option.refusal !== undefined)
    throw new AppError('unsupported', 'This server cannot be added from here', {
      subject: `${entry.name}: ${option?.refusal ?? 'it names neither a package nor an address'}`,
      hint: `See what there is: quire mcp marketplace show ${entry.name}`,
    });
  const source = 'package' in option.source ? option.source.package : undefined;
  const inputs = source?.environment ?? [];
  assertComplete(entry, { arguments: source?.arguments ?? [], inputs }, { words, env });
  const { name, version, description, repository } = entry;
  return {
    name: aliasOf(entry),
    origin: [`${name} ${version}`, description, repository].filter(
      (line) => line !== undefined && line !== '',
    ) as string[],
    start: startOf(option, source),
    words: [...plainArguments(source), ...words],
    // Such a package is fetched whenever it is started.
    network: network === 'none' && source !== undefined && source.registry !== 'npm' ? 'all' : network,
    inputs,
  };
}

type AddPlanParts = Pick<AddPlan, 'env' | 'network'>;

function startOf({ install }: InstallOption, source: MarketPackage | undefined): AddStart {
  if (source === undefined) return { kind: 'address', url: install };
  if (source.registry === 'npm')
    return { kind: 'npm', package: { name: source.identifier, version: source.version } };
  const [command = '', ...args] = install.split(' ');
  return { kind: 'command', command, args };
}

/** Named arguments of the catalogue that have a value. */
function plainArguments(source: MarketPackage | undefined): string[] {
  return (source?.arguments ?? []).flatMap(({ name, value, isPositional, isSecret }) =>
    value === undefined || isSecret || isPositional || /[{$]/.test(value) || !/^--?[A-Za-z0-9]/.test(name)
      ? []
      : [name, value],
  );
}

interface Wanted {
  readonly arguments: readonly MarketInput[];
  readonly inputs: readonly MarketInput[];
}

function assertComplete(
  entry: MarketEntry,
  { arguments: args, inputs }: Wanted,
  { words, env }: { readonly words: readonly string[]; readonly env: AddPlan['env'] },
): void {
  const isOpen = ({ isRequired, value }: MarketInput) => isRequired && value === undefined;
  const missing = [
    ...args
      .filter((one) => one.isPositional && isOpen(one))
      .slice(words.length)
      .map(({ name }) => `<${name}>`),
    ...inputs
      .filter((one) => isOpen(one) && !Object.hasOwn(env, one.name))
      .map(({ name }) => `--env ${name}`),
  ];
  if (missing.length === 0) return;
  const short = entry.name.slice(entry.name.indexOf('/') + 1);
  throw new AppError('invalid_input', 'This server needs more to start', {
    subject: printable(`${short} ${missing.join(' ')}`, 200),
    hint: `Run: quire mcp add ${short} ${missing.join(' ')}. A variable given by name alone is taken from your environment, whenever the server starts.`,
  });
}

/** A name for the configuration, from a host, a path or a package. */
function nameIn(text: string): string {
  const last = text
    .replace(/^@[^/]*\//, '')
    .replace(/^.*[\\/]/, '')
    .replace(/\.(?:[cm]?js|ts|py)$/, '');
  return aliasOf({ name: `/${last.replace(/^(?:www|mcp)\./, '')}` });
}
