/**
 * A page by its name, as SilverBullet's users say it: `projects/plan` is the note `projects/plan.md`. The
 * extension may be given, but never twice. Names are taken as they are: what looks odd may well exist.
 */
import { AppError, isAppError } from '../shared/errors.ts';
import { hasControlCharacter, type NotePath, parseNotePath, shownPath } from './path.ts';

const EXTENSION = '.md';

export function parsePagePath(raw: string): NotePath {
  return parsed(raw, (name) => (isPagePath(name) ? name : name + EXTENSION));
}

/** A file of any kind, by its path; the rules of pages without the extension. */
export function parseFilePath(raw: string): NotePath {
  return parsed(raw, (name) => name);
}

/** `projects/plan` for `projects/plan.md`. */
export function pageNameOf(path: string): string {
  return path.endsWith(EXTENSION) ? path.slice(0, -EXTENSION.length) : path;
}

export function isPagePath(path: string): boolean {
  return /\.md$/i.test(path);
}

export function invalidPage(raw: string, problem: string, hint?: string): AppError {
  const input = shownPath(raw);
  return new AppError('invalid_input', `Invalid page path "${input}"`, {
    subject: problem,
    hint,
    reason: 'invalid_path',
    details: { input, reason: problem },
  });
}

function parsed(raw: string, pathOf: (name: string) => string): NotePath {
  const name = raw.replaceAll('\\', '/').replace(/^\//, '');
  const path = pathOf(name);
  const problem = pathProblem(name, path);
  if (problem !== undefined) throw invalidPage(raw, problem);
  try {
    // A slash before it keeps a blank that a name begins with.
    return parseNotePath(`/${path}`);
  } catch (error) {
    if (!isAppError(error)) throw error;
    throw invalidPage(raw, [error.title.toLowerCase(), error.hint].filter(Boolean).join('. '));
  }
}

function pathProblem(given: string, path: string): string | undefined {
  if (!given.isWellFormed()) return 'holds half a character (an unpaired surrogate)';
  if (given.trim() === '' || given === EXTENSION) return 'empty name';
  const segments = path.split('/');
  if (segments.includes('..')) return 'path traversal not allowed';
  if (segments.includes('.')) return 'a "." segment is not allowed';
  if (segments.some((segment) => segment === '') || /(?:^|\/)\.md$/i.test(path)) return 'empty segment';
  if (/\.md\.md$/i.test(path)) return 'results in double .md extension';
  if (segments.some((segment) => segment.startsWith('.'))) return 'hidden files and folders are off limits';
  return hasControlCharacter(path) ? 'holds a control character' : undefined;
}

/**
 * Why SilverBullet could not open a file of this name, of whatever kind; undefined when it can. Its grammar of names is
 * narrower than what its file API stores, so this is only for names about to be made.
 */
export function fileNameProblem(name: string): string | undefined {
  if (/^[.^]/.test(name)) return `starts with "${name[0]}"`;
  const sign = /\[\[|\]\]|[@#|<>$]/.exec(name)?.[0];
  if (sign !== undefined) return `holds "${sign}", which means something else in a link`;
  return /\/\/|^\/|\/$/.test(name) ? 'has an empty part beside a "/"' : undefined;
}

/** For a page, whose name has no `.md`. */
export function pageNameProblem(name: string): string | undefined {
  const problem = fileNameProblem(name);
  if (problem !== undefined) return problem;
  const extension = /\.[a-z0-9]+$/i.exec(name)?.[0];
  return extension === undefined
    ? undefined
    : `ends in "${extension}", which SilverBullet takes for a file extension`;
}

/** A lawful name as near as possible; undefined when nothing is left of it. */
export function suggestPageName(name: string): string | undefined {
  const suggested = name
    .replace(/(?:\.md)+$/i, '')
    .replace(/\[\[|\]\]/g, '')
    .replace(/[@#|<>$]+/g, '-')
    .split('/')
    .map((part) => part.replace(/^[-.^\s]+|[-\s]+$/g, ''))
    .filter((part) => part !== '')
    .join('/')
    .replace(/(?:\.[a-z0-9]+)+$/i, (end) => end.replaceAll('.', '-'));
  return suggested === '' || pageNameProblem(suggested) !== undefined ? undefined : suggested;
}
