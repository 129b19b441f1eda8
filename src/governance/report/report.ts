/** The report of a period: calls, refusals and approvals, and the posture at its end. */
import type { ControlPlane } from '../../config/control-plane.ts';
import { type Approval, at } from '../approvals/approval.ts';
import { changesBetween } from '../catalog/compare.ts';
import { keyOf } from '../catalog/pins.ts';
import { digestOf } from '../digest.ts';
import type { Exposure } from '../exposure/visibility.ts';
import type { Plane } from '../plane.ts';
import { ruleName } from '../policy/decide.ts';
import { exposureFor, type Posture, type PostureContext, posturesOf } from '../posture.ts';
import { percentile } from '../usage.ts';
import { CALL_OUTCOMES, type NestedQuestion, type NestedTally, type Tally, tallyOf } from './tally.ts';

/** Recommended actions, the most severe first. Each names a command. */
export interface RecommendedAction {
  readonly severity: 'high' | 'medium' | 'low';
  readonly action: string;
  readonly command: string;
}

interface ActionFacts {
  readonly postures: readonly Posture[];
  readonly changes: readonly ChangeRow[];
  readonly approvals: ApprovalCounts;
  readonly unusedRules: number;
}

const MAX_ACTIONS = 10;
const ORDER: readonly RecommendedAction['severity'][] = ['high', 'medium', 'low'];

export function actionsFor({ postures, changes, approvals, unusedRules }: ActionFacts): RecommendedAction[] {
  const actions = [
    ...postures.flatMap(forServer),
    ...[...new Set(changes.map(({ server }) => server))].map((server) => forChanges(server, changes)),
    ...(approvals.pending > 0
      ? [
          action(
            'medium',
            `${approvals.pending} approvals wait for an answer`,
            'quire mcp approvals list --state pending',
          ),
        ]
      : []),
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
    return [action('low', `The use of ${name} has not been approved`, `quire mcp doctor ${name}`)];
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
    ...(score.score < 50
      ? [action('medium', `${name} scores ${score.score}`, `quire mcp score ${name} --explain`)]
      : []),
  ];
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

/** The keys are those of the JSON form. */
export interface Report {
  readonly period: { readonly since: string; readonly until: string };
  readonly config_digest: string;
  readonly posture: readonly PostureLine[];
  readonly blocked_servers: readonly { readonly server: string; readonly codes: readonly string[] }[];
  readonly definition_changes: readonly ChangeRow[];
  readonly approvals: ApprovalCounts;
  readonly calls: readonly Readonly<Record<string, string | number>>[];
  readonly deny_reasons: readonly { readonly code: string; readonly count: number }[];
  readonly rules_without_hits: readonly { readonly rule: string; readonly effect: string }[];
  readonly nested_requests: NestedTally;
  readonly questions: readonly NestedQuestion[];
  readonly findings: readonly { readonly code: string; readonly severity: string; readonly count: number }[];
  readonly exposure: ExposureCounts;
  readonly compiled_resources: readonly Readonly<Record<string, string>>[];
  readonly recommended_actions: readonly RecommendedAction[];
}

interface PostureLine {
  readonly server: string;
  readonly status: string;
  readonly trust: string;
  readonly grade: string;
  readonly score: number;
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

export interface ApprovalCounts {
  readonly requested: number;
  readonly approved: number;
  readonly denied: number;
  readonly expired: number;
  readonly pending: number;
  readonly median_wait_s: number | null;
}

interface ExposureCounts {
  readonly visible: number;
  readonly hidden: number;
  readonly reasons: Readonly<Record<string, number>>;
}

const MAX_ROWS = 100;
const MAX_REASONS = 10;

export async function gatherReport(
  plane: PostureContext & Pick<Plane, 'approvals'>,
  since: number,
): Promise<Report> {
  const postures = await posturesOf(plane);
  const [tally, approvals] = await Promise.all([
    tallyOf(
      plane.audit.read({ since }),
      plane.config.policy.map((_, index) => ruleName(index)),
    ),
    plane.approvals.list(),
  ]);
  const exposures = exposureFor(plane, postures, 'agent');
  return reportOf({ config: plane.config, postures, tally, approvals, exposures, since, until: plane.now() });
}

interface ReportFacts {
  readonly config: ControlPlane;
  readonly postures: readonly Posture[];
  readonly tally: Tally;
  readonly approvals: readonly Approval[];
  readonly exposures: readonly Exposure[];
  readonly since: number;
  readonly until: number;
}

function reportOf(facts: ReportFacts): Report {
  const { config, postures, tally, since, until } = facts;
  const changes = postures.flatMap(changesOf);
  const approvals = approvalCounts(facts);
  const blocked = postures
    .filter(({ status }) => status === 'blocked')
    .map(({ server, rejections }) => ({
      server: server.name,
      codes: rejections.length > 0 ? rejections.map(({ code }) => code) : ['server_blocked'],
    }));
  const unused = config.policy
    .map(({ effect }, index) => ({ rule: ruleName(index), effect }))
    .filter(({ rule }) => !tally.usedRules.has(rule));
  return {
    period: { since: new Date(since).toISOString(), until: new Date(until).toISOString() },
    config_digest: `sha256:${configDigest(config)}`,
    posture: postures.map(postureLine),
    blocked_servers: blocked,
    definition_changes: changes.slice(0, MAX_ROWS),
    approvals,
    calls: [...tally.calls].map(([server, { counts, p50Ms, p95Ms }]) => ({
      server,
      ...Object.fromEntries(CALL_OUTCOMES.map((outcome) => [outcome, counts[outcome]])),
      p50_ms: p50Ms,
      p95_ms: p95Ms,
    })),
    deny_reasons: tally.denials.slice(0, MAX_REASONS).map(([code, count]) => ({ code, count })),
    rules_without_hits: unused,
    nested_requests: tally.nested,
    questions: tally.asked,
    findings: findingCounts(postures),
    exposure: exposureCounts(facts.exposures),
    compiled_resources: tally.compiled.map((one) => ({ ...one })),
    recommended_actions: actionsFor({ postures, changes, approvals, unusedRules: unused.length }),
  };
}

/** Digest of the rules and servers as they are written; it reveals no secret. */
function configDigest({ configFolder: _, stateDir: __, ...config }: ControlPlane): string {
  return digestOf(JSON.parse(JSON.stringify(config)));
}

function postureLine({ server, status, score }: Posture): PostureLine {
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

function approvalCounts({ approvals, since, until }: ReportFacts): ApprovalCounts {
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

function findingCounts(postures: readonly Posture[]): Report['findings'] {
  const counts = new Map<string, { code: string; severity: string; count: number }>();
  for (const { code, severity } of postures
    .flatMap(({ entries }) => entries)
    .flatMap(({ findings }) => findings)) {
    const known = counts.get(`${severity} ${code}`) ?? { code, severity, count: 0 };
    counts.set(`${severity} ${code}`, { ...known, count: known.count + 1 });
  }
  return [...counts.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, one]) => one);
}

function exposureCounts(exposures: readonly Exposure[]): ExposureCounts {
  const reasons: Record<string, number> = {};
  for (const { isVisible, reason } of exposures) if (!isVisible) reasons[reason] = (reasons[reason] ?? 0) + 1;
  const visible = exposures.filter(({ isVisible }) => isVisible).length;
  return { visible, hidden: exposures.length - visible, reasons };
}
