/** A link inside a note as written. The resolver finds its target. */
import type { Range } from '../markdown/regions.ts';

/** How a path is spelled inside a link. */
export interface Notation {
  /** `wiki` is taken as it stands; `plain` and `angle` are markdown destinations without and with `<…>`. */
  readonly syntax: 'wiki' | 'plain' | 'angle';
  /** The YAML scalar around a link in frontmatter; `none` in the note's body. */
  readonly quoting: 'none' | 'double' | 'single' | 'bare';
}

function decodeTarget(raw: string, notation: Notation): string {
  const text = unquote(raw, notation.quoting);
  if (notation.syntax === 'wiki') return text;
  return decodePercent(text.includes('\\') ? text.replace(/\\([!-/:-@[-`{-~])/g, '$1') : text);
}

/**
 * Escapes only what the notation could not hold otherwise. `sample` is the spelling to be replaced: segments that stay keep
 * its spelling, and so does its habit with non-ASCII.
 */
export function encodeTarget(target: string, notation: Notation, sample: string): string {
  if (notation.syntax === 'wiki') return quote(target, notation.quoting);
  const known = spelledSegments(sample, notation);
  const encodeAll = /%[89a-f][0-9a-f]/i.test(sample);
  const segments = target
    .split('/')
    .map((segment) => known.get(segment) ?? encodeSegment(segment, notation, encodeAll));
  const joined = segments.join('/');
  return /^[a-z][a-z0-9+.-]*:/i.test(joined) ? joined.replace(':', '%3A') : joined;
}

/** Whether `raw` can stand in its place without being cut off, taken for code, or changing the YAML around it. */
export function fitsNotation(raw: string, notation: Notation): boolean {
  if (notation.quoting === 'bare' && /[,{}[\]]|:(?: |$)| #|^["'&*!|>%@`]/.test(raw)) return false;
  return notation.syntax !== 'wiki' || !/`|\$\$|<!--|\||\[\[|\]\]|^\s|[\s\]\\]$/.test(raw);
}

function encodeSegment(segment: string, notation: Notation, encodeAll: boolean): string {
  const always = segment.replace(/[`|#?]|%(?=[0-9a-f]{2})|&(?=#?\w+;)|^\[\[/gi, percent);
  const spelled =
    notation.syntax === 'angle'
      ? always.replace(/[\\<>]/g, '\\$&')
      : always.replace(
          hasBalancedParentheses(always) ? /[ <>\\\u0000-\u001f\u007f]/g : /[ <>\\()\u0000-\u001f\u007f]/g,
          percent,
        );
  return quote(
    encodeAll ? spelled.replace(/[^\u0000-\u007f\p{Cs}]+/gu, encodeURIComponent) : spelled,
    notation.quoting,
  );
}

function percent(chars: string): string {
  let encoded = '';
  for (const char of chars) encoded += `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
  return encoded;
}

function hasBalancedParentheses(text: string): boolean {
  let depth = 0;
  for (const char of text) {
    if (char === '(') depth++;
    else if (char === ')' && --depth < 0) return false;
  }
  return depth === 0;
}

/** The sample's segments by what they mean. Parentheses may be balanced only together with the rest, so not those. */
function spelledSegments(sample: string, notation: Notation): Map<string, string> {
  const spelled = new Map<string, string>();
  for (const raw of sample.split('/')) {
    if (!/[()]/.test(raw)) spelled.set(decodeTarget(raw, notation), raw);
  }
  return spelled;
}

/** Malformed escapes stand for themselves. */
function decodePercent(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/(?:%[0-9a-f]{2})+/gi, (escapes) => {
    try {
      return decodeURIComponent(escapes);
    } catch {
      return escapes;
    }
  });
}

function unquote(raw: string, quoting: Notation['quoting']): string {
  if (quoting === 'double') return raw.replace(/\\(["\\/])/g, '$1');
  return quoting === 'single' ? raw.replaceAll("''", "'") : raw;
}

function quote(text: string, quoting: Notation['quoting']): string {
  if (quoting === 'double') return text.replace(/["\\]/g, '\\$&');
  return quoting === 'single' ? text.replaceAll("'", "''") : text;
}

export interface Link extends Range {
  readonly form: 'wiki' | 'inline' | 'definition';
  /** An embed shows its target in place: `![[…]]` or `![…](…)`. */
  readonly embed: boolean;
  /** The whole construct; `start` and `end` of the link itself enclose the destination only. */
  readonly span: Range;
  /** The destination as written, `text.slice(start, end)`: no brackets, alias or title, but with its fragment. */
  readonly raw: string;
  readonly notation: Notation;
  /** The part before the first `#`, decoded: the path by the most common reading; empty for a link into its own note. */
  readonly target: string;
  /** The part after the path in that reading, as written: `#Heading`, `#^block`, or empty. */
  readonly suffix: string;
}

/** One way to part a destination into path and suffix. */
interface LinkTarget {
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
export function readingsOf(link: Pick<Link, 'raw' | 'notation'>): LinkTarget[] {
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
