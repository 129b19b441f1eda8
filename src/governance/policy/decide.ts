/**
 * The policy decision for lists, searches and calls: a pure function. Its steps run in a fixed order and the first denial
 * wins; no rule or approval can override an earlier step.
 */
import type { ControlPlane, PolicyRule, UpstreamServer } from '../../config/control-plane.ts';
import type { PolicyReason } from '../../shared/errors.ts';
import { matchesGlob } from '../../shared/glob.ts';
import type { Rejection } from '../../upstream/definition.ts';
import { digestOf } from '../digest.ts';
import {
  type ActionClass,
  type CatalogEntry,
  type Decision,
  type Outcome,
  type PermissionMode,
  type PinState,
  STRICTEST_FIRST,
  type Trust,
} from '../types.ts';
import { classify } from './classify.ts';
import { globSpellings, readingsOf, type UriReadings } from './uri.ts';

/** The default decision where no rule matches: by permission mode, class and trust. */
type ByTrust = Readonly<Record<Exclude<Trust, 'blocked'>, Outcome>>;
type Matrix = Readonly<Record<PermissionMode, Readonly<Record<ActionClass, ByTrust>>>>;

const never: ByTrust = { untrusted: 'deny', reviewed: 'deny', trusted: 'deny' };
const reading: ByTrust = { untrusted: 'ask', reviewed: 'allow', trusted: 'allow' };
const writing: ByTrust = { untrusted: 'ask', reviewed: 'ask', trusted: 'allow' };
const destroying: ByTrust = { untrusted: 'deny', reviewed: 'ask', trusted: 'ask' };

const DEFAULT_MATRIX: Matrix = {
  'read-only': { read_only: reading, local_write: never, external: never, destructive: never },
  ask: {
    read_only: reading,
    local_write: writing,
    external: { untrusted: 'ask', reviewed: 'ask', trusted: 'ask' },
    destructive: destroying,
  },
  auto: {
    read_only: reading,
    local_write: writing,
    external: { untrusted: 'ask', reviewed: 'ask', trusted: 'allow' },
    destructive: destroying,
  },
};

/**
 * What the rules of `mcp_policy` match. The strictest rule that matches decides. Globs match the whole name; `deny` and
 * `ask` ignore case and Unicode compatibility forms (NFKC), `allow` does not: a name that only resembles the one in a rule
 * is restricted. A URI is restricted by what any server may read it as, and let through only by all of its readings.
 */
interface PolicySubject {
  readonly server: string;
  readonly capability: UriReadings;
  readonly actionClass: ActionClass;
}

function strictestRule(rules: readonly PolicyRule[], subject: PolicySubject) {
  const hits = rules.map((rule, index) => ({ rule, index })).filter(({ rule }) => isFor(rule, subject));
  return STRICTEST_FIRST.map((effect) => hits.find(({ rule }) => rule.effect === effect)).find(Boolean);
}

function isFor({ effect, servers, capabilities, classes }: PolicyRule, subject: PolicySubject): boolean {
  const fits = effect === 'allow' ? isLetThrough : isHeldBack;
  return (
    (servers?.some((glob) => matchesGlob(glob, subject.server)) ?? true) &&
    (capabilities === undefined || fits(capabilities, subject.capability)) &&
    (classes?.includes(subject.actionClass) ?? true)
  );
}

function isHeldBack(globs: readonly string[], { strict, loose }: UriReadings): boolean {
  return globs
    .flatMap(globSpellings)
    .some((glob) => [...strict, ...loose].some((name) => matchesGlob(glob, name, { ignoreCase: true })));
}

function isLetThrough(globs: readonly string[], { strict }: UriReadings): boolean {
  const spelled = strict.length === 1 ? globs : globs.flatMap(globSpellings);
  return strict.every((name) => spelled.some((glob) => matchesGlob(glob, name)));
}

/** What a rule is matched with: of a resource all that its URI may mean, of anything else its name. */
function readingsOfEntry({ definition: { kind, name } }: CatalogEntry): UriReadings {
  return kind === 'resource' ? readingsOf(name) : { strict: [name], loose: [] };
}

/** `deny_tools` and `allow_tools` of the server; a denied name stays denied. */
function isAllowedByName(
  { allowTools, denyTools }: Pick<UpstreamServer, 'allowTools' | 'denyTools'>,
  name: UriReadings,
): boolean {
  return !isHeldBack(denyTools, name) && isLetThrough(allowTools, name);
}

type Policy = Pick<ControlPlane, 'permissionMode' | 'policy'>;

export interface PolicyQuery {
  /** Undefined when no server has the name. */
  readonly server: UpstreamServer | undefined;
  /** Undefined when the server offers nothing of the name. */
  readonly entry: CatalogEntry | undefined;
  /** From `judgeServer`. */
  readonly rejections: readonly Rejection[];
  /** For a call: the problem of its arguments. Lists and searches leave it out. */
  readonly argumentProblem?: () => string | undefined;
  /** For a call: the limit it would break. Evaluated last, because it reads the audit log. */
  readonly limitProblem?: () => string | undefined;
  /** The id of a live approval for exactly this call. */
  readonly approval?: string;
}

