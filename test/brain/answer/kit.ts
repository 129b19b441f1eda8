/** Questions to one note. */
import { ask } from '../../../src/brain/answer/ask.ts';
import { createCite } from '../../../src/brain/answer/citations.ts';
import { openRetriever } from '../../../src/brain/retrieve/retriever.ts';
import { sourceOf } from '../kit.ts';

export async function answerTo(question: string, note: string) {
  const retriever = openRetriever({ sources: [await sourceOf({ 'notes.md': note })] });
  const parts = { retriever, cite: createCite('2026-01-01T00:00:00.000Z'), models: {} };
  return ask(parts, { question, topK: 8, scope: {}, mode: 'auto' });
}
