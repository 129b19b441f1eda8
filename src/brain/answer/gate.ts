/**
 * The grounding gate: a model's claim passes only with support in the notes it cites. It must cite a note, agree with
 * one or two sentences of it (by words or by cosine), state no number, date, name or URL that the note does not have,
 * and deny nothing the note affirms. The gate trusts neither the model nor the notes: it compares words alone.
 */

import type { Range } from '../../notes/markdown/regions.ts';
import { contentWords, shareOf } from '../../notes/text/analyzer.ts';
import type { RankedPassage, Retriever } from '../types.ts';
import { type Claim, unknownName } from './claims.ts';
import { contradicts } from './conflict.ts';
import { factsOf, missingFact } from './facts.ts';
import { type PassageSentence, passageSentences } from './sentences.ts';

/** A range of a note that supports a claim. */
export interface CitedPassage {
  readonly source: RankedPassage;
  /** Offsets in the note. */
  readonly span: Range;
}

export interface JudgedClaim {
  readonly text: string;
  /** 0 to 1: how well the places support the claim. */
  readonly support: number;
  /** Empty when the claim has no support. */
  readonly places: readonly CitedPassage[];
  /** Why the claim has no support, as the end of a sentence. */
  readonly problem?: string;
}

interface GateOptions {
  /** The least cosine; the share of the claim's words must be `WORDS_BEYOND` higher. */
  readonly minSupport: number;
  readonly similarity: Retriever['similarity'];
}

export const MIN_SUPPORT = 0.45;
const WORDS_BEYOND = 0.05;
/** The longest span of a citation. */
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

/** A fact, URL or name of the claim that none of its sources has. */
function strangeIn(claim: string, sources: readonly RankedPassage[]): string | undefined {
  const all = sources.map(wholeOf).join('\n');
  const fact = missingFact(factsOf(claim), factsOf(all));
  if (fact !== undefined) return `states ${fact} that is not in the note it names`;
  const addresses = claim.match(/\b(?:https?:\/\/|www\.)[^\s)\]>"']+/gi) ?? [];
  if (addresses.some((address) => !all.includes(address)))
    return 'holds an address that is not in the note it names';
  return unknownName(claim, all) === undefined ? undefined : 'states a name that is not in the note it names';
}

/** Everything of the passage that the prompt showed. */
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

/** The first of equally good windows, which is the shorter one. */
function bestOf(windows: readonly Window[], scoreOf: (window: Window) => number): Window {
  const scores = windows.map(scoreOf);
  return windows[scores.indexOf(Math.max(...scores))]!;
}

/** Single sentences, then adjacent pairs; the whole passage when it has no sentences. */
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
