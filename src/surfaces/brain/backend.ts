/** The backend of the second brain's tools: its operations as functions over plain data. */
import type { AskRequest } from '../../brain/answer/ask.ts';
import type { GroundedRequest } from '../../brain/answer/grounded.ts';
import type { DecisionsRequest, MeetingRequest } from '../../brain/extract/ops/extract.ts';
import type { OpenLoopsRequest } from '../../brain/extract/ops/open-loops.ts';
import type { IngestRequest } from '../../brain/ingest/ingest.ts';
import type { PackRequest } from '../../brain/pack/pack.ts';
import type { Citation, RetrievalMode, SearchScope } from '../../brain/types.ts';
import type { ChatModel } from '../../llm/types.ts';
import { defineToolFor } from '../../mcp/tool.ts';
import type { SearchOptions } from '../../notes/searcher.ts';

/** Options of one call, with the client's own model where sampling is offered. */
export interface BrainCallOptions extends SearchOptions {
  readonly sampling?: ChatModel;
}

export interface RecallRequest {
  readonly query: string;
  readonly limit: number;
  /** Hash prefixes of the passages shown on earlier pages. */
  readonly shown: readonly string[];
  readonly mode: RetrievalMode;
  readonly scope: SearchScope;
}

export interface RecalledPassage {
  readonly title: string;
  readonly tags: readonly string[];
  /** ISO time. */
  readonly updatedAt: string;
  readonly snippet: string;
  readonly text: string;
  readonly citation: Citation;
}

export interface RecallAnswer {
  readonly results: readonly RecalledPassage[];
  /** Number of matching notes, shown or not. */
  readonly total: number;
  readonly hasMore: boolean;
  readonly modeUsed: RetrievalMode;
  readonly warnings: readonly string[];
}

/** An answer with the wire's structure; only its keys are still spelt in camel case. */
export type Answer = Readonly<Record<string, unknown>>;

export interface BrainBackend {
  ask(request: AskRequest, options: BrainCallOptions): Promise<Answer>;
  groundedAnswer(request: GroundedRequest, options: BrainCallOptions): Promise<Answer>;
  recall(request: RecallRequest, options: SearchOptions): Promise<RecallAnswer>;
  /** A context pack, as data and as text in the requested format. */
  pack(
    request: PackRequest,
    options: SearchOptions,
  ): Promise<{ readonly pack: object; readonly text: string }>;
  ingest(request: IngestRequest, options: SearchOptions): Promise<Answer>;
  openLoops(request: OpenLoopsRequest, options: SearchOptions): Promise<Answer>;
  /** `scope` limits the notes of `query`. */
  decisions(
    request: DecisionsRequest & { readonly scope?: SearchScope },
    options: SearchOptions,
  ): Promise<Answer>;
  meeting(request: MeetingRequest, options: SearchOptions): Promise<Answer>;
  /** Titles and tags, for completion. */
  words(): Promise<{ readonly titles: readonly string[]; readonly tags: readonly string[] }>;
  /** Content of the status resource; holds no path of the host and no secret. */
  status(): Promise<Answer>;
  /** Whether the client's model may be used through MCP sampling. */
  readonly usesClientSampling: boolean;
}

export const defineTool = defineToolFor<BrainBackend>();
