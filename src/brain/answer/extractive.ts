/**
 * Extractive answers, without a model: at most three sentences of the notes verbatim, each from a paragraph of its own.
 * A sentence is as good as the telling words of the question that it has, weighted by how rare they are among all
 * sentences; those of its paragraph, of the neighbouring ones and of the headings count in part. What follows a question
 * with the same words is better, and so is what stands in a good passage, in a note with one, or in the note of a day
 * that is asked about. Weights were chosen on the odd half of the questions of bench/quality/conversations.mjs.
 */
import { contentWords, isStopWord, lemmaOf, questionOf } from '../../notes/text/analyzer.ts';
import { idf } from '../../notes/text/bm25.ts';
import type { RankedPassage, RetrievalResult, Retriever } from '../types.ts';
import { kindOf } from './answer-kind.ts';
import { factsOf, yearsOf } from './facts.ts';
import { createNameClues } from './other-names.ts';
import { type Paragraph, type PassageSentence, paragraphsIn } from './sentences.ts';
import { areAbout, headingWords, speakersOf, subjectsOf, type Topic } from './subjects.ts';

export interface NextSentence extends PassageSentence {
  readonly words: ReadonlySet<string>;
  readonly isAbout: boolean;
}

export interface ScoredSentence extends PassageSentence {
  readonly paragraph: Paragraph;
  /** The statement right after it in its paragraph. */
  readonly next?: NextSentence;
  /** Who says it, in a conversation. */
  readonly speaker?: string;
  readonly words: ReadonlySet<string>;
  /** Share of the question's telling words in the sentence itself, weighted by how rare they are in all notes, 0 to 1. */
  readonly own: number;
  /** The words of the sentence and of its headings, weighted likewise. */
  readonly headed: number;
  /** With the words of the questions right before it, which a reply does not repeat. */
  readonly replied: number;
  /**
   * The words of the sentence, of its headings, and in part of its paragraph and the neighbouring ones, weighted by how
   * rare they are among the sentences found.
   */
  readonly coverage: number;
  /** Whether it is about those whom the question names. */
  readonly isAbout: boolean;
  /** Cosine of question and sentence, where there is an embedder. */
  readonly cosine?: number;
  /** Comparable within one question. */
  readonly score: number;
}

const IN_PARAGRAPH = 0.7;
const IN_PARAGRAPH_BEFORE = 0.6;
const IN_PARAGRAPH_BEHIND = 0.4;
const IN_HEADINGS = 0.6;
/** Weight of the words in a question right before it. */
const ASKED_BEFORE = 0.4;
/** Weight of the passage's score. */
const PASSAGE_WEIGHT = 0.5;
/** Weight of the score of the note's best passage: a further passage has a lower score for being of the same note. */
const NOTE_WEIGHT = 1.2;
/** Weight of a date of the question in the note's path or title. */
const SAME_DAY = 0.3;
const COSINE_WEIGHT = 0.6;
/** Cosine of unrelated sentences. */
const LEAST_COSINE = 0.2;
/** From this cosine on, a sentence counts without any word of the question. */
const SAME_MEANING = 0.42;
/** Each candidate is embedded per question, which takes time. */
const MOST_CANDIDATES = 48;

/** Stems of the words that tell what a question is for; those it is about are none of them, unless there is nothing else. */
export function tellingWords(question: string, subjects: ReadonlySet<string> = new Set()): string[] {
  const words = questionOf(question).words.filter((word) => !isStopWord(word));
  const stems = [...new Set(words.map(lemmaOf))];
  const telling = stems.filter((stem) => !subjects.has(stem));
  return telling.length > 0 ? telling : stems;
}

export type Evidence = Pick<RetrievalResult, 'passages' | 'rarities'>;

