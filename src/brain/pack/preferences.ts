/**
 * Preferences in notes: lines with #preference, lines that begin with "PREFERENCE:", and lines under a heading
 * "Preferences"; never in code. Notes are found by the tag and by a search for the word.
 */

import { readListKey } from '../../notes/frontmatter/lists.ts';
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import { bodyStartOf } from '../../notes/frontmatter/split.ts';
import { linesFrom } from '../../notes/markdown/lines.ts';
import { outlineOf } from '../../notes/markdown/outline.ts';
import { codeBlocks, overlapsAny, type Range, trimmedRange } from '../../notes/markdown/regions.ts';
import type { SearchOptions } from '../../notes/searcher.ts';
import type { CitePassage } from '../answer/citations.ts';
import { readingText } from '../answer/sentences.ts';
import { readIfText } from '../retrieve/library.ts';
import type { Library, Retriever, SearchScope, SourceNote } from '../types.ts';
import type { FoundText, LooseCitation } from './types.ts';

const NAMED = /^(?:my |our |general |personal )?(?:preferences?|präferenzen|vorlieben)\W*$/iu;
const TAG = /(?:^|\s)#preferences?(?![\p{L}\p{N}_/-])/giu;
const MARKER = /^[ \t]*(?:>[ \t]?)*(?:[-*+][ \t]+)?(?:\*\*)?PREFERENCE(?:\*\*)?:(?:\*\*)?[ \t]*/;
const MOST = 100;

interface Preference extends Range {
  /** Plain text without the tag or marker. */
  readonly text: string;
}

interface PreferenceContext {
  /** The headings over the text, outermost first. */
  readonly headings?: readonly string[];
  /** Whether every line of the note is a preference. */
  readonly isWhole?: boolean;
}

function isPreferenceTag(tag: string): boolean {
  return /^preferences?$/i.test(tag);
}

export function preferencesIn(
  text: string,
  { headings = [], isWhole = false }: PreferenceContext = {},
): Preference[] {
  const code = codeBlocks(text);
  const headingAt = new Map(outlineOf(text, code).map((heading) => [heading.start, heading]));
  const found: Preference[] = [];
  // Level of the Preferences heading around the line; 0 for the whole text.
  let under = isWhole || headings.some((heading) => NAMED.test(heading)) ? 0 : undefined;
  for (const line of linesFrom(text, bodyStartOf(text))) {
    if (found.length === MOST) break;
    const raw = text.slice(line.start, line.end);
    if (overlapsAny(code, line)) continue;
    const heading = headingAt.get(line.start);
    if (heading) {
      if (NAMED.test(heading.text)) under = heading.level;
      else if (under !== undefined && heading.level <= under) under = undefined;
    } else if (under !== undefined || MARKER.test(raw) || raw.search(TAG) >= 0)
      found.push(...preferenceAt(raw, line));
  }
  return found;
}

function preferenceAt(raw: string, { start }: Range): Preference[] {
  const text = readingText(raw.replace(MARKER, '').replace(TAG, ''));
  const own = trimmedRange(raw, { start: 0, end: raw.length });
  return /[\p{L}\p{N}]/u.test(text) ? [{ text, start: start + own.start, end: start + own.end }] : [];
}

export interface PreferenceParts {
  readonly library: Library;
  readonly retriever: Retriever;
  readonly cite: CitePassage;
  /** Makes the citation of a range of a note. */
  readonly citeAt: (note: SourceNote, span: Range) => LooseCitation;
}

const MOST_NOTES = 20;
const MOST_PASSAGES = 20;

/** Sorted by path and line. */
export async function findPreferences(
  parts: PreferenceParts,
  scope: SearchScope,
  options?: SearchOptions,
): Promise<FoundText[]> {
  const all = [...(await inTaggedNotes(parts, scope, options)), ...(await inPassages(parts, scope, options))];
  const known = new Map(
    all.map((one) => [`${one.citation.sourcePath} ${one.citation.lineStart} ${one.text}`, one]),
  );
  return [...known.values()].sort(byPlace);
}

function byPlace({ citation: a }: FoundText, { citation: b }: FoundText): number {
  if (a.sourcePath !== b.sourcePath) return a.sourcePath < b.sourcePath ? -1 : 1;
  return a.lineStart - b.lineStart;
}

async function inTaggedNotes(
  parts: PreferenceParts,
  scope: SearchScope,
  options?: SearchOptions,
): Promise<FoundText[]> {
  const { library, citeAt } = parts;
  const notes = (await library.notes(scope, options)).filter(({ tags }) => tags.some(isPreferenceTag));
  const found: FoundText[] = [];
  for (const { sourcePath } of notes.slice(0, MOST_NOTES)) {
    const note = await readIfText(library, sourcePath, options);
    if (!note) continue;
    for (const { text, ...span } of preferencesIn(note.text, { isWhole: await isWholeNote(note) }))
      found.push({ text, citation: citeAt(note, span) });
  }
  return found;
}

async function isWholeNote({ text }: SourceNote): Promise<boolean> {
  const { data } = await parseFrontmatter(text);
  return readListKey(data, 'tags').some((tag) => isPreferenceTag(tag.replace(/^#/, '')));
}

async function inPassages(
  { retriever, cite }: PreferenceParts,
  scope: SearchScope,
  options?: SearchOptions,
): Promise<FoundText[]> {
  const request = { query: 'preference preferences', limit: MOST_PASSAGES, mode: 'keyword', scope } as const;
  const { passages } = await retriever.retrieve(request, options);
  return passages.flatMap((source) => {
    const { text, headings, span } = source.passage;
    return preferencesIn(text, { headings }).map(({ text: said, start, end }) => ({
      text: said,
      citation: cite(source, { start: span.start + start, end: span.start + end }),
    }));
  });
}
