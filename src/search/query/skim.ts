/**
 * Counts the wanted words of a note without cutting it into words: one regular expression passes over all the rest, and
 * the fields of the note are read only where a wanted word may stand in one. Code is told from headings by its fences
 * alone. For queries of ASCII letters and digits; any other has to be looked for word by word.
 */
import { bodyStartOf } from '../../notes/frontmatter/split.ts';
import { mayHoldUnderlinedTitle } from '../../notes/markdown/outline.ts';
import { fencedBlocks } from '../../notes/markdown/regions.ts';
import { type NotePath, parentOf } from '../../notes/path.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { isWordUnit, MAX_TOKEN } from '../../notes/text/tokens.ts';
import { memoize } from '../../shared/memoize.ts';
import { documentOf, namesOf, pathPart, weightedParts } from '../index/document.ts';
import { nameMark } from '../index/note-index.ts';

export type WordWeights = ReadonlyMap<string, number>;
export const NO_WEIGHTS: WordWeights = new Map();

/**
 * The weights of the wanted words; undefined where the note has to be read word by word. `folded` is the text itself
 * where folding makes no letter of ASCII of any other.
 */
export type Skim = (
  path: NotePath,
  text: string,
  folded: string,
) => WordWeights | undefined | Promise<WordWeights | undefined>;

interface Wanted {
  /** Where a wanted word may stand. Global. */
  readonly pattern: RegExp;
  readonly wants: (word: string) => boolean;
  /** Finds the query as it stands, if it is more than one word. Global. */
  readonly whole: RegExp | undefined;
}

/** Words that are not judged again; longer ones would keep the texts they were cut from in memory. */
const MOST_KNOWN = 20_000;
const LONGEST_KNOWN = 12;

export function createSkim(wanted: Wanted): Skim {
  const { pattern } = wanted;
  const weigh = createWeigh(wanted);
  const mayStandIn = (text: string) => {
    pattern.lastIndex = 0;
    return pattern.test(text);
  };
  return (path, text, folded) =>
    mayStandIn(folded) || mayStandIn(plain(path)) ? weigh(path, text, folded) : NO_WEIGHTS;
}

function createWeigh({ pattern, wants, whole }: Wanted): Skim {
  const known = new Map<string, string | undefined>();
  const formOf = (written: string): string | undefined => {
    const word = written.toLowerCase();
    return wants(word) ? word : undefined;
  };
  const wantedForm = (written: string): string | undefined => {
    if (written.length > LONGEST_KNOWN) return formOf(written);
    if (known.has(written)) return known.get(written);
    if (known.size === MOST_KNOWN) known.clear();
    const form = formOf(written);
    known.set(written, form);
    return form;
  };
  /** False when a run of letters is too long to be a word. */
  const count = (text: string, take: (word: string, start: number) => void): boolean => {
    pattern.lastIndex = 0;
    for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
      let start = found.index;
      let end = start + 1;
      while (start > 0 && isWordUnit(text.charCodeAt(start - 1))) start--;
      while (end < text.length && isWordUnit(text.charCodeAt(end))) end++;
      if (end - start >= MAX_TOKEN) return false;
      const word = wantedForm(text.slice(start, end));
      if (word !== undefined) take(word, start);
      pattern.lastIndex = end;
    }
    return true;
  };
  return (path, text, folded) => {
    const weights = new Map<string, number>();
    const add = (word: string, weight: number) => weights.set(word, (weights.get(word) ?? 0) + weight);
    const frontmatter = memoize(() => text.slice(0, bodyStartOf(text)));
    const bodyStart = memoize(() => (text === folded ? frontmatter() : plain(frontmatter())).length);
    const mayBeInField = createFieldFinder(folded);
    let isInFrontmatter = false;
    let isInField = false;
    const isCounted = count(folded, (word, start) => {
      add(word, 1);
      if (start < bodyStart()) isInFrontmatter = true;
      else isInField ||= mayBeInField(start);
    });
    const foldersEnd = plain(parentOf(path)).length;
    const isPathCounted = count(plain(pathPart(path).text), (_, start) => {
      // The name of the file may be the title.
      isInField ||= start >= foldersEnd;
    });
    if (!isCounted || !isPathCounted) return undefined;
    // The other words of the query count only in a note that holds all of it.
    if (weights.size > 0 && whole && folded.search(whole) >= 0) return undefined;
    const addParts = (parts: ReturnType<typeof weightedParts>) => {
      for (const part of parts) count(plain(part.text), (word) => add(word, part.weight));
      return weights;
    };
    if (!isInField && !isInFrontmatter) return addParts([pathPart(path)]);
    return documentOf(path, isInField ? text : frontmatter(), fencedBlocks).then((document) => {
      for (const name of namesOf(document)) if (wants(nameMark(name))) add(nameMark(name), 1);
      return addParts(weightedParts(path, document));
    });
  };
}

/** Folded, but for the case of ASCII. */
function plain(text: string): string {
  return /[^\u0000-\u007f]/.test(text) ? fold(text, SEARCH_FOLDING).text : text;
}

const NUMBER_SIGN = '#';
/** What stands further on without a space may be in a tag. */
const LONGEST_RUN = 200;
const HEADING = /\uFEFF? {0,3}#/y;

/** Whether a word may stand in a heading or in a tag; to be asked about words in their order. */
function createFieldFinder(text: string): (start: number) => boolean {
  // Whether a line is the one that is underlined is not told here: few texts have any.
  const mayBeUnderlined = memoize(() => mayHoldUnderlinedTitle(text));
  let lineEnd = -1;
  let isHeading = false;
  return (start) => {
    if (start > lineEnd) {
      HEADING.lastIndex = text.lastIndexOf('\n', start - 1) + 1;
      isHeading = HEADING.test(text);
      lineEnd = text.indexOf('\n', start);
      if (lineEnd < 0) lineEnd = text.length;
    }
    return isHeading || mayBeInTag(text, start) || mayBeUnderlined();
  };
}

function mayBeInTag(text: string, at: number): boolean {
  let start = at;
  while (start > 0 && !/\s/.test(text[start - 1]!)) if (at - --start > LONGEST_RUN) return true;
  return text[start] === NUMBER_SIGN;
}