export function decide(question: PolicyQuery, policy: Policy): Decision {
  const { server, entry } = question;
  if (!server || !entry || entry.server !== server.name)
    return deny('unknown_capability', 'catalog', 'There is no such capability.');
  return (
    aboutServer(server, question.rejections) ??
    aboutDefinition(server, entry) ??
    aboutCall(question) ??
    byPolicy(server, entry, question, policy)
  );
}

function aboutServer(server: UpstreamServer, rejections: readonly Rejection[]): Decision | undefined {
  if (!server.enabled) return deny('server_disabled', 'server', 'The server is not enabled.');
  const [first] = rejections;
  if (first) return deny(first.code, 'safety', first.reason);
  if (server.clientConsent === 'denied')
    return deny('consent_denied', 'consent', 'The use of this server was denied.');
  if (server.clientConsent !== 'approved')
    return deny('consent_required', 'consent', 'The use of this server has not been approved.');
  if (server.trust === 'blocked') return deny('server_blocked', 'trust', 'The server is blocked.');
  return undefined;
}

const UNUSABLE: Readonly<Record<Exclude<PinState, 'approved'>, Decision>> = {
  pending: deny('definition_pending', 'definition', 'This definition has not been reviewed yet.'),
  changed: deny('definition_changed', 'definition', 'The definition has changed since it was approved.'),
  quarantined: deny(
    'quarantined',
    'definition',
    'The definition is quarantined: it holds hidden or misleading text.',
  ),
};
export const CHANGED = UNUSABLE.changed;

function aboutDefinition(server: UpstreamServer, entry: CatalogEntry): Decision | undefined {
  if (entry.state !== 'approved') return UNUSABLE[entry.state];
  const readings = readingsOfEntry(entry);
  if (readings.problem !== undefined) return deny('invalid_arguments', 'uri', readings.problem);
  return isAllowedByName(server, readings)
    ? undefined
    : deny('tool_denied', 'tools', 'allow_tools and deny_tools of the server do not let it through.');
}

function aboutCall({ argumentProblem, limitProblem }: PolicyQuery): Decision | undefined {
  const wrong = argumentProblem?.();
  if (wrong !== undefined) return deny('invalid_arguments', 'arguments', wrong);
  const limit = limitProblem?.();
  return limit === undefined ? undefined : deny('rate_limited', 'limits', limit);
}

function byPolicy(
  server: UpstreamServer,
  entry: CatalogEntry,
  { approval }: PolicyQuery,
  policy: Policy,
): Decision {
  const actionClass = classify(entry.definition, server, entry.observed);
  const usual = usualDecision(server, actionClass, policy);
  const hit = strictestRule(policy.policy, {
    server: server.name,
    capability: readingsOfEntry(entry),
    actionClass,
  });
  const outcome = hit ? withRule(hit.rule.effect, usual.outcome, actionClass) : usual.outcome;
  const decided: Decision =
    hit && outcome === hit.rule.effect
      ? {
          outcome,
          code: 'policy',
          rule: ruleName(hit.index),
          reason: hit.rule.reason ?? `A rule says ${outcome}.`,
        }
      : usual;
  return decided.outcome === 'ask' && approval !== undefined ? allowedBy(approval) : decided;
}

/** The name of a rule of `mcp_policy` in decisions and in the audit log. */
export function ruleName(index: number): string {
  return `mcp_policy[${index}]`;
}

/** The decision for a call that an operator has approved. */
export function allowedBy(approval: string): Decision {
  return {
    outcome: 'allow',
    code: 'approval',
    rule: approvalRule(approval),
    reason: 'It was approved.',
    approval,
  };
}

/** The name of an approval as the rule that decided. */
export function approvalRule(approval: string): string {
  return `approval:${approval}`;
}

function usualDecision(
  server: UpstreamServer,
  actionClass: ActionClass,
  { permissionMode }: Policy,
): Decision {
  const { trust } = server;
  const outcome = trust === 'blocked' ? 'deny' : DEFAULT_MATRIX[permissionMode][actionClass][trust];
  const reason = `${actionClass} on a server that is ${trust}, in mode ${permissionMode}.`;
  return { outcome, code: 'default', rule: 'default', reason };
}

/** A rule may always restrict. It lifts an `ask`, but never a `deny`, and never for the class `destructive`. */
function withRule(effect: Outcome, usual: Outcome, actionClass: ActionClass): Outcome {
  if (effect === 'deny' || usual === 'deny') return 'deny';
  return effect === 'allow' && actionClass === 'destructive' ? usual : effect;
}

function deny(code: PolicyReason, rule: string, reason: string): Decision {
  return { outcome: 'deny', code, rule, reason };
}

/** A digest of the policy: approvals given under another version are void. */
export function policyVersion({ permissionMode, policy }: Policy): string {
  return digestOf({ mode: permissionMode, rules: policy, matrix: DEFAULT_MATRIX });
}
