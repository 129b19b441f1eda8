/** An embedder behind any OpenAI-compatible `/embeddings` endpoint: Ollama, llama.cpp, vLLM, or a hosted one. */
import { AppError } from '../shared/errors.ts';
import { createOpenAiPost, type ModelRole, type OpenAiOptions } from './openai-request.ts';
import { type Embedder, unitVector } from './types.ts';

interface OpenAiEmbedderOptions extends OpenAiOptions {
  /** For models that support shorter vectors. */
  readonly dimensions?: number;
}

const ROLE: ModelRole = {
  name: 'embedding model',
  section: 'brain.embeddings',
  slowFix: ': see whether its server is busy, or choose a smaller model',
};
const TEXTS_PER_REQUEST = 32;
/** Models truncate longer texts, or refuse them. */
const LONGEST_TEXT = 8_000;
const MAX_DIMENSIONS = 16_384;
const MAX_ANSWER_BYTES = 16 * 1024 * 1024;

export function openOpenAiEmbedder(options: OpenAiEmbedderOptions): Embedder {
  const { model, dimensions, baseUrl } = options;
  if (model === '')
    throw new AppError('invalid_input', 'No model is named', {
      hint: `Name one for embeddings that the server has in ${ROLE.section}.model.`,
    });
  const post = createOpenAiPost({ maxAnswerBytes: MAX_ANSWER_BYTES, ...options, role: ROLE });
  let known = dimensions;
  return {
    identity: JSON.stringify(['openai', baseUrl, model, dimensions ?? null]),
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      for (let at = 0; at < texts.length; at += TEXTS_PER_REQUEST) {
        const batch = texts.slice(at, at + TEXTS_PER_REQUEST);
        // Some servers refuse an empty text.
        const input = batch.map((text) => (text.trim() === '' ? '-' : text.slice(0, LONGEST_TEXT)));
        const body = { model, input, encoding_format: 'float', dimensions };
        const made = vectorsIn(await post('/embeddings', body, signal), batch.length, model);
        known ??= made[0]?.length;
        for (const vector of made) {
          if (vector.length !== known)
            throw unusable(model, `Its vectors have ${known} numbers, and this one has ${vector.length}.`);
          vectors.push(vector);
        }
      }
      return vectors;
    },
    close: async () => {},
  };
}

function vectorsIn(answer: unknown, count: number, model: string): Float32Array[] {
  const { data } = (answer ?? {}) as { data?: unknown };
  if (!Array.isArray(data) || data.length !== count)
    throw unusable(
      model,
      `It was asked for ${count} vectors and gave ${Array.isArray(data) ? data.length : 'none'}.`,
    );
  const vectors = new Array<Float32Array | undefined>(count).fill(undefined);
  for (const [at, item] of data.entries()) {
    const { index = at, embedding } = (item ?? {}) as { index?: unknown; embedding?: unknown };
    if (typeof index === 'number' && index in vectors) vectors[index] = vectorOf(embedding);
  }
  return vectors.map((vector) => {
    if (!vector) throw unusable(model, 'A vector is missing, or is not one of numbers.');
    return vector;
  });
}

function vectorOf(numbers: unknown): Float32Array | undefined {
  if (!Array.isArray(numbers) || numbers.length === 0 || numbers.length > MAX_DIMENSIONS) return undefined;
  if (!numbers.every((number) => typeof number === 'number' && Number.isFinite(number))) return undefined;
  return unitVector(Float32Array.from(numbers));
}

function unusable(model: string, hint: string): AppError {
  return new AppError('upstream_failed', "The embedding model's vectors cannot be used", {
    subject: model,
    hint: `${hint} Check that ${ROLE.section}.model is one for embeddings.`,
  });
}
