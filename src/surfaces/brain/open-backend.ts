/** The operations of the second brain over a set of notebooks. */
import { ask } from '../../brain/answer/ask.ts';
import { groundedAnswer } from '../../brain/answer/grounded.ts';
import { createCite } from '../../brain/cite.ts';
import { ingest } from '../../brain/ingest/ingest.ts';
import { openLibrary } from '../../brain/library.ts';
import { passagesOf } from '../../brain/passages.ts';
import type { Retriever, Source } from '../../brain/types.ts';
import type { ChatModel } from '../../llm/types.ts';
import type { Answer, BrainAsking, BrainBackend } from './backend.ts';
import { createExtraction } from './extraction.ts';
import { pack } from './packing.ts';
import { recall } from './recall.ts';

export interface BrainParts {
  readonly sources: readonly Source[];
  readonly retriever: Retriever;
  /** The configured model, if there is one. */
  readonly provider?: ChatModel;
  readonly usesClientSampling: boolean;
  /** Names of tools that whoever gets a pack may use. */
  readonly allowedActions: readonly string[];
  /** Absolute: where `sb_ingest` may read files. */
  readonly allowedFileRoots: readonly string[];
  /** What notes are called. */
  readonly titles: () => Promise<readonly string[]>;
  /** What the status says beside the number of notes. */
  readonly facts: () => Promise<Answer>;
  /** How many passages there are, where somebody knows. */
  readonly chunks: () => number | undefined;
  readonly now: () => number;
  readonly newId: () => string;
}

export function openBrain(parts: BrainParts): BrainBackend {
  const { sources, retriever, provider, now, newId } = parts;
  const library = openLibrary(sources);
  const answering = ({ sampling }: BrainAsking) => ({
    retriever,
    cite: createCite(new Date(now()).toISOString()),
    models: { ...(provider && { provider }), ...(sampling && { sampling }) },
  });
  const extraction = createExtraction({ library, retriever, now });
  const { allowedActions, allowedFileRoots } = parts;
  const packing = { library, retriever, extraction, allowedActions, now, newId };
  return {
    usesClientSampling: parts.usesClientSampling,
    ask: async (request, asking) => ({ ...(await ask(answering(asking), request, asking)) }),
    groundedAnswer: async (request, asking) => ({
      ...(await groundedAnswer({ ...answering(asking), newId }, request, asking)),
    }),
    recall: (request, asking) => recall(retriever, request, { now: now(), asking }),
    ...extraction,
    ingest: async (request, { signal }) => ({
      ...(await ingest({ sources, allowedFileRoots, countChunks, now }, request, signal)),
    }),
    pack: (request, asking) => pack(packing, request, asking),
    async words() {
      const notes = await library.notes({});
      return {
        titles: await parts.titles(),
        tags: [...new Set(notes.flatMap(({ tags }) => tags))].sort(),
      };
    },
    async status() {
      const notes = await library.notes({});
      return { ...(await parts.facts()), vault: { notes: notes.length, chunks: parts.chunks() ?? null } };
    },
  };
}

function countChunks(sourcePath: string, text: string): number {
  return passagesOf({ sourcePath, title: '', tags: [], lastModified: 0, size: text.length, text }).length;
}
