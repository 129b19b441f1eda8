import { homedir } from 'node:os';
import { join } from 'node:path';

/** Where what can be made again is kept between runs. */
export function cacheFolderOf(env: Readonly<Record<string, string | undefined>>): string {
  return join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'quire');
}
