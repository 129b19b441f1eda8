/**
 * `quire mcp servers`: the configured servers and whether they may be used. `quire mcp exposure`: the capabilities that are
 * offered, and the reason for each that is not. No server is started without `--probe`.
 */
import type { UpstreamServer } from '../../config/control-plane.ts';
import { confinementData, confinementText } from '../../governance/confinement-view.ts';
import type { Exposure } from '../../governance/exposure/visibility.ts';
import { V1_GAPS } from '../../governance/manifest.ts';
import type { Plane } from '../../governance/plane.ts';
import { type ExposureProfile, exposureFor, posturesOf } from '../../governance/posture.ts';
import { isConsent } from '../../governance/score.ts';
import type { CatalogEntry } from '../../governance/types.ts';
import { createSemaphore } from '../../shared/async/semaphore.ts';
import type { CapabilityKind } from '../../upstream/definition.ts';
import type { Confinement } from '../../upstream/sandbox/confinement.ts';
import { type Column, tableOf } from '../table.ts';
import { choiceOf, type McpCall, type McpCommand } from './command.ts';
import { failureOf } from './exit.ts';
import { noteConfinement, withPlane } from './plane.ts';

type StandingContext = Pick<Plane, 'verdict' | 'snapshots'>;
type Status = 'ready' | 'connected' | 'disabled' | 'blocked' | 'consent' | 'quarantined' | 'error';

interface RowStatus {
  readonly status: Status;
  readonly code?: string;
  readonly reason?: string;
}

interface ServerRow extends RowStatus {
  readonly server: UpstreamServer;
  readonly sandbox: string;
  readonly confinement: Confinement | undefined;
  readonly caps: Readonly<Partial<Record<CapabilityKind, number>>>;
}

const COLUMNS: readonly Column<ServerRow>[] = [
  { title: 'Name', value: ({ server }) => server.name, min: 12, priority: 9 },
  { title: 'Transport', value: ({ server }) => server.transport, min: 5, priority: 2 },
  { title: 'Enabled', value: ({ server }) => (server.enabled ? 'yes' : 'no'), priority: 3 },
  { title: 'Trust', value: ({ server }) => server.trust, min: 7, priority: 6 },
  { title: 'Consent', value: ({ server }) => server.clientConsent, min: 7, priority: 4 },
  { title: 'Sandbox', value: ({ sandbox }) => sandbox, min: 7, priority: 6 },
  { title: 'Status', value: ({ status }) => status, min: 9, priority: 8 },
  { title: 'Caps', value: ({ caps }) => capsText(caps), min: 7, priority: 5 },
  { title: 'Reason', value: reasonText, min: 16, priority: 7 },
];

const AT_ONCE = 4;

export const servers: McpCommand = {
  name: 'servers',
  summary: 'the configured servers, and why one may not be used',
  options: [{ flag: '--probe', description: 'connect to those that may be used, and ask what they offer' }],
  examples: [
    ['servers', 'all of them; none is started'],
    ['servers --probe', 'start and ask those that may be'],
  ],
  run: (call) =>
    withPlane(call, async (plane) => {
      const slots = createSemaphore(AT_ONCE);
      const rows = await Promise.all(
        plane.config.servers.map((server) => slots(() => rowOf(plane, server, call))),
      );
      for (const { server, confinement } of rows)
        if (server.enabled) noteConfinement(call, server, confinement);
      if (rows.length === 0)
        call.note(
          'No other servers are configured. Find one: quire mcp marketplace. Add it: quire mcp add <name>',
        );
      return {
        data: { servers: rows.map(dataOf) },
        lines: (view) => (rows.length === 0 ? { lines: [] } : tableOf(COLUMNS, rows, view)),
      };
    }),
};

async function rowOf(
  plane: StandingContext & Pick<Plane, 'discover'>,
  server: UpstreamServer,
  call: McpCall,
): Promise<ServerRow> {
  const before = await statusOf(plane, server);
  const isUsable = before.status === 'ready' || before.status === 'quarantined';
  const standing = isUsable && call.options.probe === true ? await probe(plane, server, call) : before;
  const seen = await plane.snapshots.of(server.name);
  const { confinement, manifest } = await plane.verdict(server);
  const old = isUsable && manifest === 'verified_v1' ? oldSignature(server) : {};
  const sandbox = confinementText(server, confinement);
  return { server, ...old, ...standing, sandbox, confinement, caps: capsOf(seen?.entries ?? []) };
}

async function statusOf(plane: StandingContext, server: UpstreamServer): Promise<RowStatus> {
  if (!server.enabled) return { status: 'disabled', code: 'server_disabled', reason: 'Not enabled.' };
  const [first] = (await plane.verdict(server)).rejections;
  if (first) return { status: isConsent(first) ? 'consent' : 'blocked', ...first };
  if (server.trust === 'blocked')
    return { status: 'blocked', code: 'server_blocked', reason: 'Its trust is blocked.' };
  const seen = await plane.snapshots.of(server.name);
  return seen ? statusByDefinitions(seen.entries, server, 'ready') : { status: 'ready' };
}

/** Shown where nothing graver is to be said. */
function oldSignature({ name }: UpstreamServer): Pick<RowStatus, 'code' | 'reason'> {
  return {
    code: 'manifest_v1',
    reason: `It is ${V1_GAPS}. Sign it again: quire mcp manifest ${name} --sign --write`,
  };
}

/** A server that cannot be reached is a row like the others. */
async function probe(
  plane: Pick<Plane, 'discover'>,
  server: UpstreamServer,
  call: McpCall,
): Promise<RowStatus> {
  call.progress(`asking ${server.name}`);
  try {
    const { entries } = await plane.discover(server, { signal: call.signal });
    return statusByDefinitions(entries, server, 'connected');
  } catch (error) {
    call.signal.throwIfAborted();
    const { code, message, hint } = failureOf(error);
    return { status: 'error', code, reason: hint ?? message };
  }
}

