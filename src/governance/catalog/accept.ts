/** A person accepts definitions of a server as they are now; recorded in the audit log. */
import type { UpstreamServer } from '../../config/control-plane.ts';
import type { AuditEvent } from '../audit/audit.ts';
import type { Decider } from '../decider.ts';
import { digestOf } from '../digest.ts';
import type { Plane } from '../plane.ts';
import { classify } from '../policy/classify.ts';
import type { CatalogEntry } from '../types.ts';
import type { Comparison } from './compare.ts';
import { keyOf } from './pins.ts';

export interface Acceptance {
  /** Everything that is new, changed or gone, and the instructions; never what is quarantined. */
  readonly baseline: boolean;
  /** These are accepted whatever was found in them. */
  readonly entries: readonly CatalogEntry[];
  /** The instructions too, without a baseline. */
  readonly instructions?: boolean;
}

/** What a review begins with: new definitions that only read, and in which nothing was found. One confirmation accepts them. */
export function preselectedOf(
  { entries, instructions }: Pick<Comparison, 'entries' | 'instructions'>,
  server: UpstreamServer,
): Required<Pick<Acceptance, 'entries' | 'instructions'>> {
  const isClean = ({ state, findings }: Pick<CatalogEntry, 'state' | 'findings'>) =>
    state === 'pending' && findings.length === 0;
  return {
    entries: entries.filter(
      (entry) => isClean(entry) && classify(entry.definition, server, entry.observed) === 'read_only',
    ),
    instructions: instructions !== undefined && isClean(instructions),
  };
}

interface AcceptResult {
  readonly entries: readonly CatalogEntry[];
  /** Names that the server no longer offers. */
  readonly gone: readonly string[];
}

export async function acceptDefinitions(
  { catalog, audit }: Pick<Plane, 'catalog' | 'audit'>,
  comparison: Comparison,
  { baseline, entries: chosen, instructions: withText = false }: Acceptance,
  decider: Decider,
): Promise<AcceptResult> {
  const { server, instructions, changes } = comparison;
  const entries = [...chosen, ...(baseline ? comparison.entries.filter(isWaiting) : [])];
  const removed = baseline ? changes.filter(({ change }) => change === 'removed') : [];
  const newText = (baseline || withText) && instructions?.state !== 'quarantined' ? instructions : undefined;
  await audit.ready();
  await catalog.accept(entries, decider.by);
  if (baseline) await catalog.acceptRemovals(comparison);
  if (newText) await catalog.acceptInstructions(comparison, decider.by);
  const events: AuditEvent[] = [
    ...entries.map(({ definition: { kind, name }, fingerprint }) => ({
      kind,
      capability: name,
      fingerprint,
    })),
    ...removed.map(({ kind, name }) => ({ kind, capability: name, isRemoved: true as const })),
    ...(newText && newText.state !== 'approved'
      ? [{ kind: 'instructions' as const, capability: '', fingerprint: newText.fingerprint }]
      : []),
  ].map((accepted) => ({ event: 'accepted', server, ...decider, ...accepted }));
  if (events.length > 0) await audit.record(...events);
  return { entries, gone: removed.map(({ name }) => name) };
}

export function isWaiting({ state }: CatalogEntry): boolean {
  return state === 'pending' || state === 'changed';
}

/** Changes with everything that a baseline would accept, so that nobody accepts what they have not seen. */
export function digestOfWaiting({
  entries,
  instructions,
  changes,
}: Pick<Comparison, 'entries' | 'instructions' | 'changes'>): string {
  return digestOf({
    entries: entries.filter(isWaiting).map(({ fingerprint }) => fingerprint),
    instructions: instructions?.fingerprint ?? '',
    removed: changes.filter(({ change }) => change === 'removed').map(keyOf),
  });
}
