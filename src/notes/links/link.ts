/** A link inside a note, as it stands in the text. What it points to is the resolver's question. */
import type { Range } from '../markdown/range.ts';
import { decodeTarget, type Notation } from './notation.ts';

export interface Link extends Range {
  readonly form: 'wiki' | 'inline' | 'definition';
  /** Whether it shows its target in place: `![[…]]` or `![…](…)`. */
  readonly embed: boolean;
  /** The whole construct; `start` and `end` of the link itself enclose the destination only. */
  readonly span: Range;
  /** The destination as written, `text.slice(start, end)`: no brackets, alias or title, but with its fragment. */
  readonly raw: string;
  readonly notation: Notation;
  /** What stands before the first `#`, decoded: the path by the most common reading; empty for a link into its own note. */
  readonly target: string;
  /** What follows the path in that reading, as written: `#Heading`, `#^block`, or nothing. */
  readonly suffix: string;
}

/** One way to part a destination into path and suffix. */
export interface Reading {
  readonly target: string;
  /** How many characters of `raw` spell the target. */
  readonly length: number;
}

/** More `#` in one destination than this are not worth trying. */
const MAX_READINGS = 8;

export function createLink(parts: Omit<Link, 'target' | 'suffix'>): Link {
  const { form, embed, span, start, end, raw, notation } = parts;
  const hash = raw.indexOf('#');
  const target = hash < 0 ? raw : raw.slice(0, hash);
  const suffix = hash < 0 ? '' : raw.slice(hash);
  // Field by field: a spread here doubles the time a scan takes.
  return { form, embed, span, start, end, raw, notation, target: decodeTarget(target, notation), suffix };
}

/**
 * File names may hold `#` and `?`, so a destination has several readings, the likeliest first: up to the first
 * `#`, then up to a `?` before it (in markdown), then up to each later `#`, then the whole.
 */
export function readingsOf(link: Pick<Link, 'raw' | 'notation'>): Reading[] {
  return [...suffixStarts(link.raw, link.notation), link.raw.length]
    .filter((length, index, all) => length > 0 && all.indexOf(length) === index)
    .map((length) => ({ target: decodeTarget(link.raw.slice(0, length), link.notation), length }));
}

/** Whether the destination leaves the notebook: `scheme:…`, `//host`. */
export function isExternal(link: Pick<Link, 'form' | 'raw'>): boolean {
  if (link.raw.startsWith('//')) return true;
  // A wikilink names a note, and a note's title may hold a colon.
  return link.form === 'wiki'
    ? /^[a-z][a-z0-9+.-]+:\/\//i.test(link.raw)
    : /^[a-z][a-z0-9+.-]+:(?! )/i.test(link.raw);
}

function suffixStarts(raw: string, notation: Notation): number[] {
  const starts: number[] = [];
  for (let at = raw.indexOf('#'); at >= 0 && starts.length < MAX_READINGS; at = raw.indexOf('#', at + 1)) {
    starts.push(at);
  }
  if (notation.syntax === 'wiki') return starts;
  const query = raw.indexOf('?');
  const first = starts[0] ?? raw.length;
  if (query < 0 || query > first) return starts;
  return [first, query, ...starts.slice(1)];
}