function statusByDefinitions(
  entries: readonly CatalogEntry[],
  { name }: UpstreamServer,
  status: 'ready' | 'connected',
): RowStatus {
  const count = (state: CatalogEntry['state']) => entries.filter((entry) => entry.state === state).length;
  const quarantined = count('quarantined');
  const waiting = count('changed') + count('pending');
  const next = `See: quire mcp discover ${name}`;
  if (quarantined > 0)
    return { status: 'quarantined', code: 'quarantined', reason: `${quarantined} quarantined. ${next}` };
  if (waiting === 0) return { status };
  const code = count('changed') > 0 ? 'definition_changed' : 'definition_pending';
  return { status, code, reason: `${waiting} not accepted. ${next}` };
}

/** Counts of the approved capabilities. */
function capsOf(entries: readonly CatalogEntry[]): ServerRow['caps'] {
  const caps: Partial<Record<CapabilityKind, number>> = {};
  for (const { definition, state } of entries)
    if (state === 'approved') caps[definition.kind] = (caps[definition.kind] ?? 0) + 1;
  return caps;
}

function capsText(caps: ServerRow['caps']): string {
  return Object.entries(caps)
    .map(([kind, count]) => `${count} ${kind}${count === 1 ? '' : 's'}`)
    .join(', ');
}

function reasonText({ code, reason }: ServerRow): string {
  if (code === undefined) return '';
  return reason === undefined ? code : `${code}: ${reason}`;
}

function dataOf({ server, status, code, reason, sandbox, confinement, caps }: ServerRow) {
  return {
    name: server.name,
    transport: server.transport,
    enabled: server.enabled,
    trust: server.trust,
    consent: server.clientConsent,
    sandbox: sandbox === '-' ? null : sandbox,
    confinement: confinementData(confinement),
    status,
    caps: {
      tools: caps.tool ?? 0,
      resources: caps.resource ?? 0,
      templates: caps.template ?? 0,
      prompts: caps.prompt ?? 0,
    },
    code: code ?? null,
    reason: reason ?? null,
  };
}

const EXPOSURE_COLUMNS: readonly Column<Exposure>[] = [
  { title: 'Capability', value: ({ name }) => name, min: 20, priority: 7 },
  { title: 'Kind', value: ({ candidate }) => candidate.entry.definition.kind, priority: 2 },
  { title: 'Class', value: ({ candidate }) => candidate.class, min: 9, priority: 3 },
  { title: 'Visible', value: ({ isVisible }) => (isVisible ? 'yes' : 'no'), priority: 5 },
  { title: 'Effect', value: ({ candidate }) => candidate.decision.outcome, priority: 4 },
  { title: 'Score', value: ({ candidate }) => String(candidate.server.score), priority: 1, align: 'right' },
  { title: 'Reason', value: ({ reason }) => reason, min: 12, priority: 6 },
];

export const exposure: McpCommand = {
  name: 'exposure',
  summary: 'which tools, resources and prompts are offered, and why others are not',
  options: [
    {
      flag: '--profile <who>',
      description: 'agent: who calls our own endpoint; local: who calls from here',
      default: 'agent',
      choices: ['agent', 'local'],
    },
    { flag: '--server <name>', description: 'only what this server offers' },
    { flag: '--all', description: 'what is hidden too, with the reason' },
  ],
  examples: [
    ['exposure', 'what agents see'],
    ['exposure --all --server memory', 'all that one server offers, and why some of it is hidden'],
    ['exposure --profile local', 'what may be called from here'],
  ],
  run: (call) =>
    withPlane(call, async (plane) => {
      const profile = choiceOf<ExposureProfile>('profile', call.options.profile, {
        choices: ['agent', 'local'],
        hint: 'Use --profile agent or --profile local.',
      });
      const named = call.options.server;
      const server = typeof named === 'string' ? plane.server(named).name : undefined;
      const postures = await posturesOf(plane);
      // The budget is for all servers, so it is computed before the filter.
      const all = exposureFor(plane, postures, profile).filter(
        ({ candidate }) => server === undefined || candidate.entry.server === server,
      );
      const visible = all.filter(({ isVisible }) => isVisible);
      const shown = call.options.all === true ? all : visible;
      for (const { server: one, seenAt } of postures)
        if (seenAt === undefined && one.enabled && (server === undefined || one.name === server))
          call.note(
            `${one.name} was never asked what it offers. Run: ${call.program} mcp discover ${one.name}`,
          );
      return {
        data: {
          profile,
          visible: visible.length,
          hidden: all.length - visible.length,
          capabilities: shown.map(exposureDataOf),
        },
        lines: (view) => {
          const { lines, hidden } = tableOf(EXPOSURE_COLUMNS, shown, view);
          const more =
            call.options.all === true || all.length === visible.length ? '' : ' (--all shows them)';
          const footer = `profile: ${profile}, visible: ${visible.length}, hidden: ${all.length - visible.length}${more}`;
          return { lines: [...(shown.length > 0 ? lines : []), footer], hidden };
        },
      };
    }),
};

function exposureDataOf({ name, candidate, isVisible, reason, needsApproval }: Exposure) {
  const { entry, decision, server } = candidate;
  return {
    capability: name,
    server: entry.server,
    kind: entry.definition.kind,
    class: candidate.class,
    visible: isVisible,
    effect: decision.outcome,
    needs_approval: needsApproval,
    score: server.score,
    reason,
  };
}
