/** What starts this very program again, for clients and for instructions. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { ClientSystem, Launch } from '../clients/client.ts';
import { launchOf } from '../clients/launch.ts';

export function thisSystem(env: ClientSystem['env']): ClientSystem {
  return { platform: process.platform, env, home: homedir() };
}

/** The launcher is beside the bundle that this is part of. */
export function launchOfThis(env: ClientSystem['env']): Promise<Launch> {
  return launchOf({ node: process.execPath, script: join(__dirname, 'quire.cjs') }, thisSystem(env));
}
