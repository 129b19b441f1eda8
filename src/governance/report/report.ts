/** The report of a period: calls, refusals and approvals, and the posture at its end. */
import type { ControlPlane } from '../../config/control-plane.ts';
import { type Approval, at } from '../approvals/approval.ts';
import { changesBetween } from '../catalog/compare.ts';
import { keyOf } from '../catalog/pins.ts';
import { digestOf } from '../digest.ts';
import type { Exposure } from '../exposure/visibility.ts';
import { V1_GAPS } from '../manifest.ts';
import type { Plane } from '../plane.ts';
import { ruleName } from '../policy/decide.ts';
import { exposureFor, type Posture, type PostureContext, posturesOf } from '../posture.ts';
import { percentile } from '../usage.ts';
import { tallyOf } from './tally.ts';

/** Recommended actions, the most severe first. Each names a command. */
interface RecommendedAction {
  readonly severity: 'high' | 'medium' | 'low';
  readonly action: string;
  readonly command: string;
}

interface ActionFacts {
  readonly postures: readonly Posture[];
  readonly changes: readonly ChangeRow[];
  readonly approvals: ReturnType<typeof approvalCounts>;
  readonly unusedRules: number;
}

const MAX_ACTIONS = 10;
const ORDER: readonly RecommendedAction['severity'][] = ['high', 'medium', 'low'];

function actionsFor({ postures, changes, approvals, unusedRules }: ActionFacts): RecommendedAction[] {
  const actions = [
    ...postures.flatMap(forServer),
    ...[...new Set(changes.map(({ server }) => server))].map((server) => forChanges(server, changes)),
    ...(approvals.pending > 0 ? [answerThem(approvals.pending)] : []),
    ...(unusedRules > 0
      ? [action('low', `${unusedRules} rules decided nothing`, 'quire mcp exposure --all')]
      : []),
  ];
  return actions.sort((a, b) => ORDER.indexOf(a.severity) - ORDER.indexOf(b.severity)).slice(0, MAX_ACTIONS);
}

function forServer({ server, status, entries, manifest, seenAt, score }: Posture): RecommendedAction[] {
  const { name } = server;
  if (status === 'disabled') return [];
  if (status === 'blocked') return [action('medium', `${name} is blocked`, `quire mcp doctor ${name}`)];
  if (status === 'consent')
    return [action('low', `The use of ${name} has not been approved`, `quire mcp consent give ${name}`)];
  const isQuarantined = entries.some(({ state }) => state === 'quarantined');
  return [
    ...(isQuarantined
      ? [action('high', `${name} offers quarantined definitions`, `quire mcp discover ${name} --full`)]
      : []),
    ...(seenAt === undefined
      ? [action('low', `${name} was never asked what it offers`, `quire mcp discover ${name}`)]
      : []),
    ...(manifest === 'unverified'
      ? [action('low', `The manifest of ${name} has no verified signature`, `quire mcp manifest ${name}`)]
      : []),
    ...(manifest === 'verified_v1'
      ? [action('low', `${name} is ${V1_GAPS}`, `quire mcp manifest ${name} --sign --write`)]
      : []),
    ...(score.score < 50
      ? [action('medium', `${name} scores ${score.score}`, `quire mcp score ${name} --explain`)]
      : []),
  ];
}

function answerThem(pending: number): RecommendedAction {
  const command = 'quire mcp approvals list --state pending';
  return action('medium', `${pending} approvals wait for an answer`, command);
}

function forChanges(server: string, changes: readonly ChangeRow[]): RecommendedAction {
  const own = changes.filter((one) => one.server === server);
  const isChanged = own.some(({ change }) => change === 'changed');
  return action(
    isChanged ? 'high' : 'medium',
    `${own.length} definitions of ${server} are not those that were accepted`,
    `quire mcp discover ${server} --full`,
  );
}

function action(severity: RecommendedAction['severity'], text: string, command: string): RecommendedAction {
  return { severity, action: text, command };
}

export interface ChangeRow {
  readonly server: string;
  readonly kind: string;
  readonly name: string;
  readonly change: 'new' | 'changed' | 'removed';
  readonly old_fingerprint: string | null;
  readonly new_fingerprint: string | null;
  readonly diff: readonly string[];
}

const MAX_ROWS = 100;
const MAX_REASONS = 10;

/** The keys are those of the JSON form. */
export type Report = Awaited<ReturnType<typeof gatherReport>>;

