/** Dates as people write them in frontmatter: `2024-01-15`, with or without a time. */
const DATE =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[-+]\d{2}:?\d{2})?)?$/;

/** The moment as a number to compare by; a time without a zone counts as UTC. Undefined when it is no real date. */
export function dateValue(value: unknown): number | undefined {
  const match = typeof value === 'string' ? DATE.exec(value) : null;
  if (!match) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  const midnight = new Date(Date.UTC(2000, month - 1, day));
  // Years below 100 would be taken for 19xx by the constructor.
  midnight.setUTCFullYear(year, month - 1, day);
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return undefined;
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  return midnight.getTime() + ((hour * 60 + minute) * 60 + second) * 1000 - zoneOffset(match[7]);
}

function zoneOffset(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2));
  return (zone.startsWith('-') ? -minutes : minutes) * 60_000;
}
