/**
 * Finds the links of a note: wikilinks, markdown links and images, reference definitions; in the body and in
 * frontmatter values, never in code. Time grows with the text's length only.
 */
import { splitFrontmatter } from '../frontmatter/split.ts';
import { codeRegions, createRangeCursor, isInside, overlapsAny, type Range } from '../markdown/regions.ts';
import { readDefinitionDestination, readInlineDestination, startsBlankLine } from './destination.ts';
import { createLink, isExternal, type Link, type Notation } from './link.ts';

interface Scalar extends Range {
  readonly quoting: Exclude<Notation['quoting'], 'none'>;
}

/**
 * Parts the lines of a YAML block into quoted strings and the rest, so that links in values are found and respelled
 * under the right quoting. In text order, without comments. Not a YAML parser: a quoted string over several lines
 * counts as bare.
 */
function* yamlScalars(text: string, block: Range): Generator<Scalar> {
  for (let start = block.start; start < block.end; ) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak < 0 || lineBreak > block.end ? block.end : lineBreak;
    yield* scalarsOfLine(text, { start, end });
    start = end + 1;
  }
}

function* scalarsOfLine(text: string, line: Range): Generator<Scalar> {
  let bareStart = line.start;
  let mayOpenQuote = true;
  let unclosed = '';
  for (let at = line.start; at < line.end; at++) {
    const char = text[at]!;
    if (mayOpenQuote && (char === '"' || char === "'") && !unclosed.includes(char)) {
      const close = closingQuote(text, at + 1, line.end);
      if (close >= 0) {
        yield { start: bareStart, end: at, quoting: 'bare' };
        yield { start: at + 1, end: close, quoting: char === '"' ? 'double' : 'single' };
        at = close;
        bareStart = close + 1;
      } else {
        unclosed += char;
      }
      mayOpenQuote = false;
    } else if (char === '#' && (at === line.start || /\s/.test(text[at - 1]!))) {
      yield { start: bareStart, end: at, quoting: 'bare' };
      return;
    } else if (char !== ' ' && char !== '\t') {
      mayOpenQuote = ':-[,{'.includes(char);
    }
  }
  yield { start: bareStart, end: line.end, quoting: 'bare' };
}

/** The quote that closes the string whose content starts at `from`, or -1 when the line ends first. */
function closingQuote(text: string, from: number, end: number): number {
  const mark = text[from - 1];
  for (let at = from; at < end; at++) {
    const char = text[at];
    if (char === '\\' && mark === '"') at++;
    else if (char === mark) {
      if (mark === '"' || text[at + 1] !== "'") return at;
      at++;
    }
  }
  return -1;
}

/** Every link to another file of the notebook, in text order. */
export function scanLinks(text: string): Link[] {
  return scanAllLinks(text).filter((link) => link.target !== '' && !isExternal(link));
}

/** All links, those to other places and into the note itself too. */
export function scanAllLinks(text: string): Link[] {
  const links: Link[] = [];
  if (!text.includes(']]') && !text.includes('](') && !text.includes(']:')) return links;
  const frontmatter = splitFrontmatter(text);
  if (frontmatter) {
    const yaml = { start: frontmatter.yamlStart, end: frontmatter.yamlEnd };
    for (const { start, end, quoting } of yamlScalars(text, yaml))
      scanStretch({ text, start, end, quoting, code: [] }, links);
  }
  const start = frontmatter?.bodyStart ?? 0;
  scanStretch({ text, start, end: text.length, quoting: 'none', code: codeRegions(text) }, links);
  return links;
}

interface TextRange extends Range {
  readonly text: string;
  readonly quoting: Notation['quoting'];
  readonly code: readonly Range[];
}

const MAX_LABEL_COLUMN = 64;

interface Opener {
  readonly at: number;
  readonly image: boolean;
}

