/** Folders in which programs of each system keep their settings, and the files that are really there. */
import { readdir, stat } from 'node:fs/promises';
import { posix, win32 } from 'node:path';
import { ifPresent } from '../shared/fs/errno.ts';
import type { Client, ClientSystem, ConfigPlace } from './client.ts';

export type PathTools = typeof posix;

export function pathsOf({ platform }: Pick<ClientSystem, 'platform'>): PathTools {
  return platform === 'win32' ? win32 : posix;
}

/** A path below the home folder. */
export function inHome(system: ClientSystem, ...names: string[]): string {
  return pathsOf(system).join(system.home, ...names);
}

/** `~/.config`, or what `XDG_CONFIG_HOME` names instead. */
export function inConfigHome(system: ClientSystem, ...names: string[]): string {
  const { join } = pathsOf(system);
  return join(system.env.XDG_CONFIG_HOME || join(system.home, '.config'), ...names);
}

/** Settings of a desktop program: `Application Support`, `%APPDATA%` or `~/.config`. */
export function inAppData(system: ClientSystem, ...names: string[]): string {
  const { join } = pathsOf(system);
  if (system.platform === 'darwin') return join(system.home, 'Library', 'Application Support', ...names);
  if (system.platform === 'win32') return inRoaming(system, ...names);
  return inConfigHome(system, ...names);
}

export function inRoaming({ env, home }: ClientSystem, ...names: string[]): string {
  return win32.join(env.APPDATA || win32.join(home, 'AppData', 'Roaming'), ...names);
}

export function inLocalAppData({ env, home }: ClientSystem, ...names: string[]): string {
  return win32.join(env.LOCALAPPDATA || win32.join(home, 'AppData', 'Local'), ...names);
}

/** A file in `folder`, which is also the sign that the client is installed. */
export function inFolder(system: ClientSystem, folder: string, file: string, edition?: string): ConfigPlace {
  return { file: pathsOf(system).join(folder, file), sign: folder, edition };
}

/** The files that the client on this machine reads; none when it is not installed. */
export async function placesFound(client: Client, system: ClientSystem): Promise<ConfigPlace[]> {
  const found: ConfigPlace[] = [];
  for (const place of client.places(system)) {
    if (place.without !== undefined && (await isThere(place.without))) continue;
    for (const sign of await expanded(place.sign, system)) {
      const file = sign === place.sign ? place.file : sign + place.file.slice(place.sign.length);
      if (await isThere(sign)) found.push({ ...place, sign, file });
    }
  }
  return found;
}

/** A system whose places read as people write them: with `~` and `%APPDATA%`. */
export function shownSystem(platform: NodeJS.Platform): ClientSystem {
  if (platform !== 'win32') return { platform, env: {}, home: '~' };
  return { platform, env: { APPDATA: '%APPDATA%', LOCALAPPDATA: '%LOCALAPPDATA%' }, home: '%USERPROFILE%' };
}

/** The place to name in instructions. */
export function usualPlace(client: Client, system: ClientSystem): ConfigPlace | undefined {
  return client.places(system).find(({ file }) => !file.includes('*'));
}

/** What may not be looked at is there: reading it then says why it cannot be. */
export async function isThere(path: string): Promise<boolean> {
  return ifPresent(stat(path)).then(
    (found) => found !== undefined,
    () => true,
  );
}

/** The paths that a sign with `*` in its names stands for. */
async function expanded(sign: string, system: ClientSystem): Promise<string[]> {
  if (!sign.includes('*')) return [sign];
  const { join, sep } = pathsOf(system);
  const names = sign.split(sep);
  const at = names.findIndex((name) => name.includes('*'));
  const parent = names.slice(0, at).join(sep);
  const [before = '', after = ''] = (names[at] ?? '').split('*');
  const inParent = await readdir(parent).catch(() => []);
  const matching = inParent.filter((name) => name.startsWith(before) && name.endsWith(after)).sort();
  return matching.map((name) => join(parent, name, ...names.slice(at + 1)));
}
