/** The links of all notes, joined into a graph that is kept until a note or a file changes. */
import type { Link } from '../../notes/links/link.ts';
import { createLinkResolver } from '../../notes/links/resolve.ts';
import { scanLinks } from '../../notes/links/scan.ts';
import type { NotePath } from '../../notes/path.ts';
import type { LinkGraph, NoteLink, SearchOptions } from '../../notes/searcher.ts';
import type { IndexedLibrary } from '../query/context.ts';
import { type CurrentFacts, NoteFacts } from './note-facts.ts';
import { YieldTimer } from './scheduler.ts';

type OwnLinks = readonly { readonly link: Link; readonly line: number }[];

interface KnownFiles {
  readonly paths: () => Iterable<NotePath>;
  /** Another one after every change of the files. */
  readonly revision: () => number;
}

export class LinkIndex {
  readonly #links: NoteFacts<OwnLinks>;
  readonly #library: () => IndexedLibrary;
  readonly #files: KnownFiles;
  #joined:
    | { readonly from: CurrentFacts<OwnLinks>; readonly files: number; readonly graph: LinkGraph }
    | undefined;

  constructor(library: () => IndexedLibrary, files: KnownFiles) {
    this.#library = library;
    this.#files = files;
    this.#links = new NoteFacts(library, (text) => {
      const links = linesOf(text);
      return links.length === 0 ? undefined : links;
    });
  }

  /** `unread` is the number of notes whose links are not known. */
  async graph(asking: SearchOptions = {}): Promise<{ readonly graph: LinkGraph; readonly unread: number }> {
    const from = await this.#links.current(asking);
    const files = this.#files.revision();
    if (this.#joined?.from !== from || this.#joined.files !== files)
      this.#joined = { from, files, graph: await this.#join(from, asking.signal) };
    return { graph: this.#joined.graph, unread: from.unread };
  }

  async #join({ facts }: CurrentFacts<OwnLinks>, signal: AbortSignal | undefined): Promise<LinkGraph> {
    const pace = new YieldTimer();
    const resolver = createLinkResolver(this.#files.paths());
    const outgoing = new Map<NotePath, NoteLink[]>();
    const incoming = new Map<NotePath, NoteLink[]>();
    for (const [from, links] of facts) {
      await pace.breathe(signal);
      const resolved = links.map(({ link, line }): NoteLink => {
        const to = resolver.resolve(link, from);
        return { from, target: link.target, line, to };
      });
      outgoing.set(from, resolved);
      for (const link of resolved) if (link.to !== undefined) append(incoming, link.to, link);
    }
    return graphOf([...this.#library().index.paths()].sort(), outgoing, incoming);
  }
}

function linesOf(text: string): OwnLinks {
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
    *unresolved() {
      for (const path of paths)
        for (const link of outgoing.get(path) ?? []) if (link.to === undefined) yield link;
    },
    *orphans() {
      for (const path of paths) if (!(incoming.get(path) ?? []).some(({ from }) => from !== path)) yield path;
    },
  };
}

function append(map: Map<NotePath, NoteLink[]>, key: NotePath, link: NoteLink): void {
  const known = map.get(key);
  if (known) known.push(link);
  else map.set(key, [link]);
}
