/** Which catalogue `quire mcp marketplace` looks at, and where it keeps what it fetched. */
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import {
  BUILTIN,
  isAddress,
  type Marketplace,
  openMarketplace,
} from '../../governance/marketplace/marketplace.ts';
import { AppError } from '../../shared/errors.ts';
import type { McpCall, McpOption } from './command.ts';
import { asConfigFailure } from './exit.ts';

export const SOURCE_OPTIONS: readonly McpOption[] = [
  { flag: '--source <source>', description: 'builtin, a file, or the https address of a registry list' },
  { flag: '--refresh', description: 'ask the registry again, however new what was fetched is' },
];

/** Notes are told on the way. */
export async function marketplaceOf(call: McpCall): Promise<Marketplace> {
  const source = sourceOf(call);
  call.progress(`reading ${source}`);
  const market = await openMarketplace({
    source,
    stateFolder: stateFolderOf(call),
    refresh: call.options.refresh === true,
    fetch: { signal: call.signal, progress: call.progress },
  });
  for (const note of market.notes) call.note(note);
  if (market.malformed === 1) call.note('One entry is malformed and was left out.');
  if (market.malformed > 1) call.note(`${market.malformed} entries are malformed and were left out.`);
  return market;
}

function sourceOf({ options, config, workingFolder }: McpCall): string {
  const flag = options.source;
  if (typeof flag === 'string' && flag !== '') return absolute(flag, workingFolder);
  const configured = textAt(config?.content, ['control_plane', 'mcp_marketplace', 'source']);
  return configured === undefined ? BUILTIN : absolute(configured, config?.folder ?? workingFolder);
}

function stateFolderOf({ config, environment }: McpCall): string {
  if (config) return resolve(config.folder, textAt(config.content, ['state_dir']) ?? '.quire/plane');
  const cache = environment.XDG_CACHE_HOME || join(environment.HOME || homedir(), '.cache');
  return join(cache, 'quire', 'plane');
}

function absolute(source: string, folder: string): string {
  return source === BUILTIN || isAddress(source) ? source : resolve(folder, source);
}

function textAt(content: unknown, path: readonly string[]): string | undefined {
  let value = content;
  for (const key of path) value = (value as Record<string, unknown> | null | undefined)?.[key];
  if (value === undefined || value === null || typeof value === 'string') return value || undefined;
  throw asConfigFailure(new AppError('invalid_input', `${path.join('.')}: must be text`));
}
