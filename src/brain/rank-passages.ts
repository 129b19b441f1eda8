/**
 * Passages by how well they answer a question: BM25 over stems, as for the notes themselves. Words of the headings
 * and the title count for every passage under them. How the index ranked the note counts a little, too.
 */
import type { Question } from '../notes/words/question.ts';
import { forEachStem } from '../notes/words/stems.ts';
import type { CutNote } from './note-reader.ts';
import type { Passage, RankedPassage } from './types.ts';

export interface Candidate extends CutNote {
  /** Where its notebook's search has it, from 0; undefined when that did not find it. */
  readonly rank: number | undefined;
}

const K1 = 1.2;
const B = 0.75;
const TITLE_WEIGHT = 1;
const HEADING_WEIGHT = 1;
/** How much of a score is the note's own. */
const NOTE_SHARE = 0.4;
/** The note at this place gets half of what the first gets. */
const HALF_AT = 10;
const USUAL_LENGTH = 800;

/** In the order of the question's words: how much each counts. */
export type Rarities = readonly number[];

/** Best first. `score` is 1 for a passage that could not be better. */
export function rankPassages(
  candidates: readonly Candidate[],
  question: Question,
  rarities: Rarities,
): RankedPassage[] {
  const weigh = createWeighing(question, rarities);
  return candidates
    .flatMap((candidate) => {
      const prior = candidate.rank === undefined ? 0 : 1 / (1 + candidate.rank / HALF_AT);
      const title = weigh.count(candidate.note.title);
      return candidate.passages.map((passage) => {
        const { score, coverage } = weigh.passage(passage, title);
        return { passage, coverage, score: score === 0 ? 0 : (1 - NOTE_SHARE) * score + NOTE_SHARE * prior };
      });
    })
    .sort((a, b) => b.score - a.score || compareText(a.passage, b.passage));
}

function createWeighing({ keys }: Question, rarities: Rarities) {
  const places = new Map(keys.map((key, at) => [key, at]));
  const most = rarities.reduce((sum, rarity) => sum + rarity * (K1 + 1), 0);
  const count = (text: string): Float32Array => {
    const counts = new Float32Array(keys.length);
    forEachStem(text, (key) => {
      const at = places.get(key);
      if (at !== undefined) counts[at]!++;
    });
    return counts;
  };
  return {
    count,
    passage(passage: Passage, title: Float32Array): { score: number; coverage: number } {
      const own = count(passage.text);
      const headings = count(passage.headings.join('\n'));
      const relative = passage.text.length / USUAL_LENGTH;
      let score = 0;
      let covered = 0;
      for (let at = 0; at < keys.length; at++) {
        const weight = own[at]! + HEADING_WEIGHT * headings[at]! + TITLE_WEIGHT * title[at]!;
        if (weight === 0) continue;
        covered++;
        score += (rarities[at]! * weight * (K1 + 1)) / (weight + K1 * (1 - B + B * relative));
      }
      return {
        score: most === 0 ? 0 : Math.min(1, score / most),
        coverage: covered / Math.max(1, keys.length),
      };
    },
  };
}

function compareText(a: Passage, b: Passage): number {
  if (a.sourcePath !== b.sourcePath) return a.sourcePath < b.sourcePath ? -1 : 1;
  return a.span.start - b.span.start;
}