/** Best first; questions, greetings and links by themselves are none. */
export async function scoreSentences(
  question: string,
  evidence: Evidence,
  similarity: Retriever['similarity'],
): Promise<ScoredSentence[]> {
  const asksForTime = kindOf(question) === 'a time';
  const candidates = byWords(question, evidence)
    .filter((sentence) => isStatement(sentence, asksForTime))
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_CANDIDATES);
  const cosines = await similarity(
    question,
    candidates.map(({ text }) => text),
  );
  return candidates
    .map((candidate, at) => withCosine(candidate, cosines?.[at]))
    .filter(({ coverage, cosine = 0 }) => coverage > 0 || cosine >= SAME_MEANING)
    .sort((a, b) => b.score - a.score);
}

function withCosine(sentence: ScoredSentence, cosine: number | undefined): ScoredSentence {
  if (cosine === undefined) return sentence;
  const meaning = Math.max(0, (cosine - LEAST_COSINE) / (1 - LEAST_COSINE));
  const place = sentence.score - sentence.coverage;
  return {
    ...sentence,
    cosine,
    score: COSINE_WEIGHT * meaning + (1 - COSINE_WEIGHT) * sentence.coverage + place,
  };
}

function byWords(question: string, { passages: found, rarities }: Evidence): ScoredSentence[] {
  const passages = found.map(paragraphsIn);
  const speakers = speakersOf(passages);
  const subjects = subjectsOf(question, speakers);
  const words = tellingWords(question, subjects);
  const topic = topicOf(question, subjects, passages);
  const sentences = passages.flatMap((paragraphs) => placed(paragraphs, speakers, topic));
  const here = words.map((word) =>
    idf(sentences.filter((one) => one.words.has(word)).length, sentences.length),
  );
  const shareHere = weightedShare(words, here);
  const shareAnywhere = weightedShare(
    words,
    words.map((word, at) => rarities?.get(word) ?? here[at]!),
  );
  const bestOf = bestScores(found);
  const ofTheDay = notesOfTheDay(question, found);
  return sentences.map(({ headings, around, asked, ...sentence }) => {
    const own = shareAnywhere((word) => Number(sentence.words.has(word)));
    const isHeaded = (word: string) => sentence.words.has(word) || headings.has(word);
    const headed = shareAnywhere((word) => Number(isHeaded(word)));
    const replied = shareAnywhere((word) => Number(isHeaded(word) || asked.has(word)));
    const coverage = shareHere((word) =>
      sentence.words.has(word)
        ? 1
        : Math.max(0, ...around.map(([near, weight]) => (near.has(word) ? weight : 0))),
    );
    const score =
      coverage +
      ASKED_BEFORE * shareHere((word) => Number(asked.has(word))) +
      PASSAGE_WEIGHT * sentence.source.score +
      NOTE_WEIGHT * bestOf.get(noteOf(sentence))! +
      SAME_DAY * Number(ofTheDay.has(noteOf(sentence)));
    return { ...sentence, own, headed, replied, coverage, score };
  });
}

function topicOf(
  question: string,
  subjects: ReadonlySet<string>,
  passages: readonly (readonly Paragraph[])[],
): Topic {
  const sentencesFound = () => passages.flat().flatMap(({ sentences }) => sentences.map(({ text }) => text));
  return {
    subjects,
    clues: createNameClues(question, sentencesFound),
    asksForPerson: kindOf(question) === 'a person',
  };
}

/** The share of some words among all, 0 to 1, where each counts as much as it weighs; `countOf` is 0 to 1. */
function weightedShare(words: readonly string[], weights: readonly number[]) {
  const all = weights.reduce((sum, weight) => sum + weight, 0);
  return (countOf: (word: string) => number) =>
    all === 0 ? 0 : words.reduce((sum, word, at) => sum + weights[at]! * countOf(word), 0) / all;
}

/** The score of each note's best passage, by path. */
function bestScores(passages: readonly RankedPassage[]): ReadonlyMap<string, number> {
  const best = new Map<string, number>();
  for (const source of passages)
    best.set(noteOf({ source }), Math.max(source.score, best.get(noteOf({ source })) ?? 0));
  return best;
}

