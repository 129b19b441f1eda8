/**
 * Tags by Obsidian's rules: `#` at a line's start or after white space, then letters, digits, `_`, `-`, `/` or
 * emoji, not digits alone. Nothing inside code, frontmatter, links or HTML tags counts.
 *
 * Stricter than Obsidian in two points, because taking code for tags spoils a notebook's tag list: `#1a2b3c`
 * (3 to 8 hexadecimal digits, one of them 0-9) is a colour, and `#include <…>` is C.
 */

import { bodyStartOf } from './frontmatter/split.ts';
import { startsBlankLine } from './links/destination.ts';
import { scanAllLinks } from './links/scan.ts';
import { codeBlocks, codeRegions, createRangeCursor, isInside, type Range } from './markdown/regions.ts';

/** The HTML tags of a text, sorted and without overlap; `<style>` and `<script>` elements as a whole. */
function htmlTagRanges(text: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const end = tagEnd(text, at);
    if (end < 0) continue;
    const range = { start: at, end: elementEnd(text, at, end) };
    ranges.push(range);
    at = range.end - 1;
  }
  return ranges;
}

function tagEnd(text: string, start: number): number {
  const nameAt = text[start + 1] === '/' ? start + 2 : start + 1;
  if (!/[A-Za-z]/.test(text.charAt(nameAt))) return -1;
  let quote = '';
  for (let at = nameAt; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\n' && startsBlankLine({ text, end: text.length }, at + 1)) return -1;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '>') {
      return at + 1;
    } else if (char === '<') {
      return -1;
    } else if ((char === '"' || char === "'") && text[at - 1] === '=') {
      quote = char;
    }
  }
  return -1;
}

function elementEnd(text: string, start: number, openEnd: number): number {
  const raw = /^<(style|script)\b/i.exec(text.slice(start, start + 8))?.[1];
  if (raw === undefined) return openEnd;
  const closing = new RegExp(`</${raw}`, 'gi');
  closing.lastIndex = openEnd;
  return closing.exec(text)?.index ?? text.length;
}

interface InlineTag extends Range {
  /** Without the `#`, which `start` points at. */
  readonly tag: string;
}

const TAG_CHARACTERS = '\\p{L}\\p{M}\\p{N}\\p{So}\\p{Extended_Pictographic}\\p{Emoji_Modifier}\\u200D_/-';
const TAG_RUN = new RegExp(`[${TAG_CHARACTERS}]+`, 'uy');
const NOT_IN_TAGS = new RegExp(`[^${TAG_CHARACTERS}]`, 'u');

/** `code` are the code blocks of the text, if the caller has scanned for them. */
export function scanInlineTags(text: string, code?: readonly Range[]): InlineTag[] {
  const looksLikeTags = tagCandidates(text);
  if (looksLikeTags.length === 0) return [];
  const blocks = code ?? codeBlocks(text);
  // Each way to be no tag is looked for among what the ways before have left, which most often is nothing.
  let candidates = looksLikeTags.filter(({ start }) => !isInside(blocks, start));
  for (const rangesIn of [codeRegions, linkRanges, htmlTagRanges]) {
    if (candidates.length === 0) break;
    const rangeAt = createRangeCursor(mergeNested(rangesIn(text)));
    candidates = candidates.filter(({ start }) => rangeAt(start) === undefined);
  }
  return candidates;
}

function linkRanges(text: string): readonly Range[] {
  return scanAllLinks(text).map((link) => link.span);
}

/** Fast path: anything that looks like a tag, wherever it is. Most notes have none. */
function tagCandidates(text: string): InlineTag[] {
  const candidates: InlineTag[] = [];
  const from = bodyStartOf(text);
  for (let at = text.indexOf('#', from); at >= 0; at = text.indexOf('#', at + 1)) {
    if (at > 0 && !/[\s\uFEFF]/.test(text[at - 1]!)) continue;
    const tag = tagAt(text, at + 1);
    if (tag !== undefined) candidates.push({ tag, start: at, end: at + 1 + tag.length });
  }
  return candidates;
}

/** The tag without its `#` and without space around it. */
export function normalizeTag(raw: string): string {
  return raw.trim().replace(/^#/, '').trim();
}

/** Why `tag` (without `#`) is not a lawful tag, as the end of a sentence; undefined when it is one. */
export function tagProblem(tag: string): string | undefined {
  if (tag === '') return 'is empty';
  if (/\s/.test(tag)) return 'holds white space; use "-", "_" or "/" between words';
  const forbidden = NOT_IN_TAGS.exec(tag)?.[0];
  if (forbidden !== undefined)
    return `holds "${forbidden}"; only letters, digits, "_", "-", "/" and emoji are allowed`;
  if (/^\/|\/$|\/\//.test(tag)) return 'has an empty part beside a "/"';
  if (/^\d+$/.test(tag)) return 'consists of digits only; a tag needs at least one other character';
  return undefined;
}

/** Whether two tags (without `#`) are one and the same, whatever their letter case and Unicode form. */
export function sameTag(a: string, b: string): boolean {
  return tagKey(a) === tagKey(b);
}

/** Equal for all spellings of a tag (without `#`). */
export function tagKey(tag: string): string {
  return tag.normalize('NFC').toLowerCase();
}

/** Whether `key` is the tag of `parent`, or nested below it; both as `tagKey` makes them. */
export function isTagOrBelow(key: string, parent: string): boolean {
  return key === parent || key.startsWith(`${parent}/`);
}

function tagAt(text: string, from: number): string | undefined {
  TAG_RUN.lastIndex = from;
  const run = TAG_RUN.exec(text)?.[0];
  if (run === undefined) return undefined;
  const emptyPart = run.indexOf('//');
  const tag = (emptyPart < 0 ? run : run.slice(0, emptyPart)).replace(/\/$/, '');
  if (tagProblem(tag) !== undefined || isColour(tag)) return undefined;
  if (tag === 'include' && /^[ \t]*[<"]/.test(text.slice(from + run.length, from + run.length + 16)))
    return undefined;
  return tag;
}

/** Whether `#tag` in a text is taken for a colour. */
export function isColour(tag: string): boolean {
  return /^[0-9a-f]{3,8}$/i.test(tag) && /\d/.test(tag);
}

/** Links nest (`[![a](b)](c)`) and come in the order of their ends; a cursor needs them sorted and apart. */
function mergeNested(ranges: readonly Range[]): Range[] {
  const merged: Range[] = [];
  for (const range of [...ranges].sort((a, b) => a.start - b.start)) {
    const last = merged.at(-1);
    if (last === undefined || range.start >= last.end) merged.push(range);
    else if (range.end > last.end) merged[merged.length - 1] = { start: last.start, end: range.end };
  }
  return merged;
}
