/** Notebooks over real folders, as the brain sees them. */
import { onTestFinished } from 'vitest';
import { notebookOver, type OpenNotebook } from '../../src/app/open-notes.ts';
import { openRetriever, type RetrieverOptions } from '../../src/brain/retrieve/retriever.ts';
import type { RetrievalResult, SearchScope, Source, SourceNote } from '../../src/brain/types.ts';
import { PathFilter } from '../../src/notes/path-filter.ts';
import { silentLog } from '../../src/shared/log.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { temporaryFolder } from '../kit/temp.ts';

export interface SourceInFolder extends Source {
  readonly folder: string;
  readonly notebook: OpenNotebook;
}

export async function sourceOf(
  seed: Readonly<Record<string, string | Uint8Array>>,
  name = 'notes',
): Promise<SourceInFolder> {
  const folder = await temporaryFolder(seed);
  const filter = new PathFilter();
  const store = await openFolderStore(folder, { isVisible: (path) => !filter.isHidden(path) });
  const notebook = notebookOver(store, filter, { frontmatterRules: [], noDelete: false }, { log: silentLog });
  onTestFinished(async () => {
    await notebook.searcher.close();
    await notebook.notes.close();
  });
  return { name, notebook, writable: true, folder };
}

export interface RetrievalOptions extends Partial<RetrieverOptions> {
  readonly limit?: number;
  readonly scope?: SearchScope;
  readonly mode?: 'hybrid' | 'keyword' | 'semantic';
}

/** One question to a retriever of its own. */
export function ask(
  sources: readonly Source[],
  query: string,
  asked: RetrievalOptions = {},
): Promise<RetrievalResult> {
  const { limit = 10, scope = {}, mode = 'keyword', ...options } = asked;
  return openRetriever({ sources, ...options }).retrieve({ query, limit, mode, scope });
}

export function pathsOf({ passages }: RetrievalResult): string[] {
  return [...new Set(passages.map(({ passage }) => passage.sourcePath))];
}

export function noteOf(text: string, sourcePath = 'a.md'): SourceNote {
  return { sourcePath, title: 'A', tags: [], lastModified: 0, size: text.length, text };
}

/** A source whose every answer is an error. */
export function brokenSource(name: string): Source {
  const fail = () => Promise.reject(new Error('unreachable'));
  return {
    name,
    writable: false,
    notebook: {
      notes: { name, list: fail, read: fail, write: fail, remove: fail, close: async () => {} },
      searcher: {
        search: fail,
        files: fail,
        notes: fail,
        maybeCalled: fail,
        named: fail,
        tasks: fail,
        wordUse: fail,
        nearness: async () => undefined,
        links: fail,
        close: async () => {},
      },
    },
  };
}
