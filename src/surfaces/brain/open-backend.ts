/** The operations of the second brain over a set of notebooks. */

import { ask } from '../../brain/answer/ask.ts';
import { citationsIn, createCite } from '../../brain/answer/citations.ts';
import { groundedAnswer } from '../../brain/answer/grounded.ts';
import { ingest } from '../../brain/ingest/ingest.ts';
import { buildPack, type FindRequest, type PackedContext, type PackRequest } from '../../brain/pack/pack.ts';
import type { FoundDecision, FoundLoop } from '../../brain/pack/types.ts';
import { openLibrary } from '../../brain/retrieve/library.ts';
import type { Library, Retriever, Source } from '../../brain/types.ts';
import type { ChatModel } from '../../llm/types.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import type { Answer, BrainBackend, BrainCallOptions } from './backend.ts';
import { createExtraction } from './extraction.ts';
import { recall } from './recall-tools.ts';

interface PackingParts {
  readonly library: Library;
  readonly retriever: Retriever;
  readonly extraction: Pick<BrainBackend, 'openLoops' | 'decisions'>;
  readonly allowedActions: readonly string[];
  readonly now: () => number;
  readonly newId: () => string;
}

const POLICY = { notes_are_data: true, network: false, writes_need_the_user: true };

/** Builds a context pack from the other operations of the second brain. */
function pack(parts: PackingParts, request: PackRequest, options: SearchOptions): Promise<PackedContext> {
  const { library, retriever, extraction, allowedActions, now, newId } = parts;
  const retrievedAt = new Date(now()).toISOString();
  return buildPack(
    {
      library,
      retriever,
      cite: createCite(retrievedAt),
      citeAt: (note, span) => citationsIn(note)(span, { index: 0, score: 1, retrievedAt }),
      decisions: (wanted) => decisionsFor(extraction, wanted, options),
      openLoops: (wanted) => loopsFor(extraction, wanted, options),
      allowedActions,
      policyControls: POLICY,
      now,
      newId,
    },
    request,
    options,
  );
}

async function decisionsFor(
  { decisions }: PackingParts['extraction'],
  { intent, scope, limit }: FindRequest,
  options: SearchOptions,
): Promise<FoundDecision[]> {
  const request = { query: intent, scope, limit, includeLowConfidence: false };
  const found = (await decisions(request, options)).decisions as readonly FoundDecision[];
  return found.map(({ title, decision, status, date, citation }) => ({
    title,
    decision,
    status,
    citation,
    date: date || undefined,
  }));
}

async function loopsFor(
  { openLoops }: PackingParts['extraction'],
  { scope, limit }: FindRequest,
  options: SearchOptions,
): Promise<FoundLoop[]> {
  const found = (await openLoops({ scope, status: 'open', limit }, options)).loops as readonly FoundLoop[];
  return found.map(({ id, kind, text, owner, due, citation }) => ({
    id,
    kind,
    text,
    citation,
    owner: owner || undefined,
    due: due || undefined,
  }));
}

interface BrainParts {
  readonly sources: readonly Source[];
  readonly retriever: Retriever;
  /** The configured model. */
  readonly provider?: ChatModel;
  readonly usesClientSampling: boolean;
  /** Tool names that the receiver of a pack may use. */
  readonly allowedActions: readonly string[];
  /** Absolute paths of the folders that `sb_ingest` may read files from. */
  readonly allowedFileRoots: readonly string[];
  /** Titles of all notes. */
  readonly titles: () => Promise<readonly string[]>;
  /** Further fields of the status. */
  readonly facts: () => Promise<Answer>;
  /** Number of passages; undefined until they have been counted. */
  readonly chunks: () => number | undefined;
  readonly now: () => number;
  readonly newId: () => string;
}

export function openBrain(parts: BrainParts): BrainBackend {
  const { sources, retriever, provider, now, newId } = parts;
  const library = openLibrary(sources);
  const answering = ({ sampling }: BrainCallOptions) => ({
    retriever,
    cite: createCite(new Date(now()).toISOString()),
    models: { provider, sampling },
  });
  const extraction = createExtraction({ library, retriever, now });
  const { allowedActions, allowedFileRoots } = parts;
  const packing = { library, retriever, extraction, allowedActions, now, newId };
  return {
    usesClientSampling: parts.usesClientSampling,
    ask: async (request, options) => ({ ...(await ask(answering(options), request, options)) }),
    groundedAnswer: async (request, options) => ({
      ...(await groundedAnswer({ ...answering(options), newId }, request, options)),
    }),
    recall: (request, options) => recall(retriever, request, { now: now(), options }),
    ...extraction,
    ingest: async (request, { signal }) => ({
      ...(await ingest({ sources, allowedFileRoots, now }, request, signal)),
    }),
    pack: (request, options) => pack(packing, request, options),
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
