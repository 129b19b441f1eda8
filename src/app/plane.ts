/** Composes the governed plane: from the configuration to tools, prompts and resources that come and go. */
import * as z from 'zod';
import { controlPlaneOf } from '../config/control-plane.ts';
import type { Environment } from '../config/plane-file.ts';
import type { Config } from '../config/schema.ts';
import { openExposed } from '../governance/exposure/list.ts';
import { openPlane } from '../governance/plane.ts';
import { posturesOf } from '../governance/posture.ts';
import { joinLogs, joinPrompts, joinResources } from '../mcp/join.ts';
import type { LiveTools } from '../mcp/tool.ts';
import type { Log } from '../shared/log.ts';
import { upstreamLogs } from '../surfaces/upstream/conversation.ts';
import { upstreamPrompts, upstreamResources, upstreamTools } from '../surfaces/upstream/offers.ts';
import { createRounds } from '../surfaces/upstream/rounds.ts';
import { NO_OPERATOR } from '../upstream/nested/operator.ts';
import { VERSION } from '../version.ts';
import type { ServerSurface } from './notebooks.ts';

// As in serve-http.ts: the bundler must see a use of this before all others.
z.config();

/** The parts of an endpoint that are not static tools. */
type Offers = Pick<ServerSurface, 'live' | 'prompts' | 'resources' | 'logs'>;

export interface PlaneTools {
  readonly live: LiveTools;
  /** Adds the capabilities of governed servers to an endpoint's own. */
  beside<Own extends Offers>(own: Own): Own & Offers;
  /** Begins to list the servers' capabilities, so that the first client does not wait for it. */
  start(): void;
  close(): Promise<void>;
}

interface PlaneServices {
  readonly log: Log;
  readonly environment: Environment;
}

const CLIENT = { name: 'quire', version: VERSION };

/** Counts of servers by status and of pending approvals, without starting a server. */
export async function planeFacts(
  config: Config,
  { log, environment }: PlaneServices,
): Promise<Readonly<Record<string, unknown>>> {
  const settings = controlPlaneOf(config);
  if (!settings) return { servers: {}, pendingApprovals: 0 };
  const plane = openPlane({ config: settings, environment, operator: NO_OPERATOR, client: CLIENT, log });
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
  const servers = settings?.servers.filter(({ expose }) => expose) ?? [];
  if (!settings || servers.length === 0) return undefined;
  const plane = openPlane({ config: settings, environment, operator: NO_OPERATOR, client: CLIENT, log });
  const exposed = openExposed(plane);
  const parts = { plane, exposed, rounds: createRounds(plane) };
  const live = upstreamTools(parts);
  const prompts = upstreamPrompts(parts);
  const resources = upstreamResources(parts);
  const logs = upstreamLogs(plane);
  return {
    live,
    beside: (own) => ({
      ...own,
      live,
      prompts: own.prompts ? joinPrompts([own.prompts, prompts]) : prompts,
      resources: own.resources ? joinResources([own.resources, resources]) : resources,
      logs: own.logs ? joinLogs([own.logs, logs]) : logs,
    }),
    start: () => {
      exposed
        .look()
        .catch((error) =>
          log('warn', 'the list of exposed capabilities could not be refreshed', { error: String(error) }),
        );
      // A server that may not be started has no messages.
      for (const { name } of servers) logs.listen(name).catch(() => undefined);
    },
    close: async () => {
      exposed.close();
      await plane.close();
    },
  };
}