/** Paths of the notes that have a date of the question in their path or title, in its year if it names one. */
function notesOfTheDay(question: string, passages: readonly RankedPassage[]): ReadonlySet<string> {
  const asked = factsOf(question);
  const years = yearsOf(asked);
  const isOfTheDay = ({ passage }: RankedPassage) => {
    const { dates, numbers } = factsOf(`${passage.sourcePath} ${passage.title}`);
    return [...asked.dates].some((date) => dates.has(date)) && years.every((year) => numbers.has(year));
  };
  const found = asked.dates.size > 0 ? passages.filter(isOfTheDay) : [];
  return new Set(found.map((source) => noteOf({ source })));
}

interface PlacedSentence extends PassageSentence {
  readonly paragraph: Paragraph;
  readonly next?: NextSentence;
  readonly speaker?: string;
  readonly words: ReadonlySet<string>;
  readonly headings: ReadonlySet<string>;
  readonly isAbout: boolean;
  /** The words around it, with their weights. */
  readonly around: readonly (readonly [ReadonlySet<string>, number])[];
  /** The words of the questions in the paragraph before. */
  readonly asked: ReadonlySet<string>;
}

const QUESTION = /[?？]\W*$/;

function placed(
  paragraphs: readonly Paragraph[],
  speakers: ReadonlySet<string>,
  topic: Topic,
): PlacedSentence[] {
  const words = paragraphs.map(wordsOf);
  const areSpeakers = [...speakers].flatMap(contentWords).some((name) => topic.subjects.has(name));
  const [first] = paragraphs;
  const over = first ? headingWords(first.source) : NO_WORDS;
  return paragraphs.flatMap((paragraph, at) => {
    const { label } = paragraph;
    const headings = new Set([...over, ...contentWords(paragraph.headings.join(' '))]);
    const speaker = label !== undefined && speakers.has(label) ? label : undefined;
    // Elsewhere a paragraph speaks for itself.
    const isReply = speaker !== undefined || /[?？:]\W*$/.test(paragraphs[at - 1]?.text ?? '');
    const before = isReply ? words[at - 1] : undefined;
    const around = [
      [words[at]?.all ?? NO_WORDS, IN_PARAGRAPH],
      [before?.all ?? NO_WORDS, IN_PARAGRAPH_BEFORE],
      [(speaker === undefined ? undefined : words[at + 1]?.all) ?? NO_WORDS, IN_PARAGRAPH_BEHIND],
      [headings, IN_HEADINGS],
    ] as const;
    const about = areAbout(topic, {
      paragraph,
      before: paragraphs[at - 1],
      headings,
      speaker,
      areSpeakers,
    });
    const told = paragraph.sentences.map((sentence, which) => ({
      ...sentence,
      words: words[at]?.bySentence[which] ?? NO_WORDS,
      isAbout: about[which]!,
    }));
    return told.map((sentence, which) => {
      const next = told[which + 1];
      return {
        ...sentence,
        paragraph,
        speaker,
        headings,
        around,
        asked: before?.asked ?? NO_WORDS,
        next: next && !QUESTION.test(next.text) ? next : undefined,
      };
    });
  });
}

const NO_WORDS: ReadonlySet<string> = new Set();

/** The words of a paragraph: of each sentence, of all, and of the questions among them. */
function wordsOf({ sentences }: Paragraph) {
  const bySentence = sentences.map(({ text }) => new Set([...contentWords(text), ...impliedBy(text)]));
  const questions = bySentence.filter((_, at) => QUESTION.test(sentences[at]!.text));
  const union = (sets: readonly ReadonlySet<string>[]): ReadonlySet<string> =>
    sets.length === 1 ? sets[0]! : new Set(sets.flatMap((each) => [...each]));
  return { bySentence, all: union(bySentence), asked: union(questions) };
}

const PRICE = /[€$£¥]\s?\d|\d\s?(?:[€$£¥]|(?:euros?|eur|usd|dollars?|gbp|chf)\b)/i;
const OF_PRICES = ['cost', 'price'].map(lemmaOf);

