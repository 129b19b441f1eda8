/** Compares the definitions a server offers now with the pinned ones: usable, new, changed, removed. */
import type { CapabilityKind, Definition } from '../../upstream/definition.ts';
import { type CatalogEntry, isTrusted, type PinState, type ScanFinding, type Trust } from '../types.ts';
import {
  BASELINE,
  contentFingerprint,
  fingerprint,
  instructionsFingerprint,
  keyOf,
  type Pin,
  type ServerPins,
} from './pins.ts';
import { showHidden } from './scan/hidden-text.ts';
import { definitionSteps, instructionsSteps, isHard, type ScanContext } from './scan/scan.ts';
import { maskSecrets, type OtherServer } from './scan/shadowing.ts';
import { atOnce, type Steps } from './scan/steps.ts';
import type { ScanCache } from './scan-cache.ts';

const MAX_LINES = 100;
const MAX_VALUE = 300;
const MAX_DEPTH = 20;

/** A value of a definition that is not what it was, with hidden characters spelled out and without secrets. */
export interface ValueChange {
  /** E.g. `description`, `inputSchema.properties.path.type`. */
  readonly place: string;
  /** A text as it is, anything else as JSON; undefined where there was nothing. */
  readonly before?: string;
  readonly now?: string;
}

/** Sorted by place. */
export function changedValues(before: Definition, after: Definition): ValueChange[] {
  const readable = (value: unknown) =>
    value === undefined ? undefined : readableText(typeof value === 'string' ? value : JSON.stringify(value));
  return changesIn(before, after).map(({ place, old, now }) => ({
    place: showHidden(place),
    before: readable(old),
    now: readable(now),
  }));
}

/** Foreign text for a person who has to judge it: hidden characters spelled out, secrets masked. */
export function readableText(text: string): string {
  return showHidden(maskSecrets(text));
}

function changesIn(before: Definition, after: Definition) {
  const old = flatten(before);
  const now = flatten(after);
  return [...new Set([...old.keys(), ...now.keys()])]
    .sort()
    .map((place) => ({ place, old: old.get(place), now: now.get(place) }))
    .filter((value) => JSON.stringify(value.old) !== JSON.stringify(value.now));
}

/** Lines of the form `- place: old` and `+ place: new`, sorted by place, with long values cut. */
export function diffDefinitions(before: Definition, after: Definition): string[] {
  const lines = changesIn(before, after).flatMap(({ place, old, now }) => [
    ...line('-', place, JSON.stringify(old)),
    ...line('+', place, JSON.stringify(now)),
  ]);
  const more = lines.length - MAX_LINES;
  return more > 0 ? [...lines.slice(0, MAX_LINES), `… ${more} more lines`] : lines;
}

function line(sign: string, place: string, value: string | undefined): string[] {
  if (value === undefined) return [];
  const shown = readableText(value.slice(0, 2 * MAX_VALUE));
  return [
    `${sign} ${showHidden(place)}: ${shown.length > MAX_VALUE ? `${shown.slice(0, MAX_VALUE)}…` : shown}`,
  ];
}

function flatten(definition: Definition): Map<string, unknown> {
  const leaves = new Map<string, unknown>();
  const walk = (value: unknown, place: string, depth: number): void => {
    const isBranch = typeof value === 'object' && value !== null && Object.keys(value).length > 0;
    if (!isBranch || depth >= MAX_DEPTH) {
      if (value !== undefined) leaves.set(place, value);
      return;
    }
    for (const [name, inner] of Object.entries(value))
      walk(inner, place === '' ? name : `${place}.${name}`, depth + 1);
  };
  walk(definition, '', 0);
  return leaves;
}

export interface DiscoveredServer {
  readonly server: string;
  readonly trust: Trust;
  /** `accept`: what a trusted server offers when it is first seen needs no review. */
  readonly firstDefinitions?: 'review' | 'accept';
  readonly definitions: readonly Definition[];
  /** The kinds that were listed. Definitions of other kinds are not reported as removed. */
  readonly kinds: readonly CapabilityKind[];
  readonly instructions?: string;
  readonly others?: readonly OtherServer[];
  /** In place of a scan that remembers nothing. */
  readonly scan?: Pick<ScanCache, 'definition' | 'instructions'>;
}

export interface DefinitionChange {
  readonly change: 'new' | 'changed' | 'removed';
  readonly kind: CapabilityKind;
  readonly name: string;
  readonly before?: string;
  readonly now?: string;
  /** The name of a removed definition with equal content. */
  readonly possibleRenameOf?: string;
  readonly diff: readonly string[];
}

export interface InstructionsEntry {
  readonly text: string;
  readonly fingerprint: string;
  readonly state: PinState;
  readonly findings: readonly ScanFinding[];
}

export interface Comparison {
  readonly server: string;
  /** All definitions, sorted by kind and name. Only approved ones may be offered. */
  readonly entries: readonly CatalogEntry[];
  readonly instructions?: InstructionsEntry;
  readonly changes: readonly DefinitionChange[];
  /** Nothing was pinned of this server before. */
  readonly isFirst: boolean;
}

const DUPLICATE: ScanFinding = {
  code: 'definition.duplicate',
  severity: 'hard',
  where: 'name',
  excerpt: 'two definitions have this name',
};

const FORGETFUL: Pick<ScanCache, 'definition' | 'instructions'> = {
  definition: definitionSteps,
  instructions: instructionsSteps,
};

export function compare(discovered: DiscoveredServer, pinned: ServerPins | undefined): Comparison {
  return atOnce(compareSteps(discovered, pinned));
}

