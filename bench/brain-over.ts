/** The second brain's retrieval over one folder, as the benchmarks ask it. */
import { availableParallelism } from 'node:os';
import { notebookOver } from '../src/app/open-notes.ts';
import { Embedding } from '../src/brain/embed/embedding.ts';
import { openLibrary } from '../src/brain/retrieve/library.ts';
import { openRetriever } from '../src/brain/retrieve/retriever.ts';
import { type Embedder, unitVector } from '../src/llm/types.ts';
import { PathFilter } from '../src/notes/path-filter.ts';
import { createLog, silentLog } from '../src/shared/log.ts';
import { openFolderStore } from '../src/stores/folder/store.ts';

export interface BrainOptions {
  readonly folder: string;
  /** The folder of saved vectors. */
  readonly cache: string;
  /** `hashes`: vectors of 512 numbers made of words, in no time. They mean nothing; comparing them takes as long. */
  readonly embedder?: 'hashes';
}

export async function openBrain({ folder, cache, embedder: kind }: BrainOptions) {
  const filter = new PathFilter();
  const store = await openFolderStore(folder, {
    isVisible: (path) => !filter.isHidden(path),
    untouched: true,
  });
  const notebook = notebookOver(store, filter, { frontmatterRules: [], noDelete: false }, { log: silentLog });
  notebook.searcher.start();
  await notebook.searcher.meaningKnown();
  const source = { name: 'notes', notebook, writable: false };
  const log = createLog('info', (line) => process.stderr.write(line));
  const embedder: Embedder | undefined = kind && {
    identity: 'hashes',
    embed: async (texts) => texts.map(hashed),
    close: async () => {},
  };
  const embedding =
    embedder &&
    new Embedding({ embedder, library: openLibrary([source]), folder: cache, place: folder, log });
  const settled = embedding?.settled();
  embedding?.start();
  await settled;
  return {
    titles: (most: number) => notebook.searcher.someTitles(most),
    retriever: openRetriever({
      sources: [source],
      ...(embedder && { embedder }),
      ...(embedding && { embedding }),
    }),
    status: () => embedding?.status(),
    processors: availableParallelism(),
    async close() {
      await embedding?.close();
      await embedder?.close();
      await notebook.searcher.close();
      await notebook.notes.close();
    },
  };
}

const DIMENSIONS = 512;

function hashed(text: string): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/[a-z0-9]+/g) ?? []) {
    let hash = 7;
    for (let at = 0; at < word.length; at++) hash = (Math.imul(hash, 31) + word.charCodeAt(at)) | 0;
    for (let at = 0; at < 6; at++) {
      hash = Math.imul(hash ^ (hash >>> 15), 0x5bd1e995);
      vector[(hash >>> 1) % DIMENSIONS]! += hash & 1 ? 1 : -1;
    }
  }
  return unitVector(vector) ?? vector.fill(Math.sqrt(1 / DIMENSIONS));
}
