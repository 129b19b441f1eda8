/**
 * The configuration entry of a server of the catalogue: pinned to one version, disabled, untrusted. A value of the
 * catalogue that refers to a variable of our environment is left out.
 */
import type { MarketEntry, MarketInput, MarketPackage, MarketRemote } from './entry.ts';

export type InstallTransport = 'stdio' | 'streamable_http';

/** One way to use a server. */
export interface InstallOption {
  readonly transport: InstallTransport;
  /** `npx -y id@version`, or the address. */
  readonly install: string;
  /** Why the server cannot be added this way; undefined when it can. */
  readonly refusal?: string;
  readonly source: { readonly package: MarketPackage } | { readonly remote: MarketRemote };
}

export interface ServerSettings {
  readonly name: string;
  readonly transport: InstallTransport;
  readonly command?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly trust: 'untrusted';
  readonly client_consent: 'pending';
  readonly enabled: false;
}

interface Installation {
  readonly settings: ServerSettings;
  /** The steps left before the server can be used. */
  readonly steps: readonly string[];
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
const HEADER = /^[A-Za-z0-9-]{1,100}$/;
export const ALIAS = /^[a-z0-9][a-z0-9-]{0,39}$/;

/** Packages before addresses. */
export function optionsOf({ packages, remotes }: MarketEntry): InstallOption[] {
  return [...packages.map(packageOption), ...remotes.map(remoteOption)];
}

/** The first that can be installed, if there is one. */
export function bestOptionOf(entry: MarketEntry): InstallOption | undefined {
  const options = optionsOf(entry);
  return options.find(({ refusal }) => refusal === undefined) ?? options[0];
}

/** The default alias of an entry. */
export function aliasOf({ name }: Pick<MarketEntry, 'name'>): string {
  const short = name.slice(name.indexOf('/') + 1).toLowerCase();
  return (
    short
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(0, 40)
      .replace(/-+$/, '') || 'server'
  );
}

export function installationOf(option: InstallOption, alias: string, entry: MarketEntry): Installation {
  return 'package' in option.source
    ? packageInstallation(option.source.package, alias, entry)
    : remoteInstallation(option.source.remote, alias, entry);
}

function packageOption(source: MarketPackage): InstallOption {
  const { registry, identifier } = source;
  const runner = RUNNERS[registry];
  const refusal = packageRefusal(source, runner);
  const line = runner ? [runner.command, ...runner.args(source)].join(' ') : `${registry} ${identifier}`;
  return { transport: 'stdio', install: line, source: { package: source }, refusal };
}

/** The program that fetches and starts the packages of a registry, and the form of their names and versions. */
interface Runner {
  readonly command: string;
  readonly args: (source: MarketPackage) => string[];
  readonly name: RegExp;
  readonly version: RegExp;
}

const RUNNERS: Readonly<Record<string, Runner | undefined>> = Object.assign(Object.create(null), {
  npm: {
    command: 'npx',
    args: ({ identifier, version = '?' }) => ['-y', `${identifier}@${version}`],
    name: /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/i,
    version: /^\d+\.\d+\.\d+(?:[-+][A-Za-z0-9.+-]+)?$/,
  },
  pypi: {
    command: 'uvx',
    args: ({ identifier, version = '?' }) => [`${identifier}==${version}`],
    name: /^[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?$/,
    version: /^\d[A-Za-z0-9.!+_-]*$/,
  },
} satisfies Record<string, Runner>);

function packageRefusal(source: MarketPackage, runner: Runner | undefined): string | undefined {
  const { registry, transport, identifier, version = '' } = source;
  if (runner === undefined) return `packages of ${registry} cannot be added`;
  if (transport !== 'stdio') return `it speaks ${transport}, and is not started as a server of its own`;
  if (!runner.name.test(identifier)) return 'its package name is not valid';
  return runner.version.test(version) ? undefined : 'it names no exact version';
}

function remoteOption(source: MarketRemote): InstallOption {
  const refusal = remoteRefusal(source);
  return { transport: 'streamable_http', install: source.url, source: { remote: source }, refusal };
}

function remoteRefusal({ type, url }: MarketRemote): string | undefined {
  if (type !== 'streamable-http') return `it speaks ${type}, not streamable-http`;
  if (/[{}$]/.test(url)) return 'its address has placeholders that you have to fill in';
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'https:') return 'its address is not an https one';
  return parsed.username === '' && parsed.password === '' ? undefined : 'its address holds a password';
}

function packageInstallation(source: MarketPackage, alias: string, entry: MarketEntry): Installation {
  const runner = RUNNERS[source.registry];
  const command = runner?.command ?? '';
  const args = source.arguments.map(argumentOf);
  const env = source.environment.map(variableOf);
  return {
    settings: {
      name: alias,
      transport: 'stdio',
      command,
      args: [...(runner?.args(source) ?? []), ...args.flatMap(({ words }) => words)],
      ...valuesOf('env', env),
      ...SWITCHED_OFF,
    },
    steps: [
      reviewStep(entry),
      ...args.flatMap(({ step }) => step ?? []),
      ...env.flatMap(({ step }) => step ?? []),
      ...(source.hasRuntimeArguments
        ? [`It asks for arguments of ${command} itself; they were left out.`]
        : []),
      `Allow its command: stdio_allowed_commands: [${command}].`,
      `Choose a sandbox_profile: network while ${command} still has to fetch the package, restricted when it is installed.`,
      `When the entry is as you reviewed it, sign it, which sets manifest_digest and manifest_signature: quire mcp manifest ${alias} --sign --write. For the key, once: quire mcp keygen --write`,
      lastStep(alias),
    ],
  };
}

function remoteInstallation(source: MarketRemote, alias: string, entry: MarketEntry): Installation {
  const headers = source.headers.map((header) => headerOf(header, alias));
  return {
    settings: {
      name: alias,
      transport: 'streamable_http',
      url: source.url,
      ...valuesOf('headers', headers),
      ...SWITCHED_OFF,
    },
    steps: [reviewStep(entry), ...headers.flatMap(({ step }) => step ?? []), lastStep(alias)],
  };
}

const SWITCHED_OFF = { trust: 'untrusted', client_consent: 'pending', enabled: false } as const;
const lastStep = (name: string) =>
  `Then set trust: reviewed and enabled: true, and agree: quire mcp consent give ${name}`;

function reviewStep({ repository, website }: MarketEntry): string {
  const where = repository ?? website;
  return where === undefined
    ? 'Review what it is and who made it.'
    : `Review what it is and who made it: ${where}`;
}

interface InputValue {
  readonly name: string;
  readonly value?: string;
  readonly step?: string;
}

/** The setting `key`; nothing where no input has a value. */
function valuesOf(key: 'env' | 'headers', inputs: readonly InputValue[]): Partial<ServerSettings> {
  const values = inputs.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]));
  return values.length > 0 ? { [key]: Object.fromEntries(values) } : {};
}

