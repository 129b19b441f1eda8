/** A language model somebody runs, and what is asked of it. */
export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly content: string;
}

export interface ChatRequest {
  readonly messages: readonly ChatMessage[];
  readonly maxTokens: number;
  readonly temperature?: number;
  readonly stop?: readonly string[];
}

export interface ChatAnswer {
  readonly text: string;
  /** As the model calls itself. */
  readonly model: string;
  /** Whether it ended by itself, or because there were enough tokens. */
  readonly stopReason: 'end' | 'length' | 'stop';
  readonly usage?: { readonly input: number; readonly output: number };
}

export interface ChatModel {
  /** As it is configured. */
  readonly name: string;
  /** Throws an AppError that says what is wrong with the model, never with its key. */
  complete(request: ChatRequest, signal?: AbortSignal): Promise<ChatAnswer>;
}

/** Texts to vectors of one length, each of norm 1. */
export interface Embedder {
  /** Names the model and all that changes its vectors: vectors of another identity are of no use. */
  readonly identity: string;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** The same direction, of length 1; undefined for a vector without one. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let sum = 0;
  for (const number of vector) sum += number * number;
  const length = Math.sqrt(sum);
  if (!(length > 0) || !Number.isFinite(length)) return undefined;
  return vector.map((number) => number / length);
}
