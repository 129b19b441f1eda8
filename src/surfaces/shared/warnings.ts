/** Collects warnings about an answer while it is made: how old it is, what it leaves out. */
import * as z from 'zod';
import type { SearchOptions } from '../../notes/searcher.ts';

interface WarningCollector {
  readonly options: SearchOptions;
  /** The answer's `warning` field; absent when there is none. */
  warning(): { readonly warning?: string };
}

export function withWarnings({ signal, onProgress }: SearchOptions): WarningCollector {
  const said = new Set<string>();
  return {
    options: {
      signal,
      onProgress: onProgress || undefined,
      onWarning: (warning) => void said.add(warning),
    },
    warning: () => (said.size === 0 ? {} : { warning: [...said].join(' ') }),
  };
}

/** For output schemas. */
export const warning = () => z.string().optional();
