/** The catalogue that `quire mcp marketplace` reads: its source, its cache folder, and lookup by name. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { type ControlPlane, controlPlaneOf, stateDirOf } from '../../config/control-plane.ts';
import type { Config } from '../../config/schema.ts';
import type { MarketEntry } from '../../governance/marketplace/entry.ts';
import {
  BUILTIN,
  isAddress,
  type Marketplace,
  openMarketplace,
} from '../../governance/marketplace/marketplace.ts';
import { AppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import { printable } from '../../shared/printable.ts';
import type { McpCall, McpOption } from './command.ts';
import { checkedConfigOf } from './plane.ts';

export const SOURCE_OPTIONS: readonly McpOption[] = [
  { flag: '--source <source>', description: 'builtin, a file, or the https address of a registry list' },
  { flag: '--refresh', description: 'ask the registry again, however new what was fetched is' },
];

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
  return flag === BUILTIN || isAddress(flag) ? flag : resolve(workingFolder, flag);
}

function stateFolderOf({ environment }: McpCall, config: Config | undefined): string {
  if (config) return stateDirOf(config);
  const cache = environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache');
  return join(cache, 'quire', 'plane');
}

/** Finds an entry by its full or short name. */
export function entryNamed({ entries }: Marketplace, name: string): MarketEntry {
  const entry = entries.find((one) => one.name === name);
  if (entry) return entry;
  // The part after the slash is enough where it means one server.
  const byShortName = entries.filter((one) => one.name.endsWith(`/${name}`));
  if (byShortName.length === 1 && byShortName[0]) return byShortName[0];
  const names = byShortName.length > 1 ? byShortName.map((one) => one.name) : [];
  const near = nearest(
    name,
    entries.slice(0, 10_000).map((one) => one.name),
  );
  const meant = names.length > 0 ? names.slice(0, 5).join(' or ') : near;
  throw new AppError('not_found', 'The marketplace has no such server', {
    subject: printable(name, 100),
    hint: meant === undefined ? 'Look for it with: quire mcp marketplace <words>' : `Did you mean ${meant}?`,
  });
}
