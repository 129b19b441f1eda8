/** The score of a server: how far it can be relied on, from 0 to 100, with a reason for every point. */
import type { UpstreamServer } from '../config/control-plane.ts';
import type { Rejection } from '../upstream/definition.ts';
import { type Confinement, isConfined } from '../upstream/sandbox/confinement.ts';
import { type ManifestState, V1_GAPS } from './manifest.ts';
import { isUrlRejection } from './safety/judge.ts';
import type { CatalogEntry, Consent, PinState, Transport, Trust } from './types.ts';
import { NO_USAGE, type Usage } from './usage.ts';

export interface ScoreFacts {
  readonly transport: Transport;
  readonly trust: Trust;
  readonly consent: Consent;
  /** Only for stdio. */
  readonly manifest: 'verified' | 'verified_v1' | 'unverified' | 'absent';
  /** Only for stdio. */
  readonly sandbox: 'enforced' | 'process' | 'none';
  /** Only for HTTP: https, or loopback. */
  readonly isProtected: boolean;
  /** A check other than consent rejects it. */
  readonly isBlocked: boolean;
  readonly definitions: readonly PinState[];
  readonly usage: Usage;
  readonly hardFindings: number;
  readonly softFindings: number;
}

type Grade = 'A' | 'B' | 'C' | 'D' | 'F';

interface Score {
  readonly score: number;
  readonly grade: Grade;
  readonly posture: number;
  readonly reliability: number;
  readonly safety: number;
  readonly confidence: 'low' | 'medium' | 'high';
  /** The reason of an upper limit, where there is one. */
  readonly cap?: string;
  /** A line for each point. */
  readonly explain: readonly string[];
}

type Points = readonly (readonly [points: number, reason: string])[];

const TRUST_POINTS: Readonly<Record<Trust, number>> = {
  trusted: 40,
  reviewed: 30,
  untrusted: 10,
  blocked: 0,
};
const MANIFEST_POINTS = { verified: 20, verified_v1: 12, unverified: 8, absent: 0 } as const;
const SANDBOX_POINTS = { enforced: 20, process: 8, none: 0 } as const;
const HTTP_SANDBOX_POINTS = 12;
const CHANGED_CAP = 49;
/** Grade C: what is not signed may be anything. */
const V1_CAP = 69;
const NO_CALLS = 60;
const GRADES: readonly (readonly [Grade, number])[] = [
  ['A', 85],
  ['B', 70],
  ['C', 50],
  ['D', 30],
];

export function score(facts: ScoreFacts): Score {
  const points = posturePoints(facts);
  const posture = points.reduce((sum, [one]) => sum + one, 0);
  const reliability = reliabilityOf(facts.usage);
  const safety = safetyOf(facts);
  const uncapped = Math.round(0.4 * posture + 0.35 * reliability + 0.25 * safety);
  const cap = capOf(facts);
  const result = Math.min(uncapped, cap?.max ?? 100);
  return {
    score: result,
    grade: gradeOf(result),
    posture,
    reliability,
    safety,
    confidence: confidenceOf(facts.usage.calls),
    cap: cap?.reason,
    explain: explain(facts, { points, posture, reliability, safety, uncapped, cap }),
  };
}

function posturePoints({ transport, trust, consent, definitions, ...facts }: ScoreFacts): Points {
  const isHttp = transport === 'streamable_http';
  const isAllApproved = definitions.length > 0 && definitions.every((state) => state === 'approved');
  return [
    [TRUST_POINTS[trust], `trust ${trust}`],
    isHttp
      ? [facts.isProtected ? 20 : 0, facts.isProtected ? 'https or this machine' : 'not encrypted']
      : [MANIFEST_POINTS[facts.manifest], `manifest ${facts.manifest}`],
    isHttp
      ? [HTTP_SANDBOX_POINTS, 'runs elsewhere']
      : [SANDBOX_POINTS[facts.sandbox], `sandbox ${facts.sandbox}`],
    [consent === 'approved' ? 10 : 0, `consent ${consent}`],
    [isAllApproved ? 10 : 0, isAllApproved ? 'all definitions approved' : 'definitions not all approved'],
  ];
}

function reliabilityOf({ calls, ok, toolErrors, p95Ms }: Usage): number {
  if (calls === 0) return NO_CALLS;
  const success = (ok + 0.5 * toolErrors + 1) / (calls + 2);
  return 100 * success * clamp(1 - (p95Ms - 2_000) / 16_000, 0.5, 1);
}

