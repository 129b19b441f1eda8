/**
 * Whom a question is about, and whether a sentence of a note is about them: in a conversation, when they are people who
 * speak in the notes, a line by them; else a sentence that has their name in itself, in a heading over it, or in the
 * note's title or path; or one that follows such a sentence, in its paragraph or the next, and does not open with
 * another name; or one before it that goes on to it.
 */
import { contentWords, lemmaOf, wordsIn } from '../../notes/text/analyzer.ts';
import { pathWords } from '../retrieve/keyword-search.ts';
import type { RankedPassage } from '../types.ts';
import { namesIn } from './names.ts';
import { type NameClues, opensWith, otherOpening } from './other-names.ts';
import type { Paragraph, PassageSentence } from './sentences.ts';

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

/** Titles of people, which many share. */
const TITLE = /^(?:dr|mr|mrs|ms|prof|professor|doctor|herr|frau)$/i;

/** Stems of the names in a question, without titles; where some of them are of people who speak in the notes, of these alone. */
export function subjectsOf(question: string, speakers: ReadonlySet<string>): ReadonlySet<string> {
  const written = namesIn(question).filter((name) => /\p{L}/u.test(name));
  const untitled = written.filter((name) => !TITLE.test(name));
  const names = (untitled.length > 0 ? untitled : written).flatMap((name) => wordsIn(name).map(lemmaOf));
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

/** Whom a question is about, and what else is known of it and of the notes found. */
export interface Topic {
  readonly subjects: ReadonlySet<string>;
  readonly clues: NameClues;
  /** Whether the answer is a name, and so may begin with one. */
  readonly asksForPerson: boolean;
}

/** Whether each sentence of a paragraph is about the subjects. */
export function areAbout(topic: Topic, place: Place): readonly boolean[] {
  const { subjects } = topic;
  const { paragraph, before, headings, speaker, areSpeakers } = place;
  const hasSubject = (words: Iterable<string>) => [...words].some((word) => subjects.has(word));
  const all = (isAbout: boolean) => paragraph.sentences.map(() => isAbout);
  if (subjects.size === 0) return all(true);
  if (speaker !== undefined && areSpeakers) return all(hasSubject(contentWords(speaker)));
  if (hasSubject(headings)) return all(true);
  if (speaker !== undefined) return all(hasSubject(contentWords(`${paragraph.text} ${before?.text ?? ''}`)));
  const inOrder = aboutInOrder(topic, [...(before?.sentences ?? []), ...paragraph.sentences]);
  const namedLater = areNamedLater(topic, paragraph.sentences);
  return namedLater.map((isLater, at) => isLater || inOrder[at + (before?.sentences.length ?? 0)]!);
}

const PERSONAL = /^\W*(?:he|she|they|his|her|their|both)\b/i;
const IMPERSONAL = /^\W*(?:it|its)\b/i;
/** "Ben leads it" goes on about what was named before. */
const REFERS_BACK = /\b(?:it|its)\b/i;

/** A sentence that names nobody is about those named last; without a pronoun, others in between do not matter. */
function aboutInOrder(
  { subjects, clues, asksForPerson }: Topic,
  sentences: readonly PassageSentence[],
): readonly boolean[] {
  let isNamed = false;
  let isOtherNamed = false;
  let isOtherThingNamed = false;
  return sentences.map(({ text }) => {
    if (contentWords(text).some((word) => subjects.has(word))) {
      isNamed = true;
      isOtherNamed = false;
      isOtherThingNamed = false;
      return true;
    }
    const opening = otherOpening(text, clues);
    if (opening !== undefined) {
      const isAbout = isNamed && asksForPerson && opening === 'bare name' && !isOtherThingNamed;
      isOtherNamed = true;
      isOtherThingNamed ||= !REFERS_BACK.test(text);
      return isAbout;
    }
    const isOfOther = PERSONAL.test(text) ? isOtherNamed : IMPERSONAL.test(text) && isOtherThingNamed;
    return isNamed && !isOfOther;
  });
}

/**
 * Whether a later sentence says whom it was about: "Fixed the boiler. The plumber was Mr Petrov." One that opens with
 * the name begins something new, and others in between end what it goes on with.
 */
function areNamedLater(
  { subjects, clues }: Topic,
  sentences: readonly PassageSentence[],
): readonly boolean[] {
  let isNamed = false;
  const fromTheEnd = sentences.toReversed().map(({ text }) => {
    if (contentWords(text).some((word) => subjects.has(word)))
      isNamed = !opensWith(text, subjects) || REFERS_BACK.test(text);
    else if (otherOpening(text, clues) !== undefined || PERSONAL.test(text)) isNamed = false;
    else return isNamed;
    return false;
  });
  return fromTheEnd.reverse();
}