export function* compareSteps(
  discovered: DiscoveredServer,
  pinned: ServerPins | undefined,
): Steps<Comparison> {
  const { server, definitions, instructions, others = [], scan = FORGETFUL } = discovered;
  const own = definitions.map(({ name }) => name);
  const context: ScanContext = { own, others };
  const isFirst = pinned === undefined;
  const isBaseline = isFirst && acceptsUnseen(discovered);
  const doubles = doublesIn(definitions);
  const entries: CatalogEntry[] = [];
  for (const definition of firstOfEach(definitions)) {
    const mark = fingerprint(server, definition);
    const scanned = yield* scan.definition(definition, context);
    const isDouble = doubles.has(keyOf(definition));
    const findings = isDouble ? [DUPLICATE, ...scanned] : scanned;
    const pin = pinned?.pins[keyOf(definition)];
    const state = isDouble ? 'quarantined' : stateOf({ mark, pin, findings, isBaseline });
    entries.push({ server, definition, fingerprint: mark, state, findings });
    yield;
  }
  entries.sort((a, b) => (keyOf(a.definition) < keyOf(b.definition) ? -1 : 1));
  const read = instructions === undefined ? undefined : yield* scan.instructions(instructions, context);
  return {
    server,
    entries,
    instructions:
      instructions !== undefined && read
        ? compareInstructions(discovered, instructions, { pinned, findings: read })
        : undefined,
    changes: isFirst ? [] : yield* changeSteps(pinned, entries, discovered.kinds),
    isFirst,
  };
}

function firstOfEach(definitions: readonly Definition[]): Definition[] {
  return [...new Map(definitions.toReversed().map((one) => [keyOf(one), one])).values()];
}

function doublesIn(definitions: readonly Definition[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(
    definitions.map(keyOf).filter((key) => {
      const isDouble = seen.has(key);
      seen.add(key);
      return isDouble;
    }),
  );
}

interface PinFacts {
  readonly mark: string;
  readonly pin: { readonly fingerprint: string; readonly acceptedBy: string } | undefined;
  readonly findings: readonly ScanFinding[];
  /** Nobody has to review it. */
  readonly isBaseline: boolean;
}

export function acceptsUnseen({
  trust,
  firstDefinitions,
}: Pick<DiscoveredServer, 'trust' | 'firstDefinitions'>): boolean {
  return firstDefinitions === 'accept' && isTrusted(trust);
}

function stateOf({ mark, pin, findings, isBaseline }: PinFacts): PinState {
  // An operator who accepted a definition saw its findings; a baseline had none, but the scanner may be newer now.
  if (pin?.fingerprint === mark && pin.acceptedBy !== BASELINE) return 'approved';
  if (isHard(findings)) return 'quarantined';
  if (pin) return pin.fingerprint === mark ? 'approved' : 'changed';
  return isBaseline ? 'approved' : 'pending';
}

function compareInstructions(
  discovered: DiscoveredServer,
  text: string,
  { pinned, findings }: { pinned: ServerPins | undefined; findings: readonly ScanFinding[] },
): InstructionsEntry {
  const mark = instructionsFingerprint(discovered.server, text);
  const pin = pinned?.instructions;
  return {
    text,
    fingerprint: mark,
    findings,
    state: stateOf({ mark, pin, findings, isBaseline: pinned === undefined && acceptsUnseen(discovered) }),
  };
}

/** Removals are only reported for `kinds`, where not all kinds were listed. */
export function changesBetween(
  pinned: ServerPins,
  entries: readonly CatalogEntry[],
  kinds?: readonly CapabilityKind[],
): DefinitionChange[] {
  return atOnce(changeSteps(pinned, entries, kinds));
}

function* changeSteps(
  pinned: ServerPins,
  entries: readonly CatalogEntry[],
  kinds: readonly CapabilityKind[] | undefined,
): Steps<DefinitionChange[]> {
  const present = new Set(entries.map(({ definition }) => keyOf(definition)));
  const removed = Object.entries(pinned.pins)
    .filter(([key, { definition }]) => !present.has(key) && (kinds?.includes(definition.kind) ?? true))
    .map(([, pin]) => pin);
  const names = new Map<string, string>();
  for (const { definition } of removed.toReversed()) {
    names.set(contentFingerprint(definition), definition.name);
    yield;
  }
  const changes: DefinitionChange[] = [];
  for (const entry of entries) {
    const pin = pinned.pins[keyOf(entry.definition)];
    if (pin?.fingerprint === entry.fingerprint) continue;
    changes.push(changeOf(entry, pin, names));
    yield;
  }
  return [...changes, ...removed.map(removalOf)];
}

/** `removed` has the names of removed definitions by their content. */
function changeOf(
  { definition, fingerprint: now }: CatalogEntry,
  pin: Pin | undefined,
  removed: ReadonlyMap<string, string>,
): DefinitionChange {
  const { kind, name } = definition;
  if (pin) {
    const diff = diffDefinitions(pin.definition, definition);
    return { change: 'changed', kind, name, before: pin.fingerprint, now, diff };
  }
  const twin = removed.size === 0 ? undefined : removed.get(contentFingerprint(definition));
  const rename = twin !== undefined && { possibleRenameOf: twin };
  return { change: 'new', kind, name, now, ...rename, diff: [] };
}

function removalOf({ definition: { kind, name }, fingerprint: before }: Pin): DefinitionChange {
  return { change: 'removed', kind, name, before, diff: [] };
}
