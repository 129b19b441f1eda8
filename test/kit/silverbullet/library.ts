/** The pages every server brings along, read-only: how many, and those whose sizes were seen. */
import type { Dialect } from './dialect.ts';

const SEEN: Readonly<Record<Dialect, readonly (readonly [string, number])[]>> = {
  rust: [
    ['Library/Std/APIs/Action Button.md', 1747],
    ['Library/Std/APIs/Aggregate.md', 6553],
    ['Library/Std/Config.md', 14647],
  ],
  go: [
    ['Library/Std/APIs/Action Button.md', 1747],
    ['Library/Std/APIs/Aggregate.md', 6553],
    ['Library/Std/APIs/Command.md', 2329],
    ['Library/Std/APIs/DOM.md', 2219],
    ['Library/Std/Config.md', 13225],
  ],
};

const COUNTS: Readonly<Record<Dialect, number>> = { rust: 68, go: 65 };

function filledUp(dialect: Dialect): readonly (readonly [string, number])[] {
  const seen = SEEN[dialect];
  const missing = Array.from(
    { length: COUNTS[dialect] - seen.length },
    (_, at) => [`Library/Std/Page ${at}.md`, 100 + at] as const,
  );
  return [...seen, ...missing];
}

export const LIBRARY: Readonly<Record<Dialect, readonly (readonly [string, number])[]>> = {
  rust: filledUp('rust'),
  go: filledUp('go'),
};
