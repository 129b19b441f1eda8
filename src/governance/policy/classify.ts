/**
 * Classifies a capability by its effect. The strictest of what its name says, what its server says, what its description
 * says and what it was seen to do counts; only `action_classes` of the configuration lowers it. A server's word that a
 * tool is harmless counts only where the server is reviewed and nothing else is known. The default is `external`.
 */

import type { UpstreamServer } from '../../config/control-plane.ts';
import { recordOf } from '../../shared/records.ts';
import type { Definition } from '../../upstream/definition.ts';
import { type ActionClass, isTrusted, type Observation } from '../types.ts';
import { effectOfName, type NameEffect, wordsOf } from './verbs.ts';

type Classification = Pick<UpstreamServer, 'name' | 'actionClasses' | 'trust' | 'transport'>;

/** What made the class what it is, for those who review it. */
export type ClassSource = 'configuration' | 'annotation' | 'name' | 'description' | 'observed' | 'default';

export interface ClassVerdict {
  readonly class: ActionClass;
  readonly source: ClassSource;
}

const ORDER: readonly ActionClass[] = ['read_only', 'local_write', 'external', 'destructive'];

export function classify(
  definition: Definition,
  server: Classification,
  observed?: Observation,
): ActionClass {
  return classVerdict(definition, server, observed).class;
}

interface KnownClass {
  readonly server: Classification;
  readonly observed: Observation | undefined;
  readonly verdict: ClassVerdict;
}

/** One call asks for the class of its definition several times. */
const KNOWN = new WeakMap<Definition, KnownClass>();

export function classVerdict(
  definition: Definition,
  server: Classification,
  observed?: Observation,
): ClassVerdict {
  const known = KNOWN.get(definition);
  if (known?.server === server && known.observed === observed) return known.verdict;
  const verdict = judgeClass(definition, server, observed);
  KNOWN.set(definition, { server, observed, verdict });
  return verdict;
}

function judgeClass(
  definition: Definition,
  server: Classification,
  observed: Observation | undefined,
): ClassVerdict {
  const { actionClasses } = server;
  const said = Object.hasOwn(actionClasses, definition.name) ? actionClasses[definition.name] : undefined;
  if (said !== undefined) return { class: said, source: 'configuration' };
  if (definition.kind !== 'tool') return { class: 'read_only', source: 'default' };
  const declared = declaredClass(definition, server);
  return observed ? strictest(declared, { class: observed.class, source: 'observed' }) : declared;
}

/** Without what was observed. */
function declaredClass(definition: Definition, server: Classification): ClassVerdict {
  const { name, description = '' } = definition;
  const hints = recordOf(definition.annotations);
  const effect = effectOfName(name, new Set(wordsOf(server.name)));
  const isDangerous = [
    ...(hints.destructiveHint === true ? [by('destructive', 'annotation')] : []),
    ...(effect !== undefined && effect !== 'read' ? [by(classOfEffect(effect, hints, server), 'name')] : []),
    ...(hints.readOnlyHint === true && saysItDestroys(description) ? [by('destructive', 'description')] : []),
  ];
  const [first, ...others] = isDangerous;
  if (first) return others.reduce(strictest, first);
  // A name with letters outside ASCII may imitate another, so it lowers nothing.
  if (effect === 'read' && isPlain(name)) return by('read_only', 'name');
  return hints.readOnlyHint === true && isTrusted(server.trust) && isPlain(name)
    ? by('read_only', 'annotation')
    : by('external', 'default');
}

function isPlain(name: string): boolean {
  return /^[\x20-\x7e]*$/.test(name);
}

function by(actionClass: ActionClass, source: ClassSource): ClassVerdict {
  return { class: actionClass, source };
}

/** The first of two that are equally strict. */
function strictest(a: ClassVerdict, b: ClassVerdict): ClassVerdict {
  return ORDER.indexOf(b.class) > ORDER.indexOf(a.class) ? b : a;
}

function classOfEffect(
  effect: NameEffect,
  hints: Readonly<Record<string, unknown>>,
  { transport }: Classification,
): ActionClass {
  switch (effect) {
    case 'destroy':
    case 'run':
      return 'destructive';
    case 'act':
      return 'external';
    case 'write':
      return transport === 'streamable_http' || hints.openWorldHint === true ? 'external' : 'local_write';
    case 'read':
      return 'read_only';
  }
}

const SAYS_DESTROYS =
  /\b(?:permanently (?:delete|remove|erase)s?|deletes? (?:all|the|a|every)|irreversibl[ey]|executes? (?:arbitrary|any|shell)|runs? (?:arbitrary|any) )/i;

function saysItDestroys(description: string): boolean {
  return SAYS_DESTROYS.test(description);
}

const SAYS_READ_ONLY = /\b(?:read[- ]only|does not (?:change|modify)|makes no changes|never modifies)\b/i;

/** Where a server says less of its tool than the tool's name and description do; undefined where they agree. */
export function findUnderstatement(definition: Definition): string | undefined {
  const { kind, name, description = '' } = definition;
  if (kind !== 'tool') return undefined;
  const hints = recordOf(definition.annotations);
  const effect = effectOfName(name);
  const changes = effect !== undefined && effect !== 'read';
  const destroys = effect === 'destroy' || effect === 'run';
  if (hints.readOnlyHint === true && changes) return `readOnlyHint, but its name is ${name}`;
  if (hints.readOnlyHint === true && saysItDestroys(description))
    return 'readOnlyHint, but it says it changes things';
  if (hints.destructiveHint === false && effect === 'destroy')
    return `destructiveHint: false, but its name is ${name}`;
  return SAYS_READ_ONLY.test(description) && destroys
    ? `says it is read-only, but its name is ${name}`
    : undefined;
}
