/** Removes active content from files that run when they are opened: HTML and SVG. Other files are left unchanged. */
import { decodeXML } from 'entities/decode';
import { AppError } from '../../../shared/errors.ts';
import { essenceOf, utf8Text } from '../content-kind.ts';
import { parseHtml } from './parse.ts';
import { isPicture } from './safe-values.ts';
import { findingsIn } from './sanitize.ts';
import { serialize } from './serialize.ts';

/** Removes scripts and other active content from HTML sent for a note, and changes nothing else. */
export function cleanHtml(html: string): string {
  return serialize(parseHtml(html));
}

const NAME = '[\\p{L}\\p{N}_:.\\-]+';
const ATTRIBUTE = `(${NAME})\\s*=\\s*("[^"<]*"|'[^'<]*')`;
/** Comment, CDATA, instruction, plain doctype, end tag, start tag, text. */
const TOKEN = new RegExp(
  '(<!--[\\s\\S]*?-->)|<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>|(<\\?[\\s\\S]*?\\?>)|(<!DOCTYPE[^\\[\\]<>]*>)|' +
    `</(${NAME})\\s*>|<(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>|([^<]+)`,
  'uy',
);

/** Local names of active elements; a prefix can stand for any namespace. */
const ACTIVE = new Set(
  'script handler listener foreignobject iframe object embed applet frame frameset portal meta link base'.split(
    ' ',
  ),
);

/**
 * Cleans SVG: scripts, event handlers and script addresses are removed; clean input is returned as written.
 * Parsed strictly as XML: input that is not well-formed or declares entities is refused, because browsers may
 * read it differently. Undefined for input that cannot be parsed.
 */
export function cleanSvg(svg: string): string | undefined {
  const kept: string[] = [];
  const open: { readonly name: string; readonly isKept: boolean }[] = [];
  let isChanged = false;
  const isInside = () => open.at(-1)?.isKept ?? true;
  const keep = (source: string, written = source) => {
    if (isInside()) kept.push(written);
    isChanged ||= !isInside() || written !== source;
  };
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < svg.length) {
    const found = TOKEN.exec(svg);
    if (!found) return undefined;
    const [source, comment, , instruction, doctype, end, start, attributes = '', slash, text] = found;
    if (instruction !== undefined) keep(source, /^<\?xml\s/.test(source) ? source : '');
    else if (comment !== undefined || doctype !== undefined || text !== undefined) keep(source);
    else if (end !== undefined) {
      if (open.at(-1)?.name !== end) return undefined;
      const { isKept } = open.pop()!;
      if (isKept) keep(source);
    } else if (start !== undefined) {
      const tag = cleanTag(start, attributes);
      const isKept = isInside() && tag !== undefined;
      isChanged ||= !isKept;
      if (isKept) keep(source, tag === attributes ? source : `<${start}${tag}${slash}>`);
      if (slash === '') open.push({ name: start, isKept });
    } else keep(source);
  }
  if (open.length > 0) return undefined;
  return isChanged ? kept.join('') : svg;
}

/** The attributes to keep; undefined when the whole element is removed. */
function cleanTag(name: string, attributes: string): string | undefined {
  if (ACTIVE.has(localName(name))) return undefined;
  const all = [...attributes.matchAll(new RegExp(ATTRIBUTE, 'gu'))];
  if (isAnimation(name) && all.some(([, key = '', value = '']) => animatesDanger(key, value)))
    return undefined;
  const safe = all.filter(([, key = '', value = '']) => isSafe(key, decoded(value)));
  return safe.length === all.length ? attributes : safe.map(([source]) => ` ${source}`).join('');
}

function localName(name: string): string {
  return name.slice(name.lastIndexOf(':') + 1).toLowerCase();
}

function decoded(quoted: string): string {
  return decodeXML(quoted.slice(1, -1));
}

function isAnimation(name: string): boolean {
  return /^(?:set|animate)/.test(localName(name));
}

function animatesDanger(key: string, value: string): boolean {
  return localName(key) === 'attributename' && /^(?:on.*|href)$/.test(localName(decoded(value).trim()));
}

function isSafe(key: string, value: string): boolean {
  if (localName(key).startsWith('on')) return false;
  const plain = value.replace(/[\u0000-\u0020]/g, '');
  return isPicture(plain) || !/(?:^|;)(?:javascript|vbscript|data):/i.test(plain);
}

const NAMESPACES = /http:\/\/www\.w3\.org\/(?:1999\/xhtml|2000\/svg)/;

/** Returns the identical bytes when there is nothing to remove. */
export function cleanFile(mime: string, bytes: Uint8Array): Uint8Array {
  const clean = cleanerOf(essenceOf(mime));
  if (!clean) return bytes;
  const text = utf8Text(bytes);
  const cleaned = text === undefined ? undefined : clean(text);
  if (cleaned === undefined)
    throw new AppError('invalid_input', 'This file has active content and cannot be cleaned', {
      subject: mime.slice(0, 80),
      hint: 'It is not UTF-8, not well-formed, or declares entities. Save it as plain SVG or HTML in UTF-8, or store it as text/plain. Nothing was written.',
    });
  return cleaned === text ? bytes : Buffer.from(cleaned);
}

/** Whether files of this type are inspected at all. */
export function mayAct(mime: string): boolean {
  return cleanerOf(essenceOf(mime)) !== undefined;
}

function cleanerOf(essence: string): ((text: string) => string | undefined) | undefined {
  if (essence === 'text/html') return (html) => (findingsIn(html).canAct ? cleanHtml(html) : html);
  if (essence === 'image/svg+xml' || essence === 'application/xhtml+xml') return cleanSvg;
  if (!/(?:\/|\+)xml$/.test(essence)) return undefined;
  // Any XML can embed HTML or SVG by namespace; without these namespaces it is data.
  return (xml) => (NAMESPACES.test(xml) || /<!ENTITY|&#/.test(xml) ? cleanSvg(xml) : xml);
}
