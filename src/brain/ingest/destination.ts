/** Where a note goes: which notebook, which path in it. Nothing hidden, nothing outside, nothing that is not a note. */
import {
  extensionOf,
  joinPath,
  type NotePath,
  nameOf,
  parseFolderPath,
  parseNotePath,
  ROOT,
} from '../../notes/path.ts';
import { PathFilter } from '../../notes/path-filter.ts';
import { AppError } from '../../shared/errors.ts';
import { nearest } from '../../shared/nearest.ts';
import type { Source } from '../types.ts';

export interface Destination {
  readonly source: Source;
  readonly path: NotePath;
  /** Begins with the notebook's name when there are several. */
  readonly sourcePath: string;
}

const DEFAULT_FOLDER = 'inbox' as NotePath;
const NOTE_EXTENSIONS = ['.md', '.markdown', '.txt'];

/** `dest` is a folder or a note; `name` is for a folder. */
export function destinationOf(
  sources: readonly Source[],
  dest: string | undefined,
  name: string,
): Destination {
  const { source, inside } = dest === undefined ? firstWritable(sources) : namedIn(sources, dest);
  if (!source.writable)
    throw new AppError('read_only', 'Notebook is read-only', {
      subject: source.name,
      hint: 'It is served without the right to change notes. Name another notebook in dest.',
    });
  const path = isNote(inside, dest) ? parseNotePath(inside) : joinPath(inside, name);
  assertVisible(path);
  return { source, path, sourcePath: sources.length > 1 ? `${source.name}/${path}` : path };
}

interface MountedPath {
  readonly source: Source;
  readonly inside: NotePath;
}

function firstWritable(sources: readonly Source[]): MountedPath {
  const source = sources.find(({ writable }) => writable);
  if (source) return { source, inside: DEFAULT_FOLDER };
  throw new AppError('read_only', 'No notebook may be written to', {
    hint: 'All notebooks are read-only. The operator can change that.',
  });
}

function namedIn(sources: readonly Source[], dest: string): MountedPath {
  const inside = parseFolderPath(dest);
  const [only] = sources;
  if (only && sources.length === 1) return { source: only, inside };
  const slash = inside.indexOf('/');
  const name = slash < 0 ? inside : inside.slice(0, slash);
  const source = sources.find((one) => one.name === name);
  if (source) return { source, inside: (slash < 0 ? ROOT : inside.slice(slash + 1)) as NotePath };
  const names = sources.map((one) => one.name);
  const near = nearest(name, names);
  throw new AppError('not_found', 'No such notebook', {
    subject: name.slice(0, 200),
    hint: `${near === undefined ? '' : `Did you mean ${near}? `}dest begins with the name of a notebook: ${names.join(', ')}.`,
  });
}

/** A name that ends like a file of another kind is no folder either. */
function isNote(inside: NotePath, dest = ''): boolean {
  const extension = extensionOf(inside);
  if (/[/\\]\s*$/.test(dest) || !/^\.[a-z][a-z\d]{0,9}$/.test(extension)) return false;
  if (NOTE_EXTENSIONS.includes(extension)) return true;
  throw new AppError('invalid_input', 'Not a note', {
    subject: nameOf(inside),
    hint: `Name a ${NOTE_EXTENSIONS.join(', ')} file, or a folder with a "/" at its end.`,
  });
}

function assertVisible(path: NotePath): void {
  if (!new PathFilter().isHidden(path)) return;
  throw new AppError('forbidden', 'Access denied', {
    subject: path,
    hint: 'Hidden files and folders are not part of the notebook.',
  });
}
