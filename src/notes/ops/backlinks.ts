import type { NotePath } from '../path.ts';
import type { NoteLink, NoteSearcher, SearchOptions } from '../searcher.ts';

interface Backlinks {
  /** Links from other notes to this one. */
  readonly incoming: readonly NoteLink[];
  readonly outgoing: readonly NoteLink[];
}

export async function backlinks(
  searcher: NoteSearcher,
  path: NotePath,
  asking?: SearchOptions,
): Promise<Backlinks> {
  const graph = await searcher.links(asking);
  return {
    incoming: graph.incoming(path).filter(({ from }) => from !== path),
    outgoing: graph.outgoing(path),
  };
}
