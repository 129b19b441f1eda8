/** Preferences of all notes: those with the tag, and those that search finds by the word. */

import { readListKey } from '../../notes/frontmatter/lists.ts';
import { parseFrontmatter } from '../../notes/frontmatter/parse.ts';
import type { Asking } from '../../notes/searcher.ts';
import { isAppError } from '../../shared/errors.ts';
import type { Cite } from '../answer/citations.ts';
import type { Library, Retriever, Scope, SourceNote, Span } from '../types.ts';
import { isPreferenceTag, type Preference, preferencesIn } from './preferences.ts';
import type { LooseCitation } from './types.ts';

export interface PreferenceParts {
  readonly library: Library;
  readonly retriever: Retriever;
  readonly cite: Cite;
  /** Makes the citation of a place in a note. */
  readonly citeAt: (note: SourceNote, span: Span) => LooseCitation;
}

export interface FoundPreference {
  readonly text: string;
  readonly citation: LooseCitation;
}

const MOST_NOTES = 20;
const MOST_PASSAGES = 20;

/** In the order of paths and lines. */
export async function findPreferences(
  parts: PreferenceParts,
  scope: Scope,
  asking?: Asking,
): Promise<FoundPreference[]> {
  const all = [...(await inTaggedNotes(parts, scope, asking)), ...(await inPassages(parts, scope, asking))];
  const known = new Map(
    all.map((one) => [`${one.citation.sourcePath} ${one.citation.lineStart} ${one.text}`, one]),
  );
  return [...known.values()].sort(byPlace);
}

function byPlace({ citation: a }: FoundPreference, { citation: b }: FoundPreference): number {
  if (a.sourcePath !== b.sourcePath) return a.sourcePath < b.sourcePath ? -1 : 1;
  return a.lineStart - b.lineStart;
}

async function inTaggedNotes(
  parts: PreferenceParts,
  scope: Scope,
  asking?: Asking,
): Promise<FoundPreference[]> {
  const { library, citeAt } = parts;
  const notes = (await library.notes(scope, asking)).filter(({ tags }) => tags.some(isPreferenceTag));
  const found: FoundPreference[] = [];
  for (const { sourcePath } of notes.slice(0, MOST_NOTES)) {
    const note = await library.read(sourcePath, asking).catch(goneSince);
    if (!note) continue;
    for (const { text, ...span } of preferencesIn(note.text, { isWhole: await isWholeNote(note) }))
      found.push({ text, citation: citeAt(note, span) });
  }
  return found;
}

/** Between the listing and now. */
function goneSince(error: unknown): undefined {
  if (!isAppError(error, 'not_found')) throw error;
  return undefined;
}

async function isWholeNote({ text }: SourceNote): Promise<boolean> {
  const { data } = await parseFrontmatter(text);
  return readListKey(data, 'tags').some((tag) => isPreferenceTag(tag.replace(/^#/, '')));
}

async function inPassages(
  { retriever, cite }: PreferenceParts,
  scope: Scope,
  asking?: Asking,
): Promise<FoundPreference[]> {
  const request = { query: 'preference preferences', limit: MOST_PASSAGES, mode: 'keyword', scope } as const;
  const { passages } = await retriever.retrieve(request, asking);
  return passages.flatMap((source) => {
    const { text, headings, span } = source.passage;
    const placed = ({ text: said, start, end }: Preference) => ({
      text: said,
      citation: cite(source, { start: span.start + start, end: span.start + end }),
    });
    return preferencesIn(text, { headings }).map(placed);
  });
}