function safetyOf({ hardFindings, softFindings }: ScoreFacts): number {
  const hard = Math.min(80, 25 * Math.log2(1 + hardFindings));
  const soft = Math.min(25, 6 * Math.log2(1 + softFindings));
  return 100 - Math.min(100, hard + soft);
}

interface Cap {
  readonly max: number;
  readonly reason: string;
}

function capOf({ isBlocked, trust, consent, definitions, manifest }: ScoreFacts): Cap | undefined {
  if (isBlocked || trust === 'blocked') return { max: 0, reason: 'blocked' };
  if (consent === 'denied') return { max: 0, reason: 'consent denied' };
  const bad = definitions.find((state) => state === 'quarantined' || state === 'changed');
  if (bad) return { max: CHANGED_CAP, reason: `a definition is ${bad}` };
  return manifest === 'verified_v1'
    ? { max: V1_CAP, reason: `${V1_GAPS}; sign it again with quire mcp manifest` }
    : undefined;
}

function gradeOf(result: number): Grade {
  return GRADES.find(([, least]) => result >= least)?.[0] ?? 'F';
}

function confidenceOf(calls: number): Score['confidence'] {
  if (calls < 5) return 'low';
  return calls < 20 ? 'medium' : 'high';
}

interface ScoreParts extends Pick<Score, 'posture' | 'reliability' | 'safety'> {
  readonly points: Points;
  readonly uncapped: number;
  readonly cap: Cap | undefined;
}

function explain({ usage, hardFindings, softFindings }: ScoreFacts, parts: ScoreParts): string[] {
  const { points, posture, reliability, safety, uncapped, cap } = parts;
  const went =
    usage.calls === 0
      ? 'no calls yet'
      : `${usage.ok} of ${usage.calls} calls ok, ${usage.toolErrors} tool errors, p95 ${usage.p95Ms} ms`;
  return [
    ...points.map(([one, reason]) => `posture +${one}: ${reason}`),
    `posture ${posture} x 0.40`,
    `reliability ${reliability.toFixed(1)} x 0.35: ${went}`,
    `safety ${safety.toFixed(1)} x 0.25: ${hardFindings} hard findings, ${softFindings} soft ones`,
    `score ${uncapped}`,
    ...(cap && uncapped > cap.max ? [`at most ${cap.max}: ${cap.reason}`] : []),
  ];
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

interface StandingFacts {
  /** Why the server may not be started or reached; empty when it may. */
  readonly rejections: readonly Rejection[];
  readonly manifest: ManifestState;
  readonly entries: readonly CatalogEntry[];
  readonly usage?: Usage | undefined;
  readonly confinement?: Confinement | undefined;
}

export interface ServerStanding {
  readonly sandbox: ScoreFacts['sandbox'];
  readonly score: Score;
}

export function standingOf(server: UpstreamServer, known: StandingFacts): ServerStanding {
  const sandbox = sandboxOf(known.confinement);
  return { sandbox, score: score(factsOf(server, known, sandbox)) };
}

export function isConsent({ code }: Rejection): boolean {
  return code === 'consent_required' || code === 'consent_denied';
}

function sandboxOf(confinement: Confinement | undefined): ScoreFacts['sandbox'] {
  if (!confinement || confinement.profile === 'none') return 'none';
  return isConfined(confinement) ? 'enforced' : 'process';
}

function isSigned(state: ManifestState): state is 'verified' | 'verified_v1' | 'unverified' {
  return state === 'verified' || state === 'verified_v1' || state === 'unverified';
}

function factsOf(
  server: UpstreamServer,
  { rejections, manifest, entries, usage = NO_USAGE }: StandingFacts,
  sandbox: ScoreFacts['sandbox'],
): ScoreFacts {
  const findings = entries.flatMap((entry) => entry.findings);
  const hard = findings.filter(({ severity }) => severity === 'hard').length;
  return {
    transport: server.transport,
    trust: server.trust,
    consent: server.clientConsent,
    manifest: isSigned(manifest) ? manifest : 'absent',
    sandbox,
    isProtected: !rejections.some(isUrlRejection),
    isBlocked: rejections.some((one) => !isConsent(one)),
    definitions: entries.map(({ state }) => state),
    usage,
    hardFindings: hard,
    softFindings: findings.length - hard,
  };
}
