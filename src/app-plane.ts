/** Puts the governed plane behind an endpoint: from the configuration to tools that come and go. */
import * as z from 'zod';
import { controlPlaneOf } from './config/control-plane.ts';
import type { Environment } from './config/references.ts';
import type { Config } from './config/schema.ts';
import { NOBODY } from './governance/connect/nested/nobody.ts';
import { openExposed } from './governance/exposed.ts';
import { openPlane } from './governance/plane.ts';
import { posturesOf } from './governance/posture.ts';
import type { LiveTools } from './mcp/live-tools.ts';
import type { Log } from './shared/log.ts';
import { upstreamTools } from './surfaces/upstream/live-tools.ts';
import { VERSION } from './version.ts';

// As in serve-http.ts: the bundler must see a use of this before all others.
z.config();

export interface PlaneTools {
  readonly live: LiveTools;
  /** Begins to ask the servers what they have, so that the first list is not the one that waits. */
  start(): void;
  close(): Promise<void>;
}

export interface PlaneServices {
  readonly log: Log;
  readonly environment: Environment;
}

/** How the servers stand, without a name or a path; nothing is started for it. */
export async function planeFacts(
  config: Config,
  { log, environment }: PlaneServices,
): Promise<Readonly<Record<string, unknown>>> {
  const settings = controlPlaneOf(config);
  if (!settings) return { servers: {}, pendingApprovals: 0 };
  const client = { name: 'quire', version: VERSION };
  const plane = openPlane({ config: settings, environment, operator: NOBODY, client, log });
  try {
    const servers: Record<string, number> = {};
    for (const { status } of await posturesOf(plane)) servers[status] = (servers[status] ?? 0) + 1;
    return { servers, pendingApprovals: (await plane.approvals.list({ state: 'pending' })).length };
  } finally {
    await plane.close();
  }
}

export function openPlaneTools(config: Config, { log, environment }: PlaneServices): PlaneTools | undefined {
  const settings = controlPlaneOf(config);
  if (!settings?.servers.some(({ expose }) => expose)) return undefined;
  const client = { name: 'quire', version: VERSION };
  const plane = openPlane({ config: settings, environment, operator: NOBODY, client, log });
  const exposed = openExposed(plane);
  return {
    live: upstreamTools(plane, exposed),
    start: () => {
      exposed.look().catch((error) => log('warn', 'exposure not looked at', { error: String(error) }));
    },
    close: async () => {
      exposed.close();
      await plane.close();
    },
  };
}