/** "Tickets: 12 EUR" says what they cost. */
function impliedBy(text: string): readonly string[] {
  return PRICE.test(text) ? OF_PRICES : [];
}

/** Fewer words say something only together with a word of the question. */
const LEAST_WORDS = 3;
/** A longer one may say something else, too. */
const LONGEST_GREETING = 6;
const GREETING =
  /^(?:\p{Lu}\p{L}+: )?(?:thanks|thank you|thx|wow|hey|hi|hello|yeah|yep|yes|yup|ok|okay|sure|cool|great|nice|awesome|amazing|congrats|congratulations|absolutely|totally|definitely|exactly|of course|no problem|you're welcome|bye|take care|good (?:luck|to see|to hear|morning|night|evening)|see you|talk to you|sounds? (?:good|great|fun|like|amazing|awesome)|that(?:'|’)?s (?:so |really |very |pretty )?(?:great|cool|awesome|amazing|nice|sweet|lovely|true|wonderful|fantastic|awful|tough|good)|i agree|glad)\b/iu;
const ONLY_A_LINK = /^\W*(?:!?\[\[[^\]]*\]\]|!?\[[^\]]*\]\([^)]*\)|<?(?:https?:\/\/|www\.)\S+)\W*$/;

/** Says when what the note is about was. */
const DATE_ENTRY = /^(?:date|day|datum|fecha|data)\s*:/i;

function isStatement(sentence: ScoredSentence, asksForTime: boolean): boolean {
  const { text, own, source, span } = sentence;
  if (QUESTION.test(text)) return false;
  const { passage } = source;
  const raw = passage.text.slice(span.start - passage.span.start, span.end - passage.span.start);
  if (ONLY_A_LINK.test(raw)) return false;
  if (passage.isFrontmatter) return own > 0 || (asksForTime && DATE_ENTRY.test(text));
  const length = text.split(' ').length;
  return GREETING.test(text) ? own > 0 && length > LONGEST_GREETING : own > 0 || length >= LEAST_WORDS;
}

const MOST_SENTENCES = 3;
/** A further sentence has to fit in so many bytes of the answer. */
const MOST_BYTES = 420;
/** So that a second note is heard, where the best one is not the right one. */
const MOST_OF_A_NOTE = 2;
/** Least shares of the best sentence's score and of its words. */
const NEAR_BEST = 0.85;
const LEAST_WORDS_OF_BEST = 0.4;

/** No two from one paragraph or with the same words; the best of each note before the second best of any. */
export function pickSentences<Sentence extends ScoredSentence>(scored: readonly Sentence[]): Sentence[] {
  const picked: Sentence[] = [];
  const least = NEAR_BEST * (scored[0]?.score ?? 0);
  const near = scored.filter(
    ({ score, coverage }) => score >= least && coverage >= LEAST_WORDS_OF_BEST * (scored[0]?.coverage ?? 0),
  );
  for (let ofEach = 1; ofEach <= MOST_OF_A_NOTE; ofEach++)
    for (const one of near) {
      if (picked.length === MOST_SENTENCES) return picked;
      const ofNote = picked.filter((other) => noteOf(other) === noteOf(one));
      const isNew = !picked.some((other) => other.paragraph === one.paragraph || saysTheSame(one, other));
      if (isNew && ofNote.length < ofEach && fits(one, picked)) picked.push(one);
    }
  return picked;
}

function fits(sentence: ScoredSentence, picked: readonly ScoredSentence[]): boolean {
  if (picked.length === 0) return true;
  return [sentence, ...picked].reduce((sum, { text }) => sum + Buffer.byteLength(text), 0) <= MOST_BYTES;
}

function noteOf({ source }: Pick<PassageSentence, 'source'>): string {
  return source.passage.sourcePath;
}

function saysTheSame({ words: a }: ScoredSentence, { words: b }: ScoredSentence): boolean {
  return a.size === b.size && [...a].every((word) => b.has(word));
}
