/**
 * What a manifest says of a server. Version 2 has everything that decides what runs and what it reaches: the command and
 * its arguments, the content of the files it runs, the variables, and every setting of its sandbox. Values of variables
 * are there as digests, and references as they are written: a new secret needs no new review, another literal does.
 */
import type { UpstreamServer } from '../config/control-plane.ts';
import { REFERENCE } from '../config/plane-file.ts';
import { isRecord } from '../shared/records.ts';
import type { ReviewedFile } from '../upstream/target.ts';
import { canonicalJson, digestOf } from './digest.ts';
import { realPathOf } from './files.ts';

export interface ManifestV1 {
  readonly version: 1;
  readonly name: string;
  readonly transport: UpstreamServer['transport'];
  readonly command: unknown;
  readonly args: unknown;
  readonly env_keys: readonly string[];
  readonly sandbox_profile: string | null;
}

export interface ManifestV2 {
  readonly version: 2;
  readonly name: string;
  readonly transport: UpstreamServer['transport'];
  readonly command: unknown;
  readonly args: unknown;
  /** By name: a reference as it is written, or the digest of the value. */
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly ReviewedFile[];
  /** Every `sandbox_` key, without the prefix; paths are absolute, with links followed. */
  readonly sandbox: Readonly<Record<string, unknown>>;
}

export type Manifest = ManifestV1 | ManifestV2;

export function manifestV1Of(server: UpstreamServer): ManifestV1 {
  return {
    version: 1,
    name: server.name,
    transport: server.transport,
    command: server.command ?? null,
    args: server.args ?? [],
    env_keys: Object.keys(server.env).sort(),
    sandbox_profile: server.sandboxProfile ?? null,
  };
}

export async function manifestV2Of(
  server: UpstreamServer,
  files: readonly ReviewedFile[],
): Promise<ManifestV2> {
  return {
    version: 2,
    name: server.name,
    transport: server.transport,
    command: server.command ?? null,
    args: server.args ?? [],
    env: Object.fromEntries(
      Object.entries(server.env).map(([name, value]) => [name, coveredValue(server.name, name, value)]),
    ),
    files: [...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
    sandbox: await sandboxOf(server),
  };
}

export function digestOfManifest(manifest: Manifest): string {
  return `sha256:${digestOf(manifest)}`;
}

/** The names are part of the digest, so that equal secrets of two servers do not show as equal. */
function coveredValue(server: string, name: string, value: string): string {
  const isReference = value.replace(REFERENCE, '') === '' && value !== '';
  return isReference ? value : `sha256:${digestOf(['sb-mcp-env/v2', server, name, value])}`;
}

/** Any key that begins with `sandbox_`, so that a key that is added later is covered without a change here. */
async function sandboxOf(server: UpstreamServer): Promise<Record<string, unknown>> {
  const settings = Object.entries(server).flatMap(([key, value]) => {
    const name = /^sandbox([A-Z].*)$/.exec(key)?.[1];
    return name === undefined || value === undefined ? [] : [[inSnakeCase(name), value] as const];
  });
  const resolved = settings.map(async ([key, value]) => [key, await withRealPaths(toJson(value))] as const);
  return Object.fromEntries(await Promise.all(resolved));
}

function inSnakeCase(key: string): string {
  return key.replace(/(?!^)[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
}

/** Dates become texts. */
function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

async function withRealPaths(value: unknown): Promise<unknown> {
  if (typeof value === 'string') return value.startsWith('/') ? realPathOf(value) : value;
  if (Array.isArray(value)) return Promise.all(value.map(withRealPaths));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).map(async ([key, item]) => [key, await withRealPaths(item)] as const);
  return Object.fromEntries(await Promise.all(entries));
}

/** The parts that are not as they were, as an operator names them. */
export function changedParts(before: ManifestV2, now: ManifestV2): string[] {
  const plain = (['command', 'args', 'transport', 'name'] as const).filter((key) =>
    differs(before[key], now[key]),
  );
  const keyed = (key: 'env' | 'sandbox') =>
    [...new Set([...Object.keys(before[key]), ...Object.keys(now[key])])]
      .filter((name) => differs(before[key][name], now[key][name]))
      .map((name) => (key === 'env' ? `the variable ${name}` : `sandbox_${name}`));
  const digests = ({ files }: ManifestV2) => new Map(files.map(({ path, sha256 }) => [path, sha256]));
  const [old, present] = [digests(before), digests(now)];
  const files = [...new Set([...old.keys(), ...present.keys()])]
    .filter((path) => old.get(path) !== present.get(path))
    .map((path) => `the file ${path.slice(path.lastIndexOf('/') + 1)}`);
  return [...plain, ...keyed('env'), ...keyed('sandbox'), ...files];
}

function differs(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) !== canonicalJson(b ?? null);
}
