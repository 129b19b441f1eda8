/** Keeps the links of every note, read once per change, and joins them into a graph on demand. */
import type { Link } from '../../notes/links/link.ts';
import { createLinkResolver } from '../../notes/links/resolve.ts';
import { scanLinks } from '../../notes/links/scan.ts';
import type { NotePath } from '../../notes/path.ts';
import type { LinkGraph, NoteLink } from '../../notes/searcher.ts';
import type { IndexedLibrary } from '../query/context.ts';
import { createTextReader, PREFETCHED } from '../text-reader.ts';
import { YieldTimer } from './scheduler.ts';

interface OwnLinks {
  /** Size and time stamp of the note the links were read from. */
  readonly stamp: string;
  readonly links: readonly { readonly link: Link; readonly line: number }[];
}

export class LinkIndex {
  readonly #library: () => IndexedLibrary;
  readonly #files: () => Iterable<NotePath>;
  readonly #own = new Map<NotePath, OwnLinks>();

  constructor(library: () => IndexedLibrary, files: () => Iterable<NotePath>) {
    this.#library = library;
    this.#files = files;
  }

  /** `unread` is the number of notes whose links are not known. */
  async graph(signal?: AbortSignal): Promise<{ readonly graph: LinkGraph; readonly unread: number }> {
    const pace = new YieldTimer();
    const unread = await this.#readChanged(() => pace.breathe(signal));
    const resolver = createLinkResolver(this.#files());
    const outgoing = new Map<NotePath, NoteLink[]>();
    const incoming = new Map<NotePath, NoteLink[]>();
    for (const [from, { links }] of this.#own) {
      await pace.breathe(signal);
      const resolved = links.map(({ link, line }): NoteLink => {
        const to = resolver.resolve(link, from);
        return { from, target: link.target, line, to };
      });
      outgoing.set(from, resolved);
      for (const link of resolved) if (link.to !== undefined) append(incoming, link.to, link);
    }
    return { graph: graphOf([...this.#own.keys()].sort(), outgoing, incoming), unread };
  }

  async #readChanged(breathe: () => Promise<unknown> | true): Promise<number> {
    const { index, texts, reach } = this.#library();
    const reader = createTextReader(texts, reach);
    for (const path of this.#own.keys()) if (!index.get(path)) this.#own.delete(path);
    const stampOf = (path: NotePath) => {
      const note = index.get(path);
      return note && `${note.size} ${note.lastModified}`;
    };
    const changed = [...index.paths()].filter((path) => this.#own.get(path)?.stamp !== stampOf(path));
    for (const [at, path] of changed.entries()) {
      if (at % PREFETCHED === 0) await reader.prefetch(changed.slice(at, at + PREFETCHED));
      const stamp = stampOf(path);
      const text = await reader.get(path);
      if (text !== undefined && stamp !== undefined) this.#own.set(path, { stamp, links: linesOf(text) });
      await breathe();
    }
    return reader.unread.size;
  }
}

function linesOf(text: string): OwnLinks['links'] {
  let line = 1;
  let counted = 0;
  return scanLinks(text).map((link) => {
    for (let at = text.indexOf('\n', counted); at >= 0 && at < link.start; at = text.indexOf('\n', at + 1)) {
      line++;
      counted = at + 1;
    }
    return { link, line };
  });
}

function graphOf(
  paths: readonly NotePath[],
  outgoing: ReadonlyMap<NotePath, readonly NoteLink[]>,
  incoming: ReadonlyMap<NotePath, readonly NoteLink[]>,
): LinkGraph {
  return {
    outgoing: (path) => outgoing.get(path) ?? [],
    incoming: (path) => incoming.get(path) ?? [],
    unresolved: () =>
      paths.flatMap((path) => (outgoing.get(path) ?? []).filter(({ to }) => to === undefined)),
    orphans: () => paths.filter((path) => !(incoming.get(path) ?? []).some(({ from }) => from !== path)),
  };
}

function append(map: Map<NotePath, NoteLink[]>, key: NotePath, link: NoteLink): void {
  const known = map.get(key);
  if (known) known.push(link);
  else map.set(key, [link]);
}
