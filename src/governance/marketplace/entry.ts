/**
 * One server of a catalogue, parsed from the registry's wire form (server.json of 2025-12-11). Texts are untrusted: they
 * are made printable and bounded, and an entry with a malformed name or version is dropped.
 */
import { printable } from '../../shared/printable.ts';
import { isRecord } from '../../shared/records.ts';

export interface MarketEntry {
  /** `io.github.owner/server`. */
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly version: string;
  readonly status: 'active' | 'deprecated';
  /** As ISO time. */
  readonly updatedAt?: string;
  readonly repository?: string;
  readonly website?: string;
  readonly packages: readonly MarketPackage[];
  readonly remotes: readonly MarketRemote[];
}

export interface MarketPackage {
  /** `npm`, `pypi`, `oci`, `nuget`, `mcpb` … */
  readonly registry: string;
  readonly identifier: string;
  readonly version?: string;
  readonly transport: string;
  readonly arguments: readonly MarketInput[];
  readonly environment: readonly MarketInput[];
  /** Arguments for the program that runs the package, which are not taken over. */
  readonly hasRuntimeArguments: boolean;
}

export interface MarketRemote {
  /** `streamable-http` or `sse`. */
  readonly type: string;
  readonly url: string;
  readonly headers: readonly MarketInput[];
}

/** An input of a server: an argument, a variable or a header. */
export interface MarketInput {
  /** The name of a variable, a header or a named argument, or the hint of a positional one. */
  readonly name: string;
  readonly description?: string;
  readonly value?: string;
  readonly isPositional: boolean;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

/** One server of a registry page, with the facts that only the list has. */
export interface RegistryEntry {
  readonly entry: MarketEntry;
  readonly isDeleted: boolean;
  /** Undefined when the list does not say. */
  readonly isLatest: boolean | undefined;
}

const OFFICIAL = 'io.modelcontextprotocol.registry/official';
const NAME = /^[A-Za-z0-9][A-Za-z0-9.-]{0,99}\/[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/;
const VERSION = /^[A-Za-z0-9][A-Za-z0-9.+!_-]{0,99}$/;
const MAX_TITLE = 100;
const MAX_DESCRIPTION = 500;
const MAX_VALUE = 500;
const MAX_URL = 2_048;
const MAX_LIST = 50;

type Fields = Readonly<Record<string, unknown>>;

/** Undefined for a malformed entry. */
export function listedOf(raw: unknown): RegistryEntry | undefined {
  if (!isRecord(raw)) return undefined;
  const server = isRecord(raw.server) ? raw.server : undefined;
  const { name, version } = server ?? {};
  if (!server || typeof name !== 'string' || !NAME.test(name)) return undefined;
  if (typeof version !== 'string' || !VERSION.test(version)) return undefined;
  const meta = isRecord(raw._meta) && isRecord(raw._meta[OFFICIAL]) ? raw._meta[OFFICIAL] : {};
  const status = meta.status ?? server.status;
  return {
    isDeleted: status === 'deleted',
    isLatest: typeof meta.isLatest === 'boolean' ? meta.isLatest : undefined,
    entry: {
      name,
      version,
      description: textIn(server.description, MAX_DESCRIPTION) ?? '',
      status: status === 'deprecated' ? 'deprecated' : 'active',
      title: textIn(server.title, MAX_TITLE),
      updatedAt: timeIn(meta.updatedAt) ?? timeIn(meta.publishedAt),
      repository: isRecord(server.repository) ? urlIn(server.repository.url) : undefined,
      website: urlIn(server.websiteUrl),
      packages: listIn(server.packages).flatMap(packageOf),
      remotes: listIn(server.remotes).flatMap(remoteOf),
    },
  };
}

function packageOf(raw: Fields): MarketPackage[] {
  const registry = textIn(raw.registryType, 20);
  const identifier = textIn(raw.identifier, 214);
  if (registry === undefined || identifier === undefined) return [];
  const version = typeof raw.version === 'string' && VERSION.test(raw.version) ? raw.version : undefined;
  return [
    {
      registry,
      identifier,
      version,
      transport: (isRecord(raw.transport) ? textIn(raw.transport.type, 40) : undefined) ?? 'stdio',
      arguments: listIn(raw.packageArguments).flatMap(inputOf),
      environment: listIn(raw.environmentVariables).flatMap(inputOf),
      hasRuntimeArguments: listIn(raw.runtimeArguments).length > 0,
    },
  ];
}

function remoteOf(raw: Fields): MarketRemote[] {
  const type = textIn(raw.type, 40);
  const url = textIn(raw.url, MAX_URL);
  if (type === undefined || url === undefined) return [];
  return [{ type, url, headers: listIn(raw.headers).flatMap(inputOf) }];
}

function inputOf(raw: Fields): MarketInput[] {
  const isPositional = raw.type === 'positional';
  const name = textIn(raw.name, MAX_TITLE) ?? textIn(raw.valueHint, MAX_TITLE);
  if (name === undefined && !isPositional) return [];
  return [
    {
      name: name ?? 'value',
      description: textIn(raw.description, MAX_DESCRIPTION),
      value: exactText(raw.value) ?? exactText(raw.default),
      isPositional,
      isRequired: raw.isRequired === true,
      isSecret: raw.isSecret === true,
    },
  ];
}

/** A value for the configuration: one that is not printable as it is, is left out. */
function exactText(raw: unknown): string | undefined {
  const text = textIn(raw, MAX_VALUE);
  return text === raw ? text : undefined;
}

function textIn(raw: unknown, maxLength: number): string | undefined {
  return typeof raw === 'string' ? printable(raw, maxLength) || undefined : undefined;
}

function urlIn(raw: unknown): string | undefined {
  const text = textIn(raw, MAX_URL);
  return text?.startsWith('https://') && URL.canParse(text) ? text : undefined;
}

function timeIn(raw: unknown): string | undefined {
  const time = typeof raw === 'string' && raw.length < 50 ? Date.parse(raw) : Number.NaN;
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}

function listIn(raw: unknown): Fields[] {
  return Array.isArray(raw) ? raw.slice(0, MAX_LIST).filter(isRecord) : [];
}
