/** What the tools of the second brain stand on: its operations, as plain functions over plain data. */
import type { PackRequest } from '../../brain/pack/pack.ts';
import type { Citation, RetrievalMode, SearchScope } from '../../brain/types.ts';
import type { ChatModel } from '../../llm/types.ts';
import { defineToolFor } from '../../mcp/tool.ts';
import type { SearchOptions } from '../../notes/searcher.ts';

/** Whoever asks, and the model that may be asked on their side. */
export interface BrainCallOptions extends SearchOptions {
  readonly sampling?: ChatModel;
}

interface QuestionRequest {
  readonly question: string;
  readonly topK: number;
  readonly scope: SearchScope;
}

interface AskRequest extends QuestionRequest {
  readonly mode: 'auto' | 'extractive' | 'generate';
}

interface GroundedRequest extends QuestionRequest {
  readonly minSupport: number;
}

export interface RecallRequest {
  readonly query: string;
  readonly limit: number;
  /** Beginnings of the hashes of passages that were shown before. */
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
  /** Notes that match, shown or not. */
  readonly total: number;
  readonly hasMore: boolean;
  readonly modeUsed: RetrievalMode;
  readonly warnings: readonly string[];
}

export interface IngestRequest {
  readonly content?: string;
  readonly path?: string;
  readonly title?: string;
  readonly tags: readonly string[];
  readonly dest?: string;
  readonly onConflict: 'error' | 'append' | 'replace';
  readonly dryRun: boolean;
}

interface LoopsRequest {
  readonly scope: SearchScope;
  readonly kinds?: readonly string[];
  readonly owner?: string;
  /** A day. */
  readonly dueBefore?: string;
  readonly status: 'open' | 'done' | 'all';
  readonly limit: number;
  readonly cursor?: string;
}

export interface DecisionsRequest {
  readonly text?: string;
  readonly sourcePath?: string;
  readonly query?: string;
  /** Of the query. */
  readonly scope?: SearchScope;
  /** A day. */
  readonly since?: string;
  readonly limit: number;
  readonly includeLowConfidence: boolean;
}

export interface MeetingRequest {
  readonly text?: string;
  readonly sourcePath?: string;
  /** A day. */
  readonly referenceDate?: string;
  readonly dates?: 'mdy' | 'dmy';
}

/** An answer as the wire has it, but for the spelling of its keys. */
export type Answer = Readonly<Record<string, unknown>>;

export interface BrainBackend {
  ask(request: AskRequest, asking: BrainCallOptions): Promise<Answer>;
  groundedAnswer(request: GroundedRequest, asking: BrainCallOptions): Promise<Answer>;
  recall(request: RecallRequest, asking: SearchOptions): Promise<RecallAnswer>;
  /** A pack, and the same as a text in the format that was asked for. */
  pack(
    request: PackRequest,
    asking: SearchOptions,
  ): Promise<{ readonly pack: object; readonly text: string }>;
  ingest(request: IngestRequest, asking: SearchOptions): Promise<Answer>;
  openLoops(request: LoopsRequest, asking: SearchOptions): Promise<Answer>;
  decisions(request: DecisionsRequest, asking: SearchOptions): Promise<Answer>;
  meeting(request: MeetingRequest, asking: SearchOptions): Promise<Answer>;
  /** What notes are called, and which tags there are, for whoever types. */
  words(): Promise<{ readonly titles: readonly string[]; readonly tags: readonly string[] }>;
  /** For the resource of that name; no path of the host and no secret. */
  status(): Promise<Answer>;
  /** Whether a client may be asked to write for us. */
  readonly usesClientSampling: boolean;
}

export const defineTool = defineToolFor<BrainBackend>();
