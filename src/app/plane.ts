/** Composes the governed plane: from the configuration to tools, prompts and resources that come and go. */
import * as z from 'zod';
import { controlPlaneOf, exposesServers } from '../config/control-plane.ts';
import type { Environment } from '../config/plane-file.ts';
import type { Config } from '../config/schema.ts';
import { type ConsolePage, linkTo } from '../console/page.ts';
import { APPROVAL_PATH } from '../console/pages/plane/source.ts';
import { type ExposedCapabilities, openExposed } from '../governance/exposure/list.ts';
import { openPlane, type Plane } from '../governance/plane.ts';
import type { PlaneState } from '../governance/plane-state.ts';
import { posturesOf } from '../governance/posture.ts';
import { joinLogs, joinPrompts, joinResources } from '../mcp/join.ts';
import type { LiveTools } from '../mcp/tool.ts';
import type { Log } from '../shared/log.ts';
import { upstreamLogs } from '../surfaces/upstream/conversation.ts';
import { searchedTools } from '../surfaces/upstream/find-tools.ts';
import { upstreamPrompts, upstreamResources, upstreamTools } from '../surfaces/upstream/offers.ts';
import { createRounds } from '../surfaces/upstream/rounds.ts';
import { NO_OPERATOR } from '../upstream/nested/operator.ts';
import { VERSION } from '../version.ts';
import { serverPages } from './console/servers.ts';
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
  /** What replicas share; closed with the plane. */
  readonly shared?: PlaneState;
  /** Authenticates the rounds of a call that may go on at another server. */
  readonly roundsKey?: Uint8Array;
}

const CLIENT = { name: 'quire', version: VERSION };

/** Counts of servers by status and of pending approvals, without starting a server. */
export async function planeFacts(
  config: Config,
  { log, environment, shared }: PlaneServices,
): Promise<Readonly<Record<string, unknown>>> {
  const settings = controlPlaneOf(config);
  if (!settings) return { servers: {}, pendingApprovals: 0 };
  const plane = openPlane({
    config: settings,
    environment,
    operator: NO_OPERATOR,
    client: CLIENT,
    log,
    shared,
  });
  try {
    const servers: Record<string, number> = {};
    for (const { status } of await posturesOf(plane)) servers[status] = (servers[status] ?? 0) + 1;
    return { servers, pendingApprovals: (await plane.approvals.list({ state: 'pending' })).length };
  } finally {
    await plane.close();
  }
}

/** The governed plane of a server that people can see into. */
export interface GovernedPlane {
  /** Undefined where no server is exposed. */
  readonly tools: PlaneTools | undefined;
  /** The pages of a console at this address; refusals name them from now on. */
  pagesAt(origin: string): readonly ConsolePage[];
  /** For the metrics. */
  readonly counts: Plane['counts'];
  close(): Promise<void>;
}

export function openGovernedPlane(
  config: Config,
  { log, environment, shared, roundsKey }: PlaneServices,
): GovernedPlane | undefined {
  const settings = controlPlaneOf(config);
  if (!settings) return undefined;
  let consoleAt: string | undefined;
  const plane = openPlane({
    config: settings,
    environment,
    operator: NO_OPERATOR,
    client: CLIENT,
    log,
    shared,
    approvalUrl: (id) => consoleAt && `${consoleAt}${linkTo(APPROVAL_PATH, { id })}`,
  });
  const exposed = settings.servers.some(({ expose }) => expose) ? openExposed(plane) : undefined;
  const tools = exposed && planeTools(plane, exposed, roundsKey);
  return {
    tools,
    pagesAt: (origin) => {
      consoleAt = origin;
      return serverPages({
        plane,
        failureOf: (server) => exposed?.failureOf(server),
        refresh: () => exposed?.stale(),
      });
    },
    counts: plane.counts,
    close: () => tools?.close() ?? plane.close(),
  };
}

/** Undefined where no server is exposed. */
export function openPlaneTools(config: Config, services: PlaneServices): PlaneTools | undefined {
  return exposesServers(config) ? openGovernedPlane(config, services)?.tools : undefined;
}

/** Once, at the start: what runs without a sandbox, or does not run for want of one. */
async function sayBare({ config, verdict, log }: Plane): Promise<void> {
  for (const server of config.servers.filter(({ expose, enabled }) => expose && enabled)) {
    const { confinement, rejections } = await verdict(server);
    for (const warning of confinement?.warnings ?? []) log('warn', warning, { server: server.name });
    for (const { code, reason } of rejections) log('warn', reason, { server: server.name, code });
  }
}

function planeTools(plane: Plane, exposed: ExposedCapabilities, roundsKey?: Uint8Array): PlaneTools {
  const { log } = plane;
  const parts = { plane, exposed, rounds: createRounds(plane, roundsKey) };
  const all = upstreamTools(parts);
  const live = plane.config.tools.mode === 'search' ? searchedTools(all, exposed) : all;
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
      sayBare(plane).catch((error) =>
        log('warn', 'the servers could not be judged', { error: String(error) }),
      );
      // A server that may not be started has no messages.
      for (const { name, expose } of plane.config.servers)
        if (expose) logs.listen(name).catch(() => undefined);
    },
    close: async () => {
      exposed.close();
      await plane.close();
    },
  };
}
