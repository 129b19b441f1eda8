/** Splits a model's answer into claims: one sentence each, with the numbers of the notes it cites. */

import { isStopWord, lemmaOf, wordsIn } from '../../notes/text/analyzer.ts';
import { isMeasureWord } from './facts.ts';
import { readingText, splitText } from './sentences.ts';

export interface Claim {
  /** Plain text without markdown and citation numbers. */
  readonly text: string;
  readonly cited: readonly number[];
}

const MAX_CLAIMS = 40;
const MAX_TEXT = 40_000;
const MARKER = /\[\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,20}\]/g;
/** Citation numbers after a full stop belong to the sentence before it. */
const MARKERS_BEHIND = /([.!?…]["'”’)]?)\s*((?:\[\d{1,4}(?:\s?[,;–-]\s?\d{1,4}){0,20}\][ \t]*)+)/g;

export function claimsIn(answer: string): Claim[] {
  const plain = answer
    .slice(0, MAX_TEXT)
    .replace(/[【［]([\d\s,;–-]{1,60})[】］]/g, '[$1]')
    .replace(/\[\^(\d{1,4})\]/g, '[$1]');
  return blocksOf(plain)
    .filter((block) => !isLabel(block))
    .flatMap(claimsOfBlock)
    .slice(0, MAX_CLAIMS);
}

/** Headings, and lines that introduce a list, are no claims. */
function isLabel(block: string): boolean {
  return /^\s*#{1,6}\s/.test(block) || /:\s*$/.test(block);
}

function blocksOf(text: string): string[] {
  return text
    .split(/\n\s*\n|\n(?=\s*(?:[-*+•]|\d{1,3}[.)]|#{1,6}|>|\|)\s?)|(?<=:)\s*\n/)
    .filter((block) => block.trim() !== '');
}

function claimsOfBlock(block: string): Claim[] {
  const moved = block.replace(
    MARKERS_BEHIND,
    (_, stop: string, markers: string) => ` ${markers.trim()}${stop} `,
  );
  return splitText(moved).flatMap(({ start, end }) => {
    const sentence = moved.slice(start, end);
    const text = readingText(sentence.replace(MARKER, ''));
    return /[\p{L}\p{N}]/u.test(text) ? [{ text, cited: numbersIn(sentence) }] : [];
  });
}

function numbersIn(sentence: string): number[] {
  const numbers = (sentence.match(MARKER) ?? []).flatMap((marker) =>
    marker.slice(1, -1).split(/[,;]/).flatMap(rangeIn),
  );
  return [...new Set(numbers)];
}

/** Numbers of `3`, or of `3-5`. */
function rangeIn(text: string): number[] {
  const [first = 0, last = first] = (text.match(/\d+/g) ?? []).map(Number);
  return Array.from({ length: Math.min(20, Math.max(1, last - first + 1)) }, (_, at) => first + at);
}

const TOKEN = /\p{L}[\p{L}\p{M}\p{N}]*(?:['’]\p{L}+)?/gu;
/** Words that share a prefix of this length count as inflections of one word. */
const PREFIX = 5;

/** The first capitalized word of `claim` that `source` has in no form. */
export function unknownName(claim: string, source: string): string | undefined {
  const known = new Set(wordsIn(source));
  const stems = new Set([...known].map(lemmaOf));
  const beginnings = new Set(
    [...known].filter((word) => word.length >= PREFIX).map((word) => word.slice(0, PREFIX)),
  );
  const isKnown = (word: string) =>
    known.has(word) ||
    stems.has(lemmaOf(word)) ||
    (word.length >= PREFIX && beginnings.has(word.slice(0, PREFIX)));
  return (claim.match(TOKEN) ?? [])
    .filter((token) => /^\p{Lu}/u.test(token))
    .find((token) =>
      wordsIn(token).some((word) => !isStopWord(word) && !isMeasureWord(word) && !isKnown(word)),
    );
}
