/** What the measured ways of finding say about the settings, in one line. */
import { isClearlyBetter, type WayResult } from './measure.ts';

export interface Comparison {
  readonly words: WayResult;
  /** Words and the meaning that is learned from the notes. */
  readonly meaning?: WayResult;
  /** How well notes are found with an embedding model. */
  readonly model?: WayResult;
}

const FEWEST_QUESTIONS = 30;

export function recommendationOf({ words, meaning, model }: Comparison): string {
  const { length: count } = words.places;
  if (count < FEWEST_QUESTIONS)
    return `Too few questions to tell the ways apart: ${count}, and ${FEWEST_QUESTIONS} are needed. Keep the settings as they are, and measure again with more notes.`;
  const usual = meaning ?? words;
  if (model) return aboutModel(model, usual);
  if (!meaning)
    return 'Keep the default: there are too few notes to learn meaning from, so they are found by words alone.';
  if (isClearlyBetter(meaning, words))
    return `Keep the default: ${meaning.name} find clearly more of these notes than ${words.name}.`;
  if (isClearlyBetter(words, meaning))
    return `Ask with mode: exact where you know the words: on these notes, ${words.name} find clearly more.`;
  return 'Keep the default: on these notes, meaning makes no clear difference to words alone.';
}

function aboutModel(model: WayResult, usual: WayResult): string {
  if (isClearlyBetter(model, usual))
    return `Keep the embedding model: ${model.name} finds clearly more of these notes than ${usual.name}.`;
  const why = isClearlyBetter(usual, model)
    ? `${usual.name} find clearly more of these notes`
    : `it makes no clear difference to ${usual.name} on these notes`;
  return `Leave the embedding model out (brain.embeddings: auto): ${why}.`;
}