/** A value that is neither a reference to a variable nor a placeholder. */
function isPlain(value: string | undefined): value is string {
  return value !== undefined && !/\$\{|\{[^}]*\}/.test(value);
}

function argumentOf(input: MarketInput): { readonly words: readonly string[]; readonly step?: string } {
  const { name, value, isPositional, isRequired, isSecret } = input;
  const isFlag = /^--?[A-Za-z0-9][A-Za-z0-9_-]*$/.test(name);
  if (!isSecret && isPlain(value) && (isPositional || isFlag))
    return { words: isPositional ? [value] : [name, value] };
  if (!isRequired) return { words: [] };
  return {
    words: [],
    step: `Add to args what it needs: ${isPositional ? `<${name}>` : name}${saidOf(input)}.`,
  };
}

function variableOf(input: MarketInput): InputValue {
  const { name, value, isRequired, isSecret } = input;
  if (!VARIABLE.test(name))
    return { name, step: 'One of its variables has an invalid name; it was left out.' };
  if (!isSecret && isPlain(value)) return { name, value };
  if (!isSecret && !isRequired) return { name };
  return { name, value: `\${env:${name}}`, step: `Set ${name} in the environment${saidOf(input)}.` };
}

function headerOf(input: MarketInput, alias: string): InputValue {
  const { name, value, isRequired, isSecret } = input;
  if (!HEADER.test(name)) return { name, step: 'One of its headers has an invalid name; it was left out.' };
  if (!isSecret && isPlain(value)) return { name, value };
  if (!isSecret && !isRequired) return { name };
  const variable = `${alias}_${name}`
    .toUpperCase()
    .replace(/[^A-Z0-9]+/g, '_')
    .replace(/^(?=\d)/, '_');
  const reference = `\${env:${variable}}`;
  const form = /^(Bearer|Basic|Token) \{[^{}]*\}$/i.exec(value ?? '');
  return {
    name,
    value: form ? `${form[1]} ${reference}` : reference,
    step: `Set ${variable} in the environment, for the header ${name}${saidOf(input)}.`,
  };
}

function saidOf({ description }: MarketInput): string {
  return description === undefined ? '' : ` (it says: ${description.slice(0, 120)})`;
}
