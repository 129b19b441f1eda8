/**
 * Keeps links true when files move. A link is rewritten only when it would mean another file than before, and
 * then only its path: every other character of the note, and every link that still holds, stays as it is.
 */

import { codeRegions } from '../markdown/regions.ts';
import { extensionOf, type NotePath, nameOf, parentOf, pathKey } from '../path.ts';
import { applySplices, type Splice } from '../text/text.ts';
import { encodeTarget, fitsNotation, type Link } from './link.ts';
import { type LinkResolver, OPTIONAL_EXTENSIONS, type Resolution } from './resolve.ts';
import { scanLinks, scanStretch } from './scan.ts';

interface Move {
  /** The file the link shall mean. */
  readonly expected: NotePath;
  /** The note the link will stand in. */
  readonly to: NotePath;
}

/**
 * The ways to write a link to a file, the one nearest to the author's own first: short stays short, a path
 * stays a path, relative stays relative, and an extension left out stays left out. None is checked here.
 */
function respellings(link: Link, was: Resolution, move: Move): ReadonlySet<string> {
  const relative = relativePath(parentOf(move.to), move.expected);
  const withoutExtension = nameKey(was.target) !== nameKey(was.path);
  const short = (path: string) => (withoutExtension ? dropOptionalExtension(path) : path);
  return new Set([
    preferred(link, was, { root: short(move.expected), relative: short(relative) }),
    short(move.expected),
    move.expected,
    relative,
    `/${move.expected}`,
  ]);
}

function preferred(link: Link, was: Resolution, forms: { root: string; relative: string }): string {
  const isWiki = link.notation.syntax === 'wiki';
  if (was.target.startsWith('/')) return `/${forms.root}`;
  if (/^\.\.?\//.test(was.target)) {
    const keepsDot = isWiki || was.target.startsWith('./');
    return keepsDot && !forms.relative.startsWith('../') ? `./${forms.relative}` : forms.relative;
  }
  if (was.by === 'relative') return forms.relative;
  const segments = was.target.split('/').length;
  if (segments > 1 && was.by === 'root') return forms.root;
  return forms.root.split('/').slice(-segments).join('/');
}

function relativePath(folder: NotePath, path: NotePath): string {
  const from = folder === '' ? [] : folder.split('/');
  const to = path.split('/');
  let shared = 0;
  while (shared < from.length && shared < to.length - 1 && from[shared] === to[shared]) shared++;
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/');
}

function dropOptionalExtension(path: string): string {
  const extension = extensionOf(path);
  return OPTIONAL_EXTENSIONS.includes(extension) ? path.slice(0, -extension.length) : path;
}

function nameKey(path: string): string {
  return pathKey(nameOf(path));
}

export interface RewriteContext {
  /** Where the note stood and where it stands now; equal unless the note itself has moved. */
  readonly from: NotePath;
  readonly to: NotePath;
  /** All files before and after the move. */
  readonly before: LinkResolver;
  readonly after: LinkResolver;
  /** Where a file of before is now. */
  moved(path: NotePath): NotePath;
}

interface LinkEdits {
  readonly edits: readonly Splice[];
  /** Links that now mean another file or none, because their form cannot hold the new path. */
  readonly stale: number;
}

export interface RewriteResult {
  readonly text: string;
  readonly count: number;
  readonly stale: number;
}

export function rewriteLinks(text: string, context: RewriteContext): RewriteResult {
  const { edits, stale } = planLinkEdits(text, context);
  return { text: applySplices(text, edits), count: edits.length, stale };
}

export function planLinkEdits(text: string, context: RewriteContext): LinkEdits {
  const edits: Splice[] = [];
  let stale = 0;
  for (const link of scanLinks(text)) {
    const was = context.before.explain(link, context.from);
    if (!was) continue;
    const move: Move = { expected: context.moved(was.path), to: context.to };
    if (stillHolds(link, was, context.after.explain(link, move.to), move)) continue;
    const spelled = newSpelling(text, { link, was, move, after: context.after });
    if (spelled === undefined) stale++;
    else edits.push({ start: link.start, end: link.start + was.length, text: spelled });
  }
  return { edits, stale };
}

/**
 * A markdown link that was right for every reader, being relative to its folder, must stay so: that our own
 * search by name would still find the file does not help a web page or another editor. For the same reason a
 * link in the file's own letter case follows a change of case.
 */
function stillHolds(link: Link, was: Resolution, now: Resolution | undefined, move: Move): boolean {
  if (now?.path !== move.expected || (was.exact && !now.exact)) return false;
  return link.notation.syntax === 'wiki' || was.by !== 'relative' || now.by === 'relative';
}

interface Respelling {
  readonly link: Link;
  readonly was: Resolution;
  readonly move: Move;
  readonly after: LinkResolver;
}

function newSpelling(text: string, { link, was, move, after }: Respelling): string | undefined {
  const sample = link.raw.slice(0, was.length);
  for (const target of respellings(link, was, move)) {
    const spelled = encodeTarget(target, link.notation, sample);
    if (!fitsNotation(spelled, link.notation)) continue;
    const reread = rereadWith(text, link, spelled + link.raw.slice(was.length));
    if (reread && stillHolds(reread, was, after.explain(reread, move.to), move)) return spelled;
  }
  return undefined;
}

/** The link as the scanner sees it with another destination, or undefined when it is no longer the same link. */
function rereadWith(text: string, link: Link, raw: string): Link | undefined {
  const head = text.slice(link.span.start, link.start);
  const source = head + raw + text.slice(link.end, link.span.end);
  const { quoting } = link.notation;
  const code = quoting === 'none' ? codeRegions(source) : [];
  const found: Link[] = [];
  scanStretch({ text: source, start: 0, end: source.length, quoting, code }, found);
  return found.find((other) => other.start === head.length && other.raw === raw && other.form === link.form);
}
