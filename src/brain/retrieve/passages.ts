/** Splits notes into passages, each with a hash that is independent of the lines above it. */
import { createHash } from 'node:crypto';
import { splitFrontmatter } from '../../notes/frontmatter/split.ts';
import { createLineNumbers } from '../../notes/markdown/lines.ts';
import { headingAnchor } from '../../notes/markdown/outline.ts';
import { trimmedRange } from '../../notes/markdown/regions.ts';
import type { NotePath } from '../../notes/path.ts';
import type { Note } from '../../notes/store.ts';
import { type PassageRange, passageRanges } from '../../notes/text/passages.ts';
import { textOf } from '../../notes/text/text.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { memoize } from '../../shared/memoize.ts';
import { isMarkdown, type Passage, type Source, type SourceNote } from '../types.ts';
import { type Mounts, sourceNote } from './library.ts';

const HASH_LETTERS = 32;

interface NoteRange extends PassageRange {
  readonly isFrontmatter?: boolean;
}

/** One passage for each range. */
export function passagesOf(
  note: SourceNote,
  ranges: readonly NoteRange[] = passageRanges(note.text, isMarkdown(note.sourcePath)),
): Passage[] {
  const { text, sourcePath, title, tags, lastModified } = note;
  const lineAt = createLineNumbers(text);
  const hashOf = createHashes(sourcePath);
  return ranges.map(({ start, end, headings, isFrontmatter }) => {
    const own = text.slice(start, end);
    return {
      sourcePath,
      title,
      tags,
      lastModified,
      anchor: headingAnchor(headings.at(-1) ?? ''),
      headings,
      span: { start, end },
      lineStart: lineAt(start),
      lineEnd: lineAt(end - 1),
      text: own,
      ...(isFrontmatter && { isFrontmatter }),
      hash: hashOf(headings, own),
    };
  });
}

/** Equal passages of one note get different hashes, by a counter. */
function createHashes(sourcePath: string): (headings: readonly string[], text: string) => string {
  const seen = new Map<string, number>();
  return (headings, text) => {
    const identity = JSON.stringify([sourcePath, headings, text]);
    const before = seen.get(identity) ?? 0;
    seen.set(identity, before + 1);
    return createHash('sha256').update(`${identity}${before}`).digest('hex').slice(0, HASH_LETTERS);
  };
}

/** A note and its passages. Ranking needs only the ranges, so the passages themselves are made on demand. */
export interface NotePassages {
  readonly sourcePath: string;
  readonly text: string;
  /** The frontmatter first. */
  readonly ranges: readonly NoteRange[];
  /** One for each range, in the same order. */
  readonly passages: () => Promise<readonly Passage[]>;
}

interface CachedNote {
  readonly passages: NotePassages;
  readonly version: string;
  /** `lastModified` of the index at the time of the read. */
  readonly indexedAt: number;
}

const LONGEST_READ_MS = 2_500;
const MOST_CHARACTERS = 8 * 1024 * 1024;
/** Larger notes would evict too many others. */
const LARGEST_CACHED = MOST_CHARACTERS / 8;

export type NoteReader = ReturnType<typeof createNoteReader>;

/**
 * Reads notes through an LRU cache. A local note is read each time, so that citations are current; a remote note only
 * when the index has noticed a change.
 */
export function createNoteReader(mounts: Mounts) {
  const cache = createNoteCache();
  return {
    /**
     * `lastModified` is the index's. Undefined when the note is gone or is not text. When a read fails, the cached
     * version is returned; without one it throws.
     */
    async read(source: Source, path: NotePath, lastModified: number): Promise<NotePassages | undefined> {
      const { notes } = source.notebook;
      const sourcePath = mounts.sourcePath(source, path);
      const known = cache.get(sourcePath);
      if (known && notes.readsAtOnce !== undefined && known.indexedAt === lastModified) return known.passages;
      try {
        const note = await (notes.readsAtOnce === undefined ? notes.read(path) : inTime(notes.read(path)));
        const passages = known?.version === note.version ? known.passages : passagesIn(note, sourcePath);
        cache.put(sourcePath, { passages, version: note.version, indexedAt: lastModified });
        return passages;
      } catch (error) {
        if (isAppError(error, 'not_found') || isAppError(error, 'unsupported')) {
          cache.drop(sourcePath);
          return undefined;
        }
        if (known) return known.passages;
        throw error;
      }
    },
  };
}

/** Fails with `timeout` when a remote store takes too long. */
async function inTime<T>(reading: Promise<T>): Promise<T> {
  reading.catch(() => {});
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new AppError('timeout', 'The server of the notes does not answer')),
      LONGEST_READ_MS,
    );
  });
  try {
    return await Promise.race([reading, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

function passagesIn(note: Note, sourcePath: string): NotePassages {
  const text = textOf(note);
  const ranges = rangesOf(text, sourcePath);
  const passages = memoize(async () => passagesOf(await sourceNote(note, sourcePath, text), ranges));
  return { sourcePath, text, ranges, passages };
}

function rangesOf(text: string, sourcePath: string): NoteRange[] {
  const ranges = passageRanges(text, isMarkdown(sourcePath));
  const front = isMarkdown(sourcePath) ? splitFrontmatter(text) : undefined;
  if (!front) return ranges;
  // A note of nothing else has its frontmatter as a passage, dashes and all.
  if ((ranges[0]?.start ?? 0) < front.bodyStart)
    return ranges.length === 1 ? ranges.map((range) => ({ ...range, isFrontmatter: true })) : ranges;
  const own = trimmedRange(text, { start: front.yamlStart, end: front.yamlEnd });
  return own.end > own.start ? [{ ...own, headings: [], isFrontmatter: true }, ...ranges] : ranges;
}

/** LRU, bounded by characters; the Map's insertion order is the order of use. */
function createNoteCache() {
  const entries = new Map<string, CachedNote>();
  let characters = 0;
  const drop = (sourcePath: string) => {
    characters -= entries.get(sourcePath)?.passages.text.length ?? 0;
    entries.delete(sourcePath);
  };
  const put = (sourcePath: string, entry: CachedNote) => {
    drop(sourcePath);
    if (entry.passages.text.length > LARGEST_CACHED) return;
    entries.set(sourcePath, entry);
    characters += entry.passages.text.length;
    for (const oldest of entries.keys()) {
      if (characters <= MOST_CHARACTERS) break;
      drop(oldest);
    }
  };
  return {
    drop,
    put,
    get(sourcePath: string): CachedNote | undefined {
      const entry = entries.get(sourcePath);
      if (entry) put(sourcePath, entry);
      return entry;
    },
  };
}
