/** What an answer leaves out or how old it is, gathered while it is made. */
import * as z from 'zod';
import type { SearchOptions } from '../../notes/searcher.ts';

interface WarnedAsking {
  readonly asking: SearchOptions;
  /** For the answer; empty when there is nothing to say. */
  warning(): { readonly warning?: string };
}

export function withWarnings({ signal, onProgress }: SearchOptions): WarnedAsking {
  const said = new Set<string>();
  return {
    asking: {
      signal,
      onProgress: onProgress || undefined,
      onWarning: (warning) => void said.add(warning),
    },
    warning: () => (said.size === 0 ? {} : { warning: [...said].join(' ') }),
  };
}

/** Of an output schema. */
export const warning = () => z.string().optional();
