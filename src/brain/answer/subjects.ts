/**
 * Whom a question is about, and whether a line of a note is about them: in a conversation, when they are people who
 * speak in the notes, a line by them; else a line that has their name in its paragraph, in the one before, in a heading
 * over it, or in the note's title or path.
 */
import { contentWords, lemmaOf, wordsIn } from '../../notes/text/analyzer.ts';
import { pathWords } from '../retrieve/keyword-search.ts';
import type { RankedPassage } from '../types.ts';
import { namesIn } from './names.ts';
import type { Paragraph } from './sentences.ts';

/** Least share of the paragraphs of a conversation that say who speaks. */
const LEAST_LABELLED = 0.6;

/**
 * The labels of those who speak in a passage, if it is a conversation: most paragraphs have one, and one comes again, or
 * the note's title names them all.
 */
function speakersIn(paragraphs: readonly Paragraph[]): ReadonlySet<string> {
  const labels = paragraphs.flatMap(({ label }) => label ?? []);
  const speakers = new Set(labels);
  const title = new Set(contentWords(paragraphs[0]?.source.passage.title ?? ''));
  const isTitle = [...speakers].flatMap(contentWords).every((word) => title.has(word));
  const isConversation =
    speakers.size >= 2 &&
    (speakers.size < labels.length || isTitle) &&
    labels.length >= LEAST_LABELLED * paragraphs.length;
  return isConversation ? speakers : new Set();
}

/** Of the paragraphs of all passages, by passage. */
export function speakersOf(passages: readonly (readonly Paragraph[])[]): ReadonlySet<string> {
  return new Set(passages.flatMap((paragraphs) => [...speakersIn(paragraphs)]));
}

/** Stems of the names in a question; where some of them are of people who speak in the notes, of these alone. */
export function subjectsOf(question: string, speakers: ReadonlySet<string>): ReadonlySet<string> {
  const names = namesIn(question)
    .filter((name) => /\p{L}/u.test(name))
    .flatMap((name) => wordsIn(name).map(lemmaOf));
  const speaking = new Set([...speakers].flatMap(contentWords));
  const asked = names.flatMap((name) => [...speaking].filter((one) => isNameOf(one, name)));
  return new Set(asked.length > 0 ? asked : names);
}

const SHORTEST_NICKNAME = 3;

/** Whether `name` is that of a speaker, or the beginning of it, as "Mel" is of "Melanie". */
function isNameOf(speaker: string, name: string): boolean {
  return speaker === name || (name.length >= SHORTEST_NICKNAME && speaker.startsWith(name));
}

/** Words of the note's path and title, of the headings over a passage, and of others `within` it. */
export function headingWords(
  { passage }: RankedPassage,
  within: readonly string[] = [],
): ReadonlySet<string> {
  const over = [pathWords(passage.sourcePath), passage.title, ...passage.headings, ...within];
  return new Set(contentWords(over.join(' ')));
}

interface Place {
  readonly paragraph: Paragraph;
  readonly before?: Paragraph;
  readonly headings: ReadonlySet<string>;
  readonly speaker?: string;
  /** Whether those whom the question is about speak in the notes. */
  readonly areSpeakers: boolean;
}

export function isAbout(
  subjects: ReadonlySet<string>,
  { paragraph, before, headings, speaker, areSpeakers }: Place,
): boolean {
  if (subjects.size === 0) return true;
  const names =
    speaker === undefined || !areSpeakers
      ? [...headings, ...contentWords(`${paragraph.text} ${before?.text ?? ''}`)]
      : contentWords(speaker);
  return names.some((word) => subjects.has(word));
}
