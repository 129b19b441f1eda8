/**
 * Arguments that a tool wants repeated in headers (`x-mcp-header` in its schema, 2026-07-28), so that proxies can route
 * by them: a call whose headers differ from its body is refused.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { recordOf } from '../../shared/records.ts';

interface DeclaredHeader {
  readonly path: readonly string[];
  readonly header: string;
}

const KEY = 'x-mcp-header';
const PREFIX = 'mcp-param-';
const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;
const ENCODED = /^=\?base64\?(.*)\?=$/s;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;
const MAX_DEPTH = 16;

/** The problem, worded for the caller; undefined when there is none. */
export function paramHeaderProblem(
  schema: unknown,
  args: unknown,
  headers: IncomingHttpHeaders,
): string | undefined {
  for (const { path, header } of declaredIn(schema, [])) {
    const value = path.reduce<unknown>((at, name) => recordOf(at)[name], args);
    const isPlain = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
    // No header is expected for an argument that is not given.
    if (!isPlain) continue;
    const problem = mismatch(value, headers[PREFIX + header.toLowerCase()]);
    if (problem !== undefined) return `The header Mcp-Param-${header} ${problem} (${path.join('.')})`;
  }
  return undefined;
}

function mismatch(
  value: string | number | boolean,
  header: string | readonly string[] | undefined,
): string | undefined {
  if (typeof header !== 'string') return 'is missing, and the body has a value for it';
  const said = decoded(header);
  if (said === undefined) return 'is not well encoded';
  const isSame =
    typeof value === 'number' && NUMBER.test(said) ? Number(said) === value : said === String(value);
  return isSame ? undefined : 'says something else than the body';
}

function decoded(header: string): string | undefined {
  const encoded = ENCODED.exec(header)?.[1];
  if (encoded === undefined) return header;
  const bytes = Buffer.from(encoded, 'base64');
  if (bytes.toString('base64') !== encoded) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Only below `properties`: elsewhere, as in arrays, one header could not name one value. */
function declaredIn(schema: unknown, path: readonly string[]): DeclaredHeader[] {
  const { properties, [KEY]: header } = recordOf(schema);
  const own = path.length > 0 && typeof header === 'string' && TOKEN.test(header) ? [{ path, header }] : [];
  if (path.length >= MAX_DEPTH) return own;
  const inner = Object.entries(recordOf(properties)).flatMap(([name, property]) =>
    declaredIn(property, [...path, name]),
  );
  return [...own, ...inner];
}
