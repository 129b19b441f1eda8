/** The entry of a catalogue that somebody names. */
import type { MarketEntry } from '../../governance/marketplace/entry.ts';
import type { Marketplace } from '../../governance/marketplace/marketplace.ts';
import { AppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import { printable } from '../../shared/printable.ts';

export function entryNamed({ entries }: Marketplace, name: string): MarketEntry {
  const entry = entries.find((one) => one.name === name);
  if (entry) return entry;
  // The part after the slash is enough where it means one server.
  const byShortName = entries.filter((one) => one.name.endsWith(`/${name}`));
  if (byShortName.length === 1 && byShortName[0]) return byShortName[0];
  const names = byShortName.length > 1 ? byShortName.map((one) => one.name) : [];
  const near = nearest(
    name,
    entries.slice(0, 10_000).map((one) => one.name),
  );
  const meant = names.length > 0 ? names.slice(0, 5).join(' or ') : near;
  throw new AppError('not_found', 'The marketplace has no such server', {
    subject: printable(name, 100),
    hint: meant === undefined ? 'Look for it with: quire mcp marketplace <words>' : `Did you mean ${meant}?`,
  });
}
