/** Several notebooks under one tree of paths: with more than one, a path begins with its notebook's name. */
import { type NotePath, parseFolderPath, ROOT } from '../notes/path.ts';
import type { SearchFilter } from '../notes/searcher.ts';
import { isAppError } from '../shared/errors.ts';
import { TEXT_EXTENSIONS } from './note-kinds.ts';
import type { Inquiry, Scope, Source } from './types.ts';

export interface Place {
  readonly source: Source;
  readonly path: NotePath;
}

/** A notebook, and which of its notes are meant. */
export interface Part {
  readonly source: Source;
  readonly filter: SearchFilter;
}

export interface Mounts {
  sourcePath(source: Source, path: NotePath): string;
  /** Undefined when no notebook has such notes. */
  find(sourcePath: string): Place | undefined;
  /** The notebooks that hold notes of the scope; says so when there are none. */
  parts(scope: Scope, inquiry?: Inquiry): Part[];
}

export function mountsOf(sources: readonly Source[]): Mounts {
  const [only] = sources;
  const isAlone = sources.length === 1;
  const find = (sourcePath: string): Place | undefined => {
    if (isAlone && only) return { source: only, path: sourcePath as NotePath };
    const slash = sourcePath.indexOf('/');
    const name = slash < 0 ? sourcePath : sourcePath.slice(0, slash);
    const source = sources.find((each) => each.name === name);
    return source && { source, path: (slash < 0 ? ROOT : sourcePath.slice(slash + 1)) as NotePath };
  };
  return {
    sourcePath: (source, path) => (isAlone ? path : `${source.name}/${path}`),
    find,
    parts(scope, inquiry) {
      const prefix = parseFolderPath(scope.pathPrefix ?? '');
      if (prefix === ROOT) return sources.map((source) => ({ source, filter: filterOf(scope, ROOT) }));
      const place = find(prefix);
      if (place) return [{ source: place.source, filter: filterOf(scope, place.path) }];
      const names = sources.map(({ name }) => name).join(', ');
      inquiry?.onWarning?.(`No notebook has notes under "${prefix}". The notebooks are: ${names}.`);
      return [];
    },
  };
}

function filterOf({ tags = [], since, until }: Scope, under: NotePath): SearchFilter {
  return {
    extensions: TEXT_EXTENSIONS,
    ...(under !== ROOT && { under }),
    ...(tags.length > 0 && { tags }),
    ...(since !== undefined && { modifiedAfter: since }),
    ...(until !== undefined && { modifiedBefore: until }),
  };
}

/** Asks all of them at once. One that fails does not hide the others, unless all fail. */
export async function askAll<Answer>(
  parts: readonly Part[],
  ask: (part: Part) => Promise<Answer>,
  inquiry: Inquiry = {},
): Promise<{ readonly part: Part; readonly answer: Answer }[]> {
  const outcomes = await Promise.allSettled(parts.map(ask));
  inquiry.signal?.throwIfAborted();
  const failures = outcomes.filter((outcome) => outcome.status === 'rejected');
  if (failures.length > 0 && failures.length === parts.length) throw failures[0]?.reason;
  return outcomes.flatMap((outcome, at) => {
    const part = parts[at]!;
    if (outcome.status === 'fulfilled') return [{ part, answer: outcome.value }];
    inquiry.onWarning?.(`The notebook "${part.source.name}" is left out: ${problemOf(outcome.reason)}.`);
    return [];
  });
}

function problemOf(error: unknown): string {
  return isAppError(error) ? error.title : 'it could not be read';
}
