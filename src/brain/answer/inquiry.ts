/** Finds what a question needs before anybody writes a word. */
import type { SearchOptions } from '../../notes/searcher.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { memoize } from '../../shared/memoize.ts';
import type { Retriever, SearchScope } from '../types.ts';
import { scoreSentences } from './extractive.ts';
import type { Inquiry } from './synthesize.ts';

export interface QuestionRequest {
  readonly question: string;
  /** How many passages to answer from. */
  readonly topK: number;
  readonly scope: SearchScope;
}

export interface OpenInquiry extends Inquiry {
  /** Of the search, and of what went wrong since. */
  readonly warnings: string[];
}

export async function openInquiry(
  retriever: Retriever,
  { question: raw, topK, scope }: QuestionRequest,
  asking: SearchOptions = {},
): Promise<OpenInquiry> {
  const question = raw.trim();
  if (question === '')
    throw new AppError('invalid_input', 'No question', {
      hint: 'Put the question in words, such as "When is the launch?".',
    });
  const found = await retriever.retrieve({ query: question, limit: topK, mode: 'hybrid', scope }, asking);
  const warnings = [...found.warnings];
  const similarity = forgiving(retriever, warnings, asking);
  return {
    question,
    evidence: found.passages,
    sentences: memoize(() => scoreSentences(question, found.passages, similarity)),
    similarity,
    warnings,
    signal: asking.signal,
  };
}

/** An embedder that fails leaves an answer by words. */
function forgiving(retriever: Retriever, warnings: string[], asking: SearchOptions): Retriever['similarity'] {
  return async (text, others) => {
    if (others.length === 0) return undefined;
    try {
      return await retriever.similarity(text, others, asking);
    } catch (error) {
      asking.signal?.throwIfAborted();
      if (!isAppError(error)) throw error;
      const warning = `Meaning could not be compared, only words (${error.title}).`;
      if (!warnings.includes(warning)) warnings.push(warning);
      return undefined;
    }
  };
}
