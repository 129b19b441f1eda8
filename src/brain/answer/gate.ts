/**
 * Nothing a model wrote passes without support in the notes it names. A claim must name a note, say what a short
 * stretch of it says (in like words, or close in meaning), state no number, date, name or address the note does not
 * have, and deny nothing the note affirms. The gate trusts neither the model nor the notes: it looks at words alone.
 */

import type { Range } from '../../notes/markdown/regions.ts';
import { contentWords, shareOf } from '../../notes/text/analyzer.ts';
import type { RankedPassage, Retriever } from '../types.ts';
import { type Claim, unknownName } from './claims.ts';
import { contradicts } from './conflict.ts';
import { factsOf, missingFact } from './facts.ts';
import { type PassageSentence, passageSentences } from './sentences.ts';

/** A stretch of a note that a claim rests on. */
export interface CitedPassage {
  readonly source: RankedPassage;
  /** In the note. */
  readonly span: Range;
}

export interface JudgedClaim {
  readonly text: string;
  /** 0 to 1: how far the places carry it. */
  readonly support: number;
  /** Empty when it has none. */
  readonly places: readonly CitedPassage[];
  /** Why it is not supported, as the end of a sentence. */
  readonly problem?: string;
}

interface GateOptions {
  /** The cosine that is enough; of the claim's words a little more must be there. */
  readonly minSupport: number;
  readonly similarity: Retriever['similarity'];
}

export const MIN_SUPPORT = 0.45;
const WORDS_BEYOND = 0.05;
/** As long as a citation shows. */
const MAX_WINDOW = 300;

interface Window {
  readonly place: CitedPassage;
  readonly text: string;
  readonly words: ReadonlySet<string>;
}

/** `shown` are the notes as the model saw them: number 1 is the first. */
export async function judgeClaim(
  claim: Claim,
  shown: readonly RankedPassage[],
  options: GateOptions,
): Promise<JudgedClaim> {
  const sources = claim.cited.flatMap((number) => shown[number - 1] ?? []);
  const problem = sources.length === 0 ? 'names no note that it was shown' : strangeIn(claim.text, sources);
  if (problem !== undefined) return { text: claim.text, support: 0, places: [], problem };
  const windows = sources.map((source) => windowsOf(source));
  return judged(claim.text, windows, options);
}

/** What the claim states that stands in none of the notes it names. */
function strangeIn(claim: string, sources: readonly RankedPassage[]): string | undefined {
  const all = sources.map(wholeOf).join('\n');
  const fact = missingFact(factsOf(claim), factsOf(all));
  if (fact !== undefined) return `states ${fact} that is not in the note it names`;
  const addresses = claim.match(/\b(?:https?:\/\/|www\.)[^\s)\]>"']+/gi) ?? [];
  if (addresses.some((address) => !all.includes(address)))
    return 'holds an address that is not in the note it names';
  return unknownName(claim, all) === undefined ? undefined : 'states a name that is not in the note it names';
}

/** All a model was shown of it. */
function wholeOf({ passage }: RankedPassage): string {
  return [passage.title, ...passage.headings, passage.text].join('\n');
}

async function judged(
  text: string,
  windows: readonly (readonly Window[])[],
  { minSupport, similarity }: GateOptions,
): Promise<JudgedClaim> {
  const wanted = contentWords(text);
  const byWords = windows.map((ofSource) => bestOf(ofSource, ({ words }) => shareOf(wanted, words)));
  const share = shareOf(wanted, new Set(byWords.flatMap(({ words }) => [...words])));
  if (share >= Math.min(1, minSupport + WORDS_BEYOND)) return withPolarity(text, byWords, share);
  const all = windows.flat();
  const cosines = await similarity(
    text,
    all.map((window) => window.text),
  );
  const cosine = cosines ? Math.max(0, ...cosines) : 0;
  if (cosines === undefined || cosine < minSupport)
    return {
      text,
      support: Math.max(share, cosine),
      places: [],
      problem: 'is not what the note it names says',
    };
  const nearest = all[cosines.indexOf(Math.max(...cosines))];
  return withPolarity(text, nearest ? [nearest] : [], cosine);
}

function withPolarity(text: string, windows: readonly Window[], support: number): JudgedClaim {
  if (windows.some((window) => contradicts(text, window.text)))
    return { text, support: 0, places: [], problem: 'contradicts the note it names' };
  return { text, support: Math.min(1, support), places: windows.map(({ place }) => place) };
}

/** The first of the best: shorter windows come first. */
function bestOf(windows: readonly Window[], scoreOf: (window: Window) => number): Window {
  const scores = windows.map(scoreOf);
  return windows[scores.indexOf(Math.max(...scores))]!;
}

/** Single sentences, then pairs that stand together; a note without sentences, as a whole. */
function windowsOf(source: RankedPassage): Window[] {
  const sentences = passageSentences(source);
  const pairs = sentences.slice(1).flatMap((second, at) => joined(sentences[at]!, second));
  const { text, span } = source.passage;
  const stretches = sentences.length === 0 ? [{ source, span, text }] : [...sentences, ...pairs];
  const context = contentWords([source.passage.title, ...source.passage.headings].join(' '));
  return stretches.map((stretch) => ({
    place: { source, span: stretch.span },
    text: stretch.text,
    words: new Set([...contentWords(stretch.text), ...context]),
  }));
}

function joined(first: PassageSentence, second: PassageSentence): PassageSentence[] {
  const span = { start: first.span.start, end: second.span.end };
  if (span.end - span.start > MAX_WINDOW) return [];
  return [{ source: first.source, span, text: `${first.text} ${second.text}` }];
}