export async function gatherReport(plane: PostureContext & Pick<Plane, 'approvals'>, since: number) {
  const { config } = plane;
  const rules = config.policy.map(({ effect }, index) => ({ rule: ruleName(index), effect }));
  const postures = await posturesOf(plane);
  const [tally, requested] = await Promise.all([
    tallyOf(
      plane.audit.read({ since }),
      rules.map(({ rule }) => rule),
    ),
    plane.approvals.list(),
  ]);
  const until = plane.now();
  const changes = postures.flatMap(changesOf);
  const approvals = approvalCounts(requested, since, until);
  const unused = rules.filter(({ rule }) => !tally.usedRules.has(rule));
  return {
    period: { since: new Date(since).toISOString(), until: new Date(until).toISOString() },
    config_digest: `sha256:${configDigest(config)}`,
    posture: postures.map(postureLine),
    blocked_servers: postures
      .filter(({ status }) => status === 'blocked')
      .map(({ server, rejections }) => ({
        server: server.name,
        codes: rejections.length > 0 ? rejections.map(({ code }) => code) : ['server_blocked'],
      })),
    definition_changes: changes.slice(0, MAX_ROWS),
    approvals,
    calls: tally.calls,
    deny_reasons: tally.denials.slice(0, MAX_REASONS).map(([code, count]) => ({ code, count })),
    rules_without_hits: unused,
    nested_requests: tally.nested,
    messages_left_out: tally.load,
    questions: tally.asked,
    findings: findingCounts(postures),
    result_findings: tally.results,
    exposure: exposureCounts(exposureFor(plane, postures, 'agent')),
    compiled_resources: tally.compiled,
    recommended_actions: actionsFor({ postures, changes, approvals, unusedRules: unused.length }),
  };
}

/** Digest of the rules and servers as they are written; it reveals no secret. */
function configDigest({ configFolder: _, configFile: ___, stateDir: __, ...config }: ControlPlane): string {
  return digestOf(JSON.parse(JSON.stringify(config)));
}

function postureLine({ server, status, score }: Posture) {
  return { server: server.name, status, trust: server.trust, grade: score.grade, score: score.score };
}

/** The definitions that differ from the accepted ones. */
export function changesOf({ server, entries, pins = { pins: {} }, seenAt }: Posture): ChangeRow[] {
  if (seenAt === undefined) return [];
  const approved = new Set(
    entries.filter(({ state }) => state === 'approved').map(({ definition }) => keyOf(definition)),
  );
  return changesBetween(pins, entries)
    .filter((one) => one.change === 'removed' || !approved.has(keyOf(one)))
    .map(({ change, kind, name, before = null, now = null, diff }) => ({
      server: server.name,
      kind,
      name,
      change,
      old_fingerprint: before,
      new_fingerprint: now,
      diff,
    }));
}

function approvalCounts(approvals: readonly Approval[], since: number, until: number) {
  const own = approvals.filter(({ createdAt }) => createdAt >= since).map((approval) => at(until, approval));
  const decided = own.filter(({ decidedAt }) => decidedAt !== undefined);
  const isDenied = ({ state }: Approval) => state === 'denied';
  const waits = decided.map(({ createdAt, decidedAt }) => ((decidedAt ?? createdAt) - createdAt) / 1000);
  return {
    requested: own.length,
    approved: decided.filter((one) => !isDenied(one)).length,
    denied: own.filter(isDenied).length,
    expired: own.filter(({ state, decidedAt }) => state === 'expired' && decidedAt === undefined).length,
    pending: own.filter(({ state }) => state === 'pending').length,
    median_wait_s: waits.length === 0 ? null : percentile(waits, 0.5),
  };
}

function findingCounts(postures: readonly Posture[]) {
  const counts = new Map<string, { code: string; severity: string; count: number }>();
  for (const { code, severity } of postures
    .flatMap(({ entries }) => entries)
    .flatMap(({ findings }) => findings)) {
    const known = counts.get(`${severity} ${code}`) ?? { code, severity, count: 0 };
    counts.set(`${severity} ${code}`, { ...known, count: known.count + 1 });
  }
  return [...counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function exposureCounts(exposures: readonly Exposure[]) {
  const reasons: Record<string, number> = {};
  for (const { isVisible, reason } of exposures) if (!isVisible) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const visible = exposures.filter(({ isVisible }) => isVisible).length;
  return { visible, hidden: exposures.length - visible, reasons };
}
