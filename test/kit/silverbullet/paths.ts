/** From the address on the wire to a name in the space, or the answer to an address that is none. */
import { type Answer, type Dialect, failure, notFound, plain } from './dialect.ts';

export interface FileAddress {
  readonly name: string;
  /** The address ended in a slash. */
  readonly isSlashed: boolean;
}

export function nameIn(dialect: Dialect, raw: string, isWrite: boolean): FileAddress | Answer {
  const decoded = percentDecoded(raw);
  if (decoded === 'broken' && dialect === 'go')
    return { status: 400, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: '400 Bad Request' };
  if (decoded === 'broken') return notFound(dialect);
  const text = decoded.toString();
  if (!Buffer.from(text).equals(decoded)) {
    if (dialect === 'go') return notFound(dialect);
    return {
      ...plain('Invalid URL: Invalid UTF-8 in `path`', 400),
      headers: { 'content-type': 'text/plain; charset=utf-8', vary: 'accept-encoding' },
    };
  }
  if (text.includes('\0')) return notFound(dialect);
  const segments = segmentsOf(dialect, text);
  if (!segments) return outside(dialect, isWrite);
  return { name: segments.join('/'), isSlashed: text.endsWith('/') };
}

/** Undefined for what leads out of the space. Go resolves what stays inside; Rust does not try. */
function segmentsOf(dialect: Dialect, text: string): string[] | undefined {
  if (text.startsWith('/')) return undefined;
  const segments: string[] = [];
  for (const segment of text.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (segment !== '..') segments.push(segment);
    else if (dialect === 'rust' || segments.pop() === undefined) return undefined;
  }
  return segments;
}

function outside(dialect: Dialect, isWrite: boolean): Answer {
  if (dialect === 'go') return failure('go', 500, isWrite ? 'Write failed' : 'Path not in space');
  return isWrite ? failure('rust', 403, 'Path not in space') : notFound('rust');
}

function percentDecoded(raw: string): Buffer | 'broken' {
  if (/%(?![0-9a-f]{2})/i.test(raw)) return 'broken';
  const bytes = raw
    .split(/(%[0-9a-f]{2})/i)
    .map((part) =>
      part.startsWith('%') && part.length === 3 ? Buffer.from(part.slice(1), 'hex') : Buffer.from(part),
    );
  return Buffer.concat(bytes);
}

export function isTooLong(name: string): boolean {
  return name.split('/').some((segment) => Buffer.byteLength(segment) > 255);
}

const TYPES: Readonly<Record<string, string>> = {
  md: 'text/markdown',
  png: 'image/png',
  json: 'application/json',
  pdf: 'application/pdf',
  html: 'text/html',
  txt: 'text/plain',
};

export function contentTypeOf(name: string): string {
  return TYPES[/\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''] ?? 'application/octet-stream';
}
