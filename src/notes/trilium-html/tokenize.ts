/**
 * HTML text to tags and texts, in time linear to its length whatever is broken in it.
 *
 * Names, attributes, quotes, comments and entities are read as browsers read them, with two exceptions that lose
 * nothing: what is opened and never ends (a tag, a comment) is text, and there are no elements whose inside is
 * not HTML. That is safe because nobody trusts this reading: the tree made of it is filtered by lists of what
 * is allowed and written anew.
 */
import { decodeHTML, decodeHTMLAttribute } from 'entities/decode';

export interface TagSink {
  text(text: string): void;
  /** `source` is the tag as it stood. */
  open(name: string, attributes: Map<string, string>, source: string): void;
  close(name: string, source: string): void;
  /** From here on everything is text, because a tag or a comment has no end. */
  unfinished?(): void;
}

interface Tag {
  readonly name: string;
  readonly attributes: Map<string, string>;
  /** Index after the closing bracket. */
  readonly end: number;
}

const MAX_NAME_LENGTH = 100;

export function tokenize(html: string, sink: TagSink): void {
  const sayText = (start: number, end: number) => {
    if (start < end) sink.text(decodeText(html.slice(start, end)));
  };
  let textStart = 0;
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const closes = html[at + 1] === '/';
    if (isLetter(html.charCodeAt(closes ? at + 2 : at + 1))) {
      const tag = readTag(html, closes ? at + 2 : at + 1);
      if (!tag) {
        sink.unfinished?.();
        break;
      }
      sayText(textStart, at);
      const source = html.slice(at, tag.end);
      if (closes) sink.close(tag.name, source);
      else sink.open(tag.name, tag.attributes, source);
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

/** NUL has no place in a note, and browsers drop it too. */
function decodeText(text: string): string {
  const decoded = text.includes('&') ? decodeHTML(text) : text;
  return decoded.includes('\0') ? decoded.replaceAll('\0', '') : decoded;
}

function readTag(html: string, start: number): Tag | undefined {
  let at = start;
  while (at < html.length && !isSpace(html.charCodeAt(at)) && html[at] !== '/' && html[at] !== '>') at++;
  const name = html.slice(start, Math.min(at, start + MAX_NAME_LENGTH)).toLowerCase();
  const attributes = new Map<string, string>();
  for (;;) {
    while (isSpace(html.charCodeAt(at)) || html[at] === '/') at++;
    if (at >= html.length) return undefined;
    if (html[at] === '>') return { name, attributes, end: at + 1 };
    const attribute = readAttribute(html, at);
    if (!attribute) return undefined;
    if (!attributes.has(attribute.name)) attributes.set(attribute.name, attribute.value);
    at = attribute.end;
  }
}

function readAttribute(
  html: string,
  start: number,
): { readonly name: string; readonly value: string; readonly end: number } | undefined {
  // An equals sign in the first place belongs to the name.
  let at = start + 1;
  while (at < html.length && !isSpace(html.charCodeAt(at)) && !'/>='.includes(html[at]!)) at++;
  const name = html.slice(start, Math.min(at, start + MAX_NAME_LENGTH)).toLowerCase();
  const nameEnd = at;
  while (isSpace(html.charCodeAt(at))) at++;
  if (html[at] !== '=') return { name, value: '', end: nameEnd };
  at++;
  while (isSpace(html.charCodeAt(at))) at++;
  const quote = html[at];
  if (quote === '"' || quote === "'") {
    const end = html.indexOf(quote, at + 1);
    return end < 0 ? undefined : { name, value: decodeValue(html.slice(at + 1, end)), end: end + 1 };
  }
  const valueStart = at;
  while (at < html.length && !isSpace(html.charCodeAt(at)) && html[at] !== '>') at++;
  return { name, value: decodeValue(html.slice(valueStart, at)), end: at };
}

function decodeValue(value: string): string {
  const decoded = value.includes('&') ? decodeHTMLAttribute(value) : value;
  return decoded.includes('\0') ? decoded.replaceAll('\0', '') : decoded;
}

/** Index after a comment, declaration or whatever else browsers make a comment of; -1 if it has no end. */
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
