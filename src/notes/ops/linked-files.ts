/** Which files notes and canvases link to. */
import { isAppError } from '../../shared/errors.ts';
import { canvasLinks } from '../links/canvas.ts';
import { createLinkResolver, type LinkResolver } from '../links/resolve.ts';
import { extensionOf, type NotePath } from '../path.ts';
import type { LinkGraph, SearchOptions } from '../searcher.ts';
import type { Notebook, NoteMeta } from '../store.ts';
import { textOf } from '../text/text.ts';

interface Joined {
  readonly graph: LinkGraph;
  readonly linked: ReadonlySet<NotePath>;
}

/** Kept for one state of the files and of the links. */
const joined = new WeakMap<readonly NoteMeta[], Joined>();

/** `listing` has all files, in path order. */
export async function linkedFiles(
  { files, searcher }: Pick<Notebook, 'files' | 'searcher'>,
  listing: readonly NoteMeta[],
  asking: SearchOptions,
): Promise<ReadonlySet<NotePath>> {
  const graph = await searcher.links(asking);
  const known = joined.get(listing);
  if (known?.graph === graph) return known.linked;
  const paths = listing.map(({ path }) => path);
  const resolver = createLinkResolver(paths);
  const linked = new Set<NotePath>();
  for (const path of paths) if (graph.incoming(path).length > 0) linked.add(path);
  for (const { from, target } of graph.unresolved()) mark(linked, resolver, target, from);
  for (const path of paths) {
    if (extensionOf(path) !== '.canvas') continue;
    const links = await files.read(path).then(
      (note) => canvasLinks(textIfAny(note)),
      (error: unknown) => {
        if (!isAppError(error)) throw error;
        return { files: [], links: [] };
      },
    );
    for (const file of links.files) mark(linked, resolver, `/${file}`, path);
    for (const link of links.links) mark(linked, resolver, link, path);
  }
  joined.set(listing, { graph, linked });
  return linked;
}

function textIfAny(note: Parameters<typeof textOf>[0]): string {
  try {
    return textOf(note);
  } catch (error) {
    if (isAppError(error, 'unsupported')) return '';
    throw error;
  }
}

/** The graph does not say in which notation a link is written: what either means counts as linked. */
function mark(linked: Set<NotePath>, resolver: LinkResolver, target: string, from: NotePath): void {
  for (const raw of [target, `./${target}`]) {
    const to = resolver.resolve({ raw, notation: { syntax: 'wiki', quoting: 'none' } }, from);
    if (to !== undefined) linked.add(to);
  }
}
