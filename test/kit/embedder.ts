/** An embedder without a model: texts that share words, or words said to mean the same, get like vectors. */
import { type Embedder, unitVector } from '../../src/llm/types.ts';

export interface WordEmbedder extends Embedder {
  /** How many texts each call had. */
  readonly calls: number[];
}

const DIMENSIONS = 64;

/** `alike` are groups of words that mean the same. */
export function wordEmbedder(
  alike: readonly (readonly string[])[] = [],
  more: {
    identity?: string;
    before?: (texts: readonly string[], signal?: AbortSignal) => Promise<void>;
  } = {},
): WordEmbedder {
  const meanings = new Map(alike.flatMap((group) => group.map((word) => [word, group[0] ?? word])));
  const calls: number[] = [];
  return {
    identity: more.identity ?? 'words',
    calls,
    async embed(texts, signal) {
      calls.push(texts.length);
      await more.before?.(texts, signal);
      return texts.map((text) => vectorOf(text, meanings));
    },
    close: async () => {},
  };
}

function vectorOf(text: string, meanings: ReadonlyMap<string, string>): Float32Array {
  const vector = new Float32Array(DIMENSIONS);
  for (const word of text.toLowerCase().match(/[a-z0-9]{3,}/g) ?? []) {
    const meaning = meanings.get(word) ?? word;
    let hash = 7;
    for (const letter of meaning) hash = (Math.imul(hash, 31) + letter.charCodeAt(0)) | 0;
    // Several places for each word, so that two words rarely share all of theirs.
    for (let at = 0; at < 4; at++) {
      hash = Math.imul(hash ^ (hash >>> 13), 0x5bd1e995);
      vector[(hash >>> 1) % DIMENSIONS]! += hash & 1 ? 1 : -1;
    }
  }
  return unitVector(vector) ?? vector.fill(1 / 8);
}
