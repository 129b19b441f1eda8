/** Somebody has looked at what a server offers and stands for it. */
import type { Comparison } from '../../governance/catalog/compare.ts';
import type { Plane } from '../../governance/plane.ts';
import type { CatalogEntry } from '../../governance/types.ts';
import { AppError } from '../../shared/errors.ts';
import { printable } from '../../shared/printable.ts';
import type { McpCall } from './command.ts';
import { operatorName } from './plane.ts';

export interface Accepted {
  readonly names: readonly string[];
  /** What the server does not offer any more. */
  readonly gone: readonly string[];
}

/** Undefined when nobody wanted to accept anything. */
export async function acceptFrom(
  plane: Plane,
  comparison: Comparison,
  call: McpCall,
): Promise<Accepted | undefined> {
  const named = (call.options.accept ?? []) as readonly string[];
  const isBaseline = call.options.acceptBaseline === true;
  if (!isBaseline && named.length === 0) return undefined;
  const by = operatorName(call);
  const entries = [
    ...named.flatMap((name) => entriesNamed(comparison, name)),
    ...(isBaseline ? comparison.entries.filter(isWaiting) : []),
  ];
  await plane.catalog.accept(entries, by);
  const { instructions } = comparison;
  if (isBaseline) await plane.catalog.acceptRemovals(comparison);
  if (isBaseline && instructions && instructions.state !== 'quarantined')
    await plane.catalog.acceptInstructions(comparison, by);
  noteLeft(comparison, entries, call);
  const gone = isBaseline ? comparison.changes.filter(({ change }) => change === 'removed') : [];
  return {
    names: entries.map(({ definition }) => printable(definition.name, 200)),
    gone: gone.map(({ name }) => printable(name, 200)),
  };
}

function isWaiting({ state }: CatalogEntry): boolean {
  return state === 'pending' || state === 'changed';
}

function entriesNamed({ entries, server }: Comparison, name: string): CatalogEntry[] {
  const found = entries.filter(({ definition }) => definition.name === name);
  if (found.length > 0) return found;
  throw new AppError('not_found', 'The server offers nothing of this name', {
    subject: printable(name, 100),
    hint: `See what there is: quire mcp discover ${server}`,
  });
}

function noteLeft({ entries, server }: Comparison, accepted: readonly CatalogEntry[], call: McpCall): void {
  const left = entries.filter((entry) => entry.state === 'quarantined' && !accepted.includes(entry));
  const [first] = left;
  if (first)
    call.note(
      `${left.length} quarantined, not accepted. Read quire mcp discover ${server} --full; then, one by one: --accept ${printable(first.definition.name, 100)}`,
    );
}
