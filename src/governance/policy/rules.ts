/**
 * The rules of `mcp_policy`. All that match count, and the strictest of them decides. Globs are for the whole name. Rules
 * that hold back do not look at case or at letters that only look different, rules that let through do: a name that is
 * almost the one meant is held back and not let through.
 */
import type { PolicyRule } from '../../config/control-plane.ts';
import { matchesGlob } from '../../shared/glob.ts';
import type { ActionClass, Outcome } from '../types.ts';

export interface Subject {
  readonly server: string;
  readonly capability: string;
  readonly actionClass: ActionClass;
}

export interface RuleHit {
  readonly rule: PolicyRule;
  readonly index: number;
}

const STRICTEST_FIRST: readonly Outcome[] = ['deny', 'ask', 'allow'];

export function strictestRule(rules: readonly PolicyRule[], subject: Subject): RuleHit | undefined {
  const hits = rules.map((rule, index) => ({ rule, index })).filter(({ rule }) => isFor(rule, subject));
  return STRICTEST_FIRST.map((effect) => hits.find(({ rule }) => rule.effect === effect)).find(Boolean);
}

function isFor({ effect, servers, capabilities, classes }: PolicyRule, subject: Subject): boolean {
  const ignoreCase = effect !== 'allow';
  return (
    (servers?.some((glob) => matchesGlob(glob, subject.server)) ?? true) &&
    (capabilities?.some((glob) => matchesGlob(glob, subject.capability, { ignoreCase })) ?? true) &&
    (classes?.includes(subject.actionClass) ?? true)
  );
}

/** The lists of one server: what is denied by name stays denied, and what is not allowed by name is not reachable. */
export function isNamed(
  {
    allowTools,
    denyTools,
  }: { readonly allowTools: readonly string[]; readonly denyTools: readonly string[] },
  name: string,
): boolean {
  return (
    !denyTools.some((glob) => matchesGlob(glob, name, { ignoreCase: true })) &&
    allowTools.some((glob) => matchesGlob(glob, name))
  );
}
