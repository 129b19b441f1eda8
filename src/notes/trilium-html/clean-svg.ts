/**
 * An SVG without scripts, handlers and addresses that run; as it was written where it holds none. Read strictly, as
 * XML: what is not well-formed, or declares entities, is not understood, and nobody shall guess what a browser makes of it.
 */
import { decodeXML } from 'entities/decode';
import { isPicture } from './safe-url.ts';

const NAME = '[\\p{L}\\p{N}_:.\\-]+';
const ATTRIBUTE = `(${NAME})\\s*=\\s*("[^"<]*"|'[^'<]*')`;
/** Comment, CDATA, instruction, plain doctype, end tag, start tag, text. */
const TOKEN = new RegExp(
  '(<!--[\\s\\S]*?-->)|<!\\[CDATA\\[([\\s\\S]*?)\\]\\]>|(<\\?[\\s\\S]*?\\?>)|(<!DOCTYPE[^\\[\\]<>]*>)|' +
    `</(${NAME})\\s*>|<(${NAME})((?:\\s+${NAME}\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*)\\s*(/?)>|([^<]+)`,
  'uy',
);

/** By the name without its prefix: a prefix can stand for any namespace. */
const ACTIVE = new Set(
  'script handler listener foreignobject iframe object embed applet frame frameset portal meta link base'.split(
    ' ',
  ),
);

/** Undefined for what cannot be understood. */
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

/** The attributes that stay; undefined when the whole element goes. */
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
