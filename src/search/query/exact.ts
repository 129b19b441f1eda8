/** Searches for words as they are written: no inflections, no similar words, no meaning. All of them must be there. */
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { joinsWords, tokensOf } from '../../notes/text/tokens.ts';
import { pathPart } from '../index/document.ts';
import type { SearchContext } from './context.ts';
import { forEachHolder, LITERAL_BONUS, type Matches, type MatchTools, NAME_BONUS } from './match.ts';
import type { RankedHit } from './order.ts';
import type { SearchQuery } from './parse.ts';
import { scoreWords } from './rank.ts';
import { bestNumbers } from './selection.ts';

/** Of the best notes, how many are read to see whether the query stands there as a whole. */
const CHECKED = 24;

export async function matchExact(tools: MatchTools, query: SearchQuery): Promise<Matches> {
  const { index, accepts } = tools;
  const pieces = piecesOf(query);
  const tokens = [...new Set(pieces.flatMap(tokensOf))];
  const found = tokens.map((token) => index.vocabulary.find(token));
  const groups = found.map((word) => (word === undefined ? [] : [{ word, factor: 1 }]));
  const { score, matched, touched } = scoreWords(index, groups);
  const candidates = tokens.length === 0 ? [...index.numbers()] : touched;
  let numbers = candidates.filter(
    (number) => matched[number] === tokens.length && accepts?.(number) !== false,
  );
  if (pieces.some((piece) => tokensOf(piece).join('') !== piece || tokensOf(piece).length > 1))
    numbers = await holding(tools, pieces, numbers);
  await forEachHolder(tools, bestNumbers(numbers, score, CHECKED), (number) => {
    score[number]! += LITERAL_BONUS;
  });
  const named = new Set(index.named(query.indexed.literal));
  for (const number of numbers) {
    matched[number] ||= 1;
    if (named.has(number)) score[number]! += NAME_BONUS;
  }
  return { numbers, rank: score, matched };
}

/** The notes whose names or texts prove that they hold the pieces, where the words of the index cannot: `C++`, `foo.bar`, and scripts without spaces. */
async function holding(
  { index, textOf, holdsPiece, inBatches, breathe }: MatchTools,
  pieces: readonly string[],
  numbers: readonly number[],
): Promise<number[]> {
  const kept: number[] = [];
  for await (const batch of inBatches(numbers))
    for (const number of batch) {
      const pause = breathe();
      if (pause !== true) await pause;
      const known = textOf(number);
      const text = known instanceof Promise ? await known : known;
      const path = nameOf(index.pathOf(number) ?? '');
      const wanted = pieces.filter((piece) => !stands(piece, path));
      // Most texts lack one of them, which is seen without folding the text.
      if (text === undefined || !wanted.every((piece) => holdsPiece(text, piece))) continue;
      const folded = fold(text, SEARCH_FOLDING).text;
      if (wanted.every((piece) => stands(piece, folded))) kept.push(number);
    }
  return kept;
}

/** Whether a text that is not indexed holds all words of the query as they are written. */
function holdsExactly(query: SearchQuery, path: string, text: string): boolean {
  const folded = `${nameOf(path)}\n${fold(text, SEARCH_FOLDING).text}`;
  return piecesOf(query).every((piece) => stands(piece, folded));
}

/** Folded, and without the extension, in which every note has a dot. */
function nameOf(path: string): string {
  return fold(pathPart(path).text, SEARCH_FOLDING).text;
}

/**
 * The words of the query with the signs inside them, and without those that end a sentence or a clause. A query of
 * signs alone is one piece: `...` and `* * *` end nothing, and are looked for as they stand.
 */
function piecesOf({ phrases, indexed: { literal } }: SearchQuery): string[] {
  const pieces = literal.split(/\s+/);
  if (tokensOf(literal).length === 0) return phrases.length === 0 ? [literal] : pieces;
  return pieces
    .map((piece) => piece.replace(/^[("'“”„‘’]+|[)"'“”‘’.,;:!?…]+$/g, ''))
    .filter((piece) => piece !== '');
}

/** Not inside a longer word. */
function stands(piece: string, folded: string): boolean {
  for (let at = folded.indexOf(piece); at >= 0; at = folded.indexOf(piece, at + 1)) {
    const end = at + piece.length;
    const goesOn = joinsWords(folded[end] ?? '') && joinsWords(folded[end - 1]!);
    const began = joinsWords(folded[at - 1] ?? '') && joinsWords(folded[at]!);
    if (!goesOn && !began) return true;
  }
  return false;
}

/** Of notes that are not indexed yet, those that hold the query exactly. */
export async function heldExactly(look: SearchContext, found: readonly RankedHit[]): Promise<RankedHit[]> {
  const kept: RankedHit[] = [];
  for (const hit of found) {
    const text = (await look.texts.get(hit.note.path)) ?? '';
    if (holdsExactly(look.query, hit.note.path, text)) kept.push(hit);
  }
  return kept;
}
