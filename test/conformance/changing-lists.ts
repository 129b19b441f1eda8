/** A tool and a prompt of the test surface that come and go, when the suite says so. */
import type { McpServer } from '@modelcontextprotocol/server';

export interface ChangingLists {
  readonly has: { tool: boolean; prompt: boolean };
  change(what: 'tool' | 'prompt'): void;
  watch(what: 'tool' | 'prompt', changed: () => void): () => void;
}

export function createLists(): ChangingLists {
  const watchers = { tool: new Set<() => void>(), prompt: new Set<() => void>() };
  const has = { tool: true, prompt: true };
  return {
    has,
    change(what) {
      has[what] = !has[what];
      for (const changed of watchers[what]) changed();
    },
    watch(what, changed) {
      watchers[what].add(changed);
      return () => void watchers[what].delete(changed);
    },
  };
}

/** In the era of sessions a server changes while it is there, and says so; in the modern one the next is another one. */
export function follow(
  mcp: McpServer,
  lists: ChangingLists,
  registered: Record<'tool' | 'prompt', { update(changes: { enabled: boolean }): void }>,
): void {
  const stops = (['tool', 'prompt'] as const).map((what) =>
    lists.watch(what, () => registered[what].update({ enabled: lists.has[what] })),
  );
  const before = mcp.server.onclose;
  mcp.server.onclose = () => {
    for (const stop of stops) stop();
    before?.();
  };
}
