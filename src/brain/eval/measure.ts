/** Measures how well ways of finding notes do on a test set. */
import type { TestQuestion } from './questions.ts';

export interface WayOfFinding {
  readonly name: string;
  /** Paths of notes, the best first; one note may come several times. */
  readonly find: (question: string, most: number) => Promise<readonly string[]>;
}

export interface WayResult {
  readonly name: string;
  /** The place of the right note for each question, from 1; infinite beyond the tenth. */
  readonly places: readonly number[];
  /** The median. */
  readonly msPerQuestion: number;
}

const FIRST = 10;
/** Notes that do not count take places; of a note that half the others link to, not all are looked past. */
const MOST_ASIDE = 50;

export async function measure(way: WayOfFinding, questions: readonly TestQuestion[]): Promise<WayResult> {
  const places: number[] = [];
  const times: number[] = [];
  for (const { text, answer, aside } of questions) {
    const begun = performance.now();
    const found = await way.find(text, FIRST + Math.min(MOST_ASIDE, aside.size));
    times.push(performance.now() - begun);
    const counted = [...new Set(found)].filter((path) => path === answer || !aside.has(path));
    const at = counted.slice(0, FIRST).indexOf(answer);
    places.push(at < 0 ? Number.POSITIVE_INFINITY : at + 1);
  }
  times.sort((a, b) => a - b);
  return { name: way.name, places, msPerQuestion: times[Math.floor(times.length / 2)] ?? 0 };
}

export interface WayFigures {
  readonly name: string;
  /** With one right note per question, it depends on the place of that note alone. */
  readonly ndcg10: number;
  /** The share of the questions whose right note comes first, and is among the first five. */
  readonly hit1: number;
  readonly hit5: number;
  readonly msPerQuestion: number;
}

export function figuresOf({ name, places, msPerQuestion }: WayResult): WayFigures {
  const within = (most: number) => mean(places.map((place) => Number(place <= most)));
  return { name, ndcg10: mean(places.map(gain)), hit1: within(1), hit5: within(5), msPerQuestion };
}

/** A smaller gain of nDCG is not worth a setting. */
const LEAST_GAIN = 0.01;
/** In standard errors: chance alone gives more in one of twenty sets. */
const LEAST_CERTAINTY = 2;

/** Whether `one` finds more than `other` on the same questions, by more than chance would give. */
export function isClearlyBetter(one: WayResult, other: WayResult): boolean {
  const gains = one.places.map((place, at) => gain(place) - gain(other.places[at]!));
  const average = mean(gains);
  const variance = mean(gains.map((each) => (each - average) ** 2));
  const error = Math.sqrt(variance / Math.max(1, gains.length - 1));
  return average >= LEAST_GAIN && average >= LEAST_CERTAINTY * error;
}

function gain(place: number): number {
  return 1 / Math.log2(place + 1);
}

function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / Math.max(1, numbers.length);
}
