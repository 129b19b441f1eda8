/** The operations of the second brain over a set of notebooks, as functions over plain data. */
import { type AskRequest, ask } from '../../brain/answer/ask.ts';
import { citationsIn, createCite } from '../../brain/answer/citations.ts';
import { type GroundedRequest, groundedAnswer } from '../../brain/answer/grounded.ts';
import { type RecallRequest, recall } from '../../brain/answer/recall.ts';
import { createExtraction } from '../../brain/extract/ops/extraction.ts';
import { type IngestCall, type IngestRequest, ingest } from '../../brain/ingest/ingest.ts';
import { buildPack, type PackRequest } from '../../brain/pack/pack.ts';
import { openLibrary } from '../../brain/retrieve/library.ts';
import type { Retriever, Source } from '../../brain/types.ts';
import type { ChatModel } from '../../llm/types.ts';
import { defineToolFor } from '../../mcp/tool.ts';
import type { SearchOptions } from '../../notes/searcher.ts';

/** Options of one call, with the client's own model where sampling is offered. */
export interface BrainCallOptions extends SearchOptions {
  readonly sampling?: ChatModel;
}

interface BrainParts {
  readonly sources: readonly Source[];
  readonly retriever: Retriever;
  /** The configured model. */
  readonly provider?: ChatModel;
  /** Whether the client's model may be used through MCP sampling. */
  readonly usesClientSampling: boolean;
  /** Tool names that the receiver of a pack may use. */
  readonly allowedActions: readonly string[];
  /** Absolute paths of the folders that `sb_ingest` may read files from. */
  readonly allowedFileRoots: readonly string[];
  /** Titles of all notes. */
  readonly titles: () => Promise<readonly string[]>;
  /** Further fields of the status. */
  readonly facts: () => Promise<Readonly<Record<string, unknown>>>;
  /** Number of passages; undefined until they have been counted. */
  readonly chunks: () => number | undefined;
  readonly now: () => number;
  readonly newId: () => string;
}

const POLICY = { notes_are_data: true, network: false, writes_need_the_user: true };

/** An answer has the wire's structure; only its keys are still spelt in camel case. */
export type BrainBackend = ReturnType<typeof openBrain>;

export function openBrain(parts: BrainParts) {
  const { sources, retriever, provider, allowedActions, now, newId } = parts;
  const library = openLibrary(sources);
  const extraction = createExtraction({ library, retriever, now });
  const nowIso = () => new Date(now()).toISOString();
  const answering = ({ sampling }: BrainCallOptions) => ({
    retriever,
    cite: createCite(nowIso()),
    models: { provider, sampling },
    newId,
  });
  return {
    ...extraction,
    usesClientSampling: parts.usesClientSampling,
    ask: (request: AskRequest, options: BrainCallOptions) => ask(answering(options), request, options),
    groundedAnswer: (request: GroundedRequest, options: BrainCallOptions) =>
      groundedAnswer(answering(options), request, options),
    recall: (request: RecallRequest, options: SearchOptions) =>
      recall(retriever, request, { retrievedAt: nowIso(), options }),
    ingest: (request: IngestRequest, call: IngestCall) => ingest(parts, request, call),
    /** A context pack, as data and as text in the requested format. */
    pack(request: PackRequest, options: SearchOptions) {
      const retrievedAt = nowIso();
      return buildPack(
        {
          library,
          retriever,
          cite: createCite(retrievedAt),
          citeAt: (note, span) => citationsIn(note)(span, { index: 0, score: 1, retrievedAt }),
          async decisions({ intent, scope, limit }) {
            const wanted = { query: intent, scope, limit, includeLowConfidence: false };
            const found = await extraction.decisions(wanted, options);
            return found.decisions.map(({ title, decision, status, date, citation }) => {
              return { title, decision, status, citation, date: date ?? undefined };
            });
          },
          async openLoops({ scope, limit }) {
            const { loops } = await extraction.openLoops({ scope, status: 'open', limit }, options);
            return loops.map(({ id, kind, text, owner, due, citation }) => {
              return { id, kind, text, citation, owner: owner ?? undefined, due: due ?? undefined };
            });
          },
          allowedActions,
          policyControls: POLICY,
          now,
          newId,
        },
        request,
        options,
      );
    },
    /** Titles and tags, for completion. */
    async words() {
      const notes = await library.notes({});
      return {
        titles: await parts.titles(),
        tags: [...new Set(notes.flatMap(({ tags }) => tags))].sort(),
      };
    },
    /** Content of the status resource; holds no path of the host and no secret. */
    async status() {
      const notes = await library.notes({});
      return { ...(await parts.facts()), vault: { notes: notes.length, chunks: parts.chunks() ?? null } };
    },
  };
}

export const defineTool = defineToolFor<BrainBackend>();
