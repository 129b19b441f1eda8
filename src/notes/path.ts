/**
 * A note's path inside its notebook: relative, `/` between segments, no empty, `.` or `..` segment,
 * no leading slash, no control character. Every path from outside passes through `parseNotePath` once;
 * behind it the type says that this has happened.
 *
 * It does not look at the disk: links, existing spellings and hidden names are the store's business.
 */
import { AppError } from '../shared/errors.ts';
import { markUnprintable } from '../shared/printable.ts';

export type NotePath = string & { readonly __brand: 'NotePath' };

/** The notebook itself, as a folder. */
export const ROOT = '' as NotePath;

const MAX_SEGMENT_BYTES = 255;
export const MAX_PATH_BYTES = 2048;
const LONGEST_SHOWN = 200;

export function parseNotePath(raw: string): NotePath {
  const path = parseFolderPath(raw);
  if (path === ROOT)
    throw new AppError('invalid_input', 'Invalid path', {
      subject: raw.trim(),
      hint: 'Name a note, for example "projects/plan.md".',
    });
  return path;
}

/** Like `parseNotePath`, but the empty path, `/` and `.` mean the notebook's root. */
export function parseFolderPath(raw: string): NotePath {
  const trimmed = raw.trim();
  const invalid = (hint: string, title = 'Invalid path') =>
    new AppError('invalid_input', title, { subject: shownPath(trimmed), hint });
  if (hasControlCharacter(trimmed))
    throw invalid('It holds a control character (NUL, tab, line break or the like).');
  const slashed = trimmed.replaceAll('\\', '/');
  const segments = slashed.split('/').filter((segment) => segment !== '' && segment !== '.');
  if (segments.includes('..'))
    throw new AppError('forbidden', 'Path traversal not allowed', { subject: shownPath(trimmed) });
  if (/^[A-Za-z]:/.test(segments[0] ?? ''))
    throw invalid('Drive letters are not part of a notebook path. Use a path relative to the notebook.');
  if (segments.some((segment) => Buffer.byteLength(segment) > MAX_SEGMENT_BYTES))
    throw invalid(`A file or folder name holds at most ${MAX_SEGMENT_BYTES} bytes.`, 'Path too long');
  const path = segments.join('/');
  if (Buffer.byteLength(path) > MAX_PATH_BYTES)
    throw invalid(`A path holds at most ${MAX_PATH_BYTES} bytes.`, 'Path too long');
  return path as NotePath;
}

/**
 * Refuses names that some other system cannot hold, so that a notebook made here can be synced there.
 * Only for names about to be created: what exists stays reachable. The characters `? " * < > |` are let
 * through because people use them in titles on the systems that allow them.
 */
export function assertPortable(path: NotePath): void {
  for (const segment of path.split('/')) {
    const problem = problemIn(segment, UNPORTABLE);
    if (problem !== undefined)
      throw new AppError('invalid_input', 'Invalid path', {
        subject: shownPath(path),
        hint: `"${shownPath(segment)}" ${problem}; choose another name.`,
      });
  }
}

const UNPORTABLE: readonly (readonly [RegExp, string])[] = [
  [/^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$) *(\.|$)/i, 'is a device name on Windows'],
  [/:/, 'holds a colon, which Windows takes for a drive or a hidden stream'],
  [/[. ]$/, 'ends in a dot or a space, which Windows drops'],
  [/^ /, 'begins with a space'],
];

const ONLY_ELSEWHERE: readonly (readonly [RegExp, string])[] = [
  [/[?"*<>|\\]/, 'holds one of ? " * < > | \\, which Windows does not allow'],
  [/[\u0000-\u001f]/, 'holds a control character'],
];

function problemIn(segment: string, rules: typeof UNPORTABLE): string | undefined {
  return rules.find(([pattern]) => pattern.test(segment))?.[1];
}

/** What keeps some other system from holding a file or folder of this name, also one that may be created here. */
export function portabilityProblem(segment: string): string | undefined {
  if (segment.length > MAX_SEGMENT_BYTES || Buffer.byteLength(segment) > MAX_SEGMENT_BYTES)
    return `is longer than ${MAX_SEGMENT_BYTES} bytes, which Linux does not allow`;
  return problemIn(segment, UNPORTABLE) ?? problemIn(segment, ONLY_ELSEWHERE);
}

export function parentOf(path: NotePath): NotePath {
  const slash = path.lastIndexOf('/');
  return (slash < 0 ? '' : path.slice(0, slash)) as NotePath;
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** `a/Some Note.md` → `Some Note`. */
export function stemOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(0, dot) : name;
}

/** `.md` for `a/b.MD`; empty when there is none. Always lower case. */
export function extensionOf(path: string): string {
  const name = nameOf(path);
  const dot = name.lastIndexOf('.');
  return dot > 0 ? name.slice(dot).toLowerCase() : '';
}

export function joinPath(folder: NotePath, name: string): NotePath {
  return (folder === ROOT ? name : `${folder}/${name}`) as NotePath;
}

/** One key for all spellings that some file system takes for the same name. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

const CONTROL_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;

export function hasControlCharacter(text: string): boolean {
  return CONTROL_CHARACTER.test(text);
}

/** A path as an error shows it: shortened, control characters made visible. */
export function shownPath(path: string): string {
  return markUnprintable(path, LONGEST_SHOWN);
}

/** One look at the path: this is asked of every file and folder there is. */
const ALWAYS_HIDDEN =
  /(?:^|\/)(?:\.|(?:node_modules|thumbs\.db|desktop\.ini|\$recycle\.bin|system volume information)(?:\/|$))/i;

/**
 * Hidden in every notebook: dot files and dot folders at any depth (`.git`, `.obsidian`, `.trash` among them),
 * `node_modules` and the litter of desktop systems.
 */
export function isAlwaysHidden(path: string): boolean {
  return ALWAYS_HIDDEN.test(path);
}
