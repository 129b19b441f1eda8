/** Interfaces of language models and embedders. */
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
  /** The model's name as the server reports it. */
  readonly model: string;
  /** Whether the model finished, reached the token limit, or met a stop sequence. */
  readonly stopReason: 'end' | 'length' | 'stop';
  readonly usage?: { readonly input: number; readonly output: number };
}

export interface ChatModel {
  /** The configured name. */
  readonly name: string;
  /** Throws an `AppError` about the model or its server; never contains the key. */
  complete(request: ChatRequest, signal?: AbortSignal): Promise<ChatAnswer>;
}

/** Turns texts into vectors of one length and norm 1. */
export interface Embedder {
  /**
   * Identifies the model and every setting that changes its vectors; vectors of different identities cannot be
   * compared.
   */
  readonly identity: string;
  embed(texts: readonly string[], signal?: AbortSignal): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** Normalizes to length 1; undefined for the zero vector. */
export function unitVector(vector: Float32Array): Float32Array | undefined {
  let sum = 0;
  for (const number of vector) sum += number * number;
  const length = Math.sqrt(sum);
  if (!(length > 0) || !Number.isFinite(length)) return undefined;
  return vector.map((number) => number / length);
}