/** Adds the links of a part of the text to `links`. */
export function scanStretch(stretch: TextRange, links: Link[]): void {
  const { text, end } = stretch;
  const codeAt = createRangeCursor(stretch.code);
  const openers: Opener[] = [];
  /** Openers below this index surround a link already, and links do not nest. */
  let sealed = 0;
  let escaped = -1;

  for (let at = stretch.start; at < end; ) {
    const char = text.charCodeAt(at);
    if (char !== 91 && char !== 92 && char !== 93 && char !== 10) {
      at++;
      continue;
    }
    const code = codeAt(at);
    if (code) {
      at = code.end;
    } else if (char === 92) {
      escaped = at + 1;
      at += 2;
    } else if (char === 10) {
      at++;
      if (startsBlankLine(stretch, at)) openers.length = sealed = 0;
    } else if (char === 91) {
      const image = text[at - 1] === '!' && at > stretch.start && escaped !== at - 1;
      const link = text.charCodeAt(at + 1) === 91 ? readWikilink(stretch, { at, image }) : undefined;
      if (link) links.push(link);
      else openers.push({ at, image });
      at = link ? link.span.end : at + 1;
    } else {
      const opener = openers.pop();
      const link = opener && readMarkdownLink(stretch, opener, { at, nested: openers.length < sealed });
      if (link) links.push(link);
      if (link?.form === 'inline' && !link.embed) sealed = openers.length;
      sealed = Math.min(sealed, openers.length);
      at = link ? link.span.end : at + 1;
    }
  }
}

function readWikilink(stretch: TextRange, { at: open, image }: Opener): Link | undefined {
  const { text } = stretch;
  if (text[open + 2] === '[') return undefined;
  let pipe = -1;
  let close = open + 2;
  for (; ; close++) {
    const char = text.charCodeAt(close);
    if (close + 1 >= stretch.end || char === 10) return undefined;
    if (char === 91 && text.charCodeAt(close + 1) === 91) return undefined;
    if (char === 93 && text.charCodeAt(close + 1) === 93) break;
    if (char === 124 && pipe < 0) pipe = close;
  }
  // In a table the pipe is written `\|`.
  const targetEnd = pipe < 0 ? close : text[pipe - 1] === '\\' ? pipe - 1 : pipe;
  const { start, end } = trimmed(text, open + 2, Math.max(targetEnd, open + 2));
  if (overlapsAny(stretch.code, { start: open, end }) || isInside(stretch.code, close)) return undefined;
  return createLink({
    form: 'wiki',
    embed: image,
    span: { start: image ? open - 1 : open, end: close + 2 },
    start,
    end,
    raw: text.slice(start, end),
    notation: { syntax: 'wiki', quoting: stretch.quoting },
  });
}

function readMarkdownLink(
  stretch: TextRange,
  opener: Opener,
  closer: { readonly at: number; readonly nested: boolean },
): Link | undefined {
  const { text } = stretch;
  const sign = closer.at + 1 < stretch.end ? text[closer.at + 1] : '';
  const isInline = sign === '(' && (opener.image || !closer.nested);
  const isDefinition = sign === ':' && isDefinitionLabel(stretch, opener.at, closer.at);
  if (!isInline && !isDefinition) return undefined;
  const read = isInline ? readInlineDestination : readDefinitionDestination;
  const found = read(stretch, closer.at + 2);
  if (!found || overlapsAny(stretch.code, found)) return undefined;
  const embed = isInline && opener.image;
  return createLink({
    form: isInline ? 'inline' : 'definition',
    embed,
    span: { start: embed ? opener.at - 1 : opener.at, end: found.after },
    start: found.start,
    end: found.end,
    raw: text.slice(found.start, found.end),
    notation: { syntax: found.angle ? 'angle' : 'plain', quoting: stretch.quoting },
  });
}

/** `[id]` at the start of its line, behind nothing but quote signs and a list marker. `[^id]` is a footnote. */
function isDefinitionLabel({ text, start, quoting }: TextRange, open: number, close: number): boolean {
  if (quoting !== 'none' || text[open + 1] === '^' || close === open + 1) return false;
  // Only so far back, or a long line of labels would be read from its start for each of them.
  const before = text.slice(Math.max(start, open - MAX_LABEL_COLUMN), open);
  const lineBreak = before.lastIndexOf('\n');
  if (lineBreak < 0 && open - start > MAX_LABEL_COLUMN) return false;
  return /^\uFEFF?[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)?$/.test(before.slice(lineBreak + 1));
}

function trimmed(text: string, from: number, to: number): Range {
  let start = from;
  let end = to;
  while (start < end && (text[start] === ' ' || text[start] === '\t')) start++;
  while (end > start && (text[end - 1] === ' ' || text[end - 1] === '\t')) end--;
  return { start, end };
}
