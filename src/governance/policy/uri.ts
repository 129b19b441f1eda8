/**
 * URIs as rules see them. `canonicalUri` is what is judged and sent: one spelling of a URI, by the normalizations of RFC 3986
 * that keep its meaning. `readingsOf` adds what a server may take it for: one that decodes more than once, joins paths,
 * knows backslashes, or ignores a query. A rule that holds back applies to every reading.
 */
import { domainToASCII } from 'node:url';

interface UriParts {
  readonly scheme: string;
  /** Undefined without `//`. */
  readonly authority: string | undefined;
  readonly path: string;
  /** With `?` and `#`, or empty. */
  readonly query: string;
  readonly fragment: string;
}

const FORM = /^([A-Za-z][A-Za-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/su;
/** Schemes whose URIs every parser takes apart alike (WHATWG URL), with their default ports. */
const SPECIAL: ReadonlyMap<string, string> = new Map([
  ['http', '80'],
  ['https', '443'],
  ['ws', '80'],
  ['wss', '443'],
  ['ftp', '21'],
  ['file', ''],
]);

function partsOf(uri: string): UriParts | undefined {
  const [match, scheme = '', authority, path = '', query = '', fragment = ''] = FORM.exec(uri) ?? [];
  return match === undefined ? undefined : { scheme: scheme.toLowerCase(), authority, path, query, fragment };
}

function textOf({ scheme, authority, path, query, fragment }: UriParts): string {
  return `${scheme}:${authority === undefined ? '' : `//${authority}`}${path}${query}${fragment}`;
}

/** One spelling for all that mean the same. A text that is no URI stays as it is. */
export function canonicalUri(uri: string): string {
  const composed = uri.normalize('NFC');
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(composed)?.[1]?.toLowerCase() ?? '';
  const parts = partsOf(SPECIAL.has(scheme) ? withSlashes(composed) : composed);
  if (!parts) return composed;
  const { path, query, fragment } = parts;
  const plain = { ...parts, path: tidied(path), query: tidied(query), fragment: tidied(fragment) };
  return textOf(SPECIAL.has(scheme) ? special(plain) : withoutDots(plain));
}

/** Backslashes before a query are slashes. */
function withSlashes(uri: string): string {
  const end = uri.search(/[?#]/);
  const head = end < 0 ? uri : uri.slice(0, end);
  return `${head.replaceAll('\\', '/')}${end < 0 ? '' : uri.slice(end)}`;
}

const UNRESERVED = /^[A-Za-z0-9._~-]$/;

/** Letters, digits and `-._~` are never encoded; the digits of other codes are capitals. */
function tidied(text: string): string {
  return text.replace(/%([0-9a-fA-F]{2})/g, (code, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return UNRESERVED.test(character) ? character : code.toUpperCase();
  });
}

function special(parts: UriParts): UriParts {
  const { scheme, authority = '', path } = parts;
  if (scheme === 'file') {
    const host = hostOf(authority);
    const isHere = host === 'localhost' || host === '127.0.0.1' || host === '[::1]';
    const rooted = path.startsWith('/') ? path : `/${path}`;
    return withoutDots({ ...parts, authority: isHere ? '' : host, path: rooted.replace(/\/{2,}/g, '/') });
  }
  // `https:/host` and `https:///host` are `https://host` to every browser.
  const whole = `${authority}${path}`.replace(/^\/+/, '');
  const end = whole.indexOf('/');
  const own = end < 0 ? whole : whole.slice(0, end);
  const rest = end < 0 ? '/' : whole.slice(end);
  return withoutDots({ ...parts, authority: authorityOf(own, scheme), path: rest });
}

function authorityOf(text: string, scheme: string): string {
  const at = text.lastIndexOf('@');
  const [, host = '', port = ''] = /^(.*?)(?::(\d*))?$/su.exec(text.slice(at + 1)) ?? [];
  const isDefault = port === '' || Number(port) === Number(SPECIAL.get(scheme) || Number.NaN);
  return `${text.slice(0, at + 1)}${hostOf(host)}${isDefault ? '' : `:${Number(port)}`}`;
}

function hostOf(text: string): string {
  const plain = (decoded(text) ?? text).toLowerCase().replace(/\.+$/, '');
  try {
    // Numbers that are IPv4 addresses (`0x7f.1`) are written as such.
    return plain === '' ? '' : new URL(`http://${plain}`).hostname;
  } catch {
    return domainToASCII(plain) || plain;
  }
}

function withoutDots(parts: UriParts): UriParts {
  const isHierarchical = parts.authority !== undefined || parts.path.startsWith('/');
  return isHierarchical ? { ...parts, path: resolved(parts.path) } : parts;
}

/** Dot segments removed, as in RFC 3986 5.2.4; nothing climbs above the beginning. */
function resolved(path: string): string {
  const kept: string[] = [];
  const segments = path.split('/');
  for (const [at, segment] of segments.entries()) {
    const isLast = at === segments.length - 1;
    if (segment === '..') {
      if (kept.length > 1) kept.pop();
    } else if (segment !== '.') {
      kept.push(segment);
      continue;
    }
    if (isLast) kept.push('');
  }
  return kept.join('/');
}

export interface UriReadings {
  /** Every one must be let through: the URI as it is sent, and decoded. */
  readonly strict: readonly string[];
  /** Further ones that a rule may hold back: without query, parameters and trailing marks. */
  readonly loose: readonly string[];
  /** Why it cannot be judged; undefined when it can. */
  readonly problem?: string;
}

const MAX_DECODINGS = 8;
const MAX_READINGS = 300;
/** Nothing to decode, to resolve, to fold or to leave out. */
const PLAIN = /^[a-z][a-z0-9+.-]*:(?:\/\/\/?)?(?:[A-Za-z0-9_~{}@,:-]+(?:\.[A-Za-z0-9_~{}@,:-]+)*(?:\/|$))*$/;
const CONTROL = /[\u0000-\u001f\u007f]/;

/** `uri` is canonical, or as its server lists it. */
export function readingsOf(uri: string): UriReadings {
  if (PLAIN.test(uri) && !uri.endsWith('/') && uri.indexOf('//') >= uri.lastIndexOf('//') - 1)
    return { strict: [uri], loose: [] };
  const strict = new Set([uri, canonicalUri(uri)]);
  const loose = new Set<string>();
  let layer = [...strict];
  for (let depth = 0; layer.length > 0; depth++) {
    if (layer.some((text) => CONTROL.test(text))) return unfit('It holds a control character.');
    for (const text of layer) for (const one of looseOf(text)) loose.add(one);
    const next = layer.flatMap((text) => {
      const plain = decoded(text);
      return plain === undefined || plain === text ? [] : [plain, canonicalUri(plain), joined(plain)];
    });
    layer = [...new Set(next)].filter((text) => !strict.has(text));
    for (const text of layer) strict.add(text);
    if (depth === MAX_DECODINGS && layer.length > 0) return unfit('It is percent-encoded too often.');
    if (strict.size + loose.size > MAX_READINGS) return unfit('It can be read in too many ways.');
  }
  return { strict: [...strict], loose: [...loose].filter((text) => !strict.has(text)) };

  function unfit(problem: string): UriReadings {
    return { strict: [uri], loose: [], problem: `${problem} Write the URI plainly.` };
  }
}

/** As a server reads it that joins paths: one slash, backslashes too, and an authority that `..` can leave. */
function joined(uri: string): string {
  const [scheme = '', rest = ''] = splitScheme(uri);
  if (!/[\\]|\/\/|\/\.|^\.|;|\.(?:\/|$)/.test(rest.replace(/^\/\//, ''))) return uri;
  const [, head = '', tail = ''] = /^([^?#]*)(.*)$/su.exec(rest) ?? [];
  const path = head.replaceAll('\\', '/').replace(/\/+/g, '/');
  const way = resolved(path.startsWith('/') ? path : `/${path}`);
  const slashes = /^[\\/]{3}/.test(head) || scheme === 'file' ? '//' : /^[\\/]{2}/.test(head) ? '/' : '';
  return `${scheme}:${slashes}${path.startsWith('/') ? way : way.slice(1)}${tail}`;
}

function looseOf(uri: string): string[] {
  const folded = uri.normalize('NFKC');
  const bare = [uri, folded, joined(uri), joined(folded)];
  const cut = bare.map((text) => text.replace(/[?#].*$/su, ''));
  const trimmed = [...bare, ...cut].map((text) => {
    const [scheme = '', rest = ''] = splitScheme(text);
    const plain = rest.replace(/;[^/?#]*/g, '').replace(/[. ]+(?=\/|$)/g, '');
    return `${scheme}:${plain.length > 1 ? plain.replace(/(?<=[^/])\/+$/, '') : plain}`;
  });
  return [...new Set([...bare, ...cut, ...trimmed])].filter((text) => text !== uri);
}

function splitScheme(uri: string): [string, string] {
  const at = uri.indexOf(':');
  return at < 0 ? ['', uri] : [uri.slice(0, at).toLowerCase(), uri.slice(at + 1)];
}

/** Once percent-decoded, as UTF-8; codes that are none are bytes of Latin-1. Undefined where there is nothing to decode. */
function decoded(text: string): string | undefined {
  if (!/%[0-9a-fA-F]{2}/.test(text)) return undefined;
  return text.replace(/(?:%[0-9a-fA-F]{2})+/g, (codes) => {
    try {
      return decodeURIComponent(codes);
    } catch {
      return Buffer.from(codes.replaceAll('%', ''), 'hex').toString('latin1');
    }
  });
}

/** The spellings of a glob of a rule that holds back: as written, canonical, and decoded. */
export function globSpellings(glob: string): string[] {
  if (!/[%\\]|\/\.|:\d|^[a-z]+:\/[^/]|[A-Z]/.test(glob) || !glob.includes(':')) return [glob];
  const plain = decoded(glob) ?? glob;
  // Question marks are signs of the glob, not the beginning of a query.
  const canonical = (text: string) => canonicalUri(text.replaceAll('?', MARK)).replaceAll(MARK, '?');
  return [...new Set([glob, plain, canonical(glob), canonical(plain)])];
}

/** A private-use character. */
const MARK = '\u{f0001}';
