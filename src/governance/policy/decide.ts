/**
 * May this be used? One answer for lists, searches and calls, a function of data alone. The steps stand in their order and
 * the first that stops wins; nothing that a rule or an approval says reaches those before it.
 */
import type { ControlPlane, UpstreamServer } from '../../config/control-plane.ts';
import type { ActionClass, CatalogEntry, Decision, Outcome, Rejection } from '../types.ts';
import { classify } from './classify.ts';
import { DEFAULT_MATRIX } from './matrix.ts';
import { isNamed, strictestRule } from './rules.ts';

export type Policy = Pick<ControlPlane, 'permissionMode' | 'policy'>;

export interface Question {
  /** Undefined when no server has the name. */
  readonly server: UpstreamServer | undefined;
  /** Undefined when the server offers nothing of the name. */
  readonly entry: CatalogEntry | undefined;
  /** Of `judgeServer`. */
  readonly rejections: readonly Rejection[];
  /** Of a call: what is wrong with its arguments. Lists and searches have none. */
  readonly argumentProblem?: () => string | undefined;
  /** Of a call: which limit it would break. Only asked when everything before it is in order. */
  readonly limitProblem?: () => string | undefined;
  /** The id of a live approval for exactly this. */
  readonly approval?: string;
}

export function decide(question: Question, policy: Policy): Decision {
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
  if (server.clientConsent === 'denied') return deny('consent_denied', 'consent', 'Its use was refused.');
  if (server.clientConsent !== 'approved')
    return deny('consent_required', 'consent', 'Nobody has agreed to use this server.');
  if (server.trust === 'blocked') return deny('server_blocked', 'trust', 'The server is blocked.');
  return undefined;
}

function aboutDefinition(server: UpstreamServer, { state, definition }: CatalogEntry): Decision | undefined {
  switch (state) {
    case 'pending':
      return deny('definition_pending', 'definition', 'Nobody has looked at this definition yet.');
    case 'changed':
      return deny('definition_changed', 'definition', 'It is not what was approved any more.');
    case 'quarantined':
      return deny('quarantined', 'definition', 'Its definition holds something dangerous.');
    case 'approved':
      return isNamed(server, definition.name)
        ? undefined
        : deny('tool_denied', 'tools', 'allow_tools and deny_tools of the server do not let it through.');
  }
}

function aboutCall({ argumentProblem, limitProblem }: Question): Decision | undefined {
  const wrong = argumentProblem?.();
  if (wrong !== undefined) return deny('invalid_arguments', 'arguments', wrong);
  const limit = limitProblem?.();
  return limit === undefined ? undefined : deny('rate_limited', 'limits', limit);
}

function byPolicy(
  server: UpstreamServer,
  { definition }: CatalogEntry,
  { approval }: Question,
  policy: Policy,
): Decision {
  const actionClass = classify(definition, server);
  const usual = usualDecision(server, actionClass, policy);
  const hit = strictestRule(policy.policy, {
    server: server.name,
    capability: definition.name,
    actionClass,
  });
  const outcome = hit ? withRule(hit.rule.effect, usual.outcome, actionClass) : usual.outcome;
  const decided: Decision =
    hit && outcome === hit.rule.effect
      ? {
          outcome,
          code: 'policy',
          rule: `mcp_policy[${hit.index}]`,
          reason: hit.rule.reason ?? `A rule says ${outcome}.`,
        }
      : usual;
  return decided.outcome === 'ask' && approval !== undefined
    ? { outcome: 'allow', code: 'approval', rule: `approval:${approval}`, reason: 'It was approved.' }
    : decided;
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

/** A rule may always hold back; it lifts an `ask`, never a `deny`, and nothing that destroys. */
function withRule(effect: Outcome, usual: Outcome, actionClass: ActionClass): Outcome {
  if (effect === 'deny' || usual === 'deny') return 'deny';
  return effect === 'allow' && actionClass === 'destructive' ? usual : effect;
}

function deny(code: string, rule: string, reason: string): Decision {
  return { outcome: 'deny', code, rule, reason };
}
