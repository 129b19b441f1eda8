/**
 * Tokenizes HTML in linear time, whatever is broken in it. Names, attributes, quotes, comments and entities are read
 * as by browsers, with two exceptions that lose nothing: an unterminated tag or comment is text, and there are no
 * raw-text elements. That is safe because the resulting tree is filtered by allow-lists and serialized anew.
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

export interface TagSink {
  text(text: string): void;
  /** The tag's source range is `start` to `end`. */
  open(name: string, attributes: ReadonlyMap<string, string>, start: number, end: number): void;
  close(name: string, start: number, end: number): void;
  /** The rest is text, because a tag or comment is not terminated. */
  unfinished?(): void;
}

interface Tag {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  /** Index after the closing bracket. */
  readonly end: number;
}

const MAX_NAME_LENGTH = 100;
const SLASH = 47;
const EQUALS = 61;
const CLOSING_BRACKET = 62;
const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();

export function tokenize(html: string, sink: TagSink): void {
  const sayText = (start: number, end: number) => {
    if (start < end) sink.text(decodeText(html.slice(start, end)));
  };
  let textStart = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const closes = html.charCodeAt(at + 1) === SLASH;
    if (isLetter(html.charCodeAt(closes ? at + 2 : at + 1))) {
      const tag = readTag(html, closes ? at + 2 : at + 1);
      if (!tag) {
        sink.unfinished?.();
        break;
      }
      sayText(textStart, at);
      if (closes) sink.close(tag.name, at, tag.end);
      else sink.open(tag.name, tag.attributes, at, tag.end);
      at = textStart = tag.end;
    } else if (closes || html[at + 1] === '!' || html[at + 1] === '?') {
      const end = commentEnd(html, at);
      if (end < 0) {
        sink.unfinished?.();
        break;
      }
      sayText(textStart, at);
      at = textStart = end;
    } else {
      at++;
    }
  }
  sayText(textStart, html.length);
}

/** Drops NUL, as browsers do. */
function decodeText(text: string): string {
  const decoded = text.includes('&') ? decodeHTML(text) : text;
  return decoded.includes('\0') ? decoded.replaceAll('\0', '') : decoded;
}

function readTag(html: string, start: number): Tag | undefined {
  let at = start;
  while (at < html.length && !endsName(html.charCodeAt(at))) at++;
  const name = nameOf(html, start, at);
  let attributes: Map<string, string> | undefined;
  for (;;) {
    at = skipSpaceAndSlashes(html, at);
    if (at >= html.length) return undefined;
    if (html.charCodeAt(at) === CLOSING_BRACKET)
      return { name, attributes: attributes ?? NO_ATTRIBUTES, end: at + 1 };
    const attribute = readAttribute(html, at);
    if (!attribute) return undefined;
    attributes ??= new Map();
    if (!attributes.has(attribute.name)) attributes.set(attribute.name, attribute.value);
    at = attribute.end;
  }
}

function readAttribute(
  html: string,
  start: number,
): { readonly name: string; readonly value: string; readonly end: number } | undefined {
  // A leading equals sign is part of the attribute name.
  let at = start + 1;
  while (at < html.length && !endsName(html.charCodeAt(at)) && html.charCodeAt(at) !== EQUALS) at++;
  const name = nameOf(html, start, at);
  const nameEnd = at;
  at = skipSpace(html, at);
  if (html.charCodeAt(at) !== EQUALS) return { name, value: '', end: nameEnd };
  at = skipSpace(html, at + 1);
  const quote = html[at];
  if (quote === '"' || quote === "'") {
    const end = html.indexOf(quote, at + 1);
    return end < 0 ? undefined : { name, value: decodeValue(html.slice(at + 1, end)), end: end + 1 };
  }
  const valueStart = at;
  while (at < html.length && !isSpace(html.charCodeAt(at)) && html.charCodeAt(at) !== CLOSING_BRACKET) at++;
  return { name, value: decodeValue(html.slice(valueStart, at)), end: at };
}

/** One string for each common name, which makes comparisons cheap. */
const COMMON_NAMES: ReadonlyMap<string, string> = new Map(
  (
    'a alt aside b blockquote body br class code col colgroup colspan data-note-path del div em figcaption figure h1 ' +
    'h2 h3 h4 h5 h6 head height hr href html i id img input label li mark ol p pre rel rowspan s section span ' +
    'spellcheck src strong style sub sup table target tbody td tfoot th thead title tr type u ul width'
  )
    .split(' ')
    .map((name) => [name, name]),
);

function nameOf(html: string, start: number, end: number): string {
  const written = html.slice(start, Math.min(end, start + MAX_NAME_LENGTH));
  return COMMON_NAMES.get(written) ?? written.toLowerCase();
}

function skipSpace(html: string, start: number): number {
  let at = start;
  while (isSpace(html.charCodeAt(at))) at++;
  return at;
}

function skipSpaceAndSlashes(html: string, start: number): number {
  let at = start;
  while (isSpace(html.charCodeAt(at)) || html.charCodeAt(at) === SLASH) at++;
  return at;
}

function endsName(code: number): boolean {
  return code === SLASH || code === CLOSING_BRACKET || isSpace(code);
}

function decodeValue(value: string): string {
  const decoded = value.includes('&') ? decodeHTMLAttribute(value) : value;
  return decoded.includes('\0') ? decoded.replaceAll('\0', '') : decoded;
}

/** Index after a comment, declaration or bogus comment; -1 if it is not terminated. */
function commentEnd(html: string, at: number): number {
  if (!html.startsWith('<!--', at)) return html.indexOf('>', at) + 1 || -1;
  if (html.startsWith('>', at + 4)) return at + 5;
  if (html.startsWith('->', at + 4)) return at + 6;
  for (let dashes = html.indexOf('--', at + 4); dashes >= 0; dashes = html.indexOf('--', dashes + 1)) {
    if (html[dashes + 2] === '>') return dashes + 3;
    if (html.startsWith('!>', dashes + 2)) return dashes + 4;
  }
  return -1;
}

function isLetter(code: number): boolean {
  return (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}
