/** The file interface: `/.fs` and everything below it. */
import { gzipSync } from 'node:zlib';
import { type Answer, type Dialect, failure, json, notFound } from './dialect.ts';
import { type DiskFile, DiskFull, type Shortage } from './disk.ts';
import { contentTypeOf, type FileAddress, isTooLong, nameIn } from './paths.ts';
import type { FakeRequest, Space } from './space.ts';

/** Shorter answers are not worth compressing to Rust. */
const COMPRESSED_FROM = 32;

export function listing(space: Space, { headers }: FakeRequest): Answer {
  const { dialect, folder } = space;
  if (dialect === 'go' && headers['x-sync-mode'] === undefined)
    return {
      status: 307,
      headers: { 'content-type': 'text/html; charset=utf-8', location: '/' },
      body: '<a href="/">Temporary Redirect</a>.\n\n',
    };
  const entries = [...space.disk.files]
    .filter(([name]) => isListed(name))
    .map(([name, file]) => ({
      name: dialect === 'rust' ? name.replaceAll('\\', '/') : name,
      created: createdOf(dialect, file),
      lastModified: file.lastModified,
      contentType: contentTypeOf(name),
      size: file.bytes.length,
      perm: file.perm,
    }));
  const answer = json('rust', entries);
  const common = { ...answer.headers, 'x-space-path': folder, 'cache-control': 'no-cache' };
  if (dialect === 'rust')
    return packed({ ...answer, headers: { ...common, vary: 'accept-encoding' } }, headers);
  return packed({ ...answer, headers: { ...common, 'transfer-encoding': 'chunked' } }, headers);
}

function isListed(name: string): boolean {
  const segments = name.split('/');
  return /\.[^./]+$/.test(name) && !segments.some((segment) => segment.startsWith('.'));
}

export async function fileRequest(
  space: Space,
  asked: FakeRequest,
  shortage: Shortage | undefined,
): Promise<Answer> {
  const { dialect } = space;
  const isWrite = asked.method === 'PUT' || asked.method === 'DELETE';
  const named = nameIn(dialect, asked.path.slice('/.fs/'.length), isWrite);
  if ('status' in named) return named;
  switch (asked.method) {
    case 'GET':
      return asked.headers['x-get-meta'] === undefined ? get(space, asked, named) : meta(space, named);
    case 'HEAD':
      return dialect === 'rust' ? get(space, asked, named) : notAllowed(dialect);
    case 'PUT':
      return put(space, asked, named, shortage);
    case 'DELETE':
      return remove(space, asked, named);
    case 'OPTIONS':
      return dialect === 'go'
        ? { status: 200, headers: { allow: 'GET, PUT, DELETE, OPTIONS' } }
        : notAllowed(dialect);
    default:
      return notAllowed(dialect);
  }
}

function notAllowed(dialect: Dialect): Answer {
  const allow = dialect === 'rust' ? 'GET,HEAD,PUT,DELETE' : ['GET', 'PUT', 'DELETE', 'OPTIONS'];
  return { status: 405, headers: { allow } };
}

function get(space: Space, asked: FakeRequest, { name, isSlashed }: FileAddress): Answer {
  const { dialect, disk } = space;
  const file = disk.files.get(name);
  if (!file || (isSlashed && dialect === 'rust')) return unreadable(space, name);
  const { bytes, size } = disk.read(file);
  space.happenings.push({ kind: 'get', name, isForeign: asked.isForeign, text: bytes.toString() });
  const type = contentTypeOf(isSlashed ? '' : name);
  const headers = metaHeaders(dialect, type, file, size);
  if (dialect === 'go') return packed({ status: 200, headers, body: bytes }, asked.headers);
  const lastModified = new Date(file.lastModified).toUTCString();
  if (asked.headers['if-modified-since'] === lastModified)
    return { status: 304, headers: { 'last-modified': lastModified, vary: 'Accept' } };
  const vary = bytes.length >= COMPRESSED_FROM ? ['Accept', 'accept-encoding'] : 'Accept';
  const wanted = asked.headers.accept === 'application/octet-stream' ? 'application/octet-stream' : type;
  const own = { 'content-type': wanted, 'x-content-type': type, 'cache-control': 'no-cache' };
  return packed(
    { status: 200, headers: { ...headers, ...own, vary, 'last-modified': lastModified }, body: bytes },
    asked.headers,
  );
}

function unreadable({ dialect, disk, folder }: Space, name: string): Answer {
  if (dialect === 'rust') return notFound('rust');
  if (disk.isFolder(name))
    return failure('go', 500, `failed to read file ${name}: read ${folder}/${name}: is a directory`);
  const reason = disk.isUnderFile(name)
    ? 'not a directory'
    : isTooLong(name)
      ? 'file name too long'
      : undefined;
  return reason
    ? failure('go', 500, `failed to stat file ${name}: stat ${folder}/${name}: ${reason}`)
    : notFound('go');
}

function meta(space: Space, { name }: FileAddress): Answer {
  const { dialect, disk } = space;
  const file = disk.files.get(name);
  if (file)
    return { status: 200, headers: metaHeaders(dialect, contentTypeOf(name), file, file.bytes.length) };
  if (!disk.isFolder(name)) return unreadable(space, name);
  const folder: DiskFile = {
    bytes: Buffer.alloc(0),
    lastModified: 1,
    born: 1,
    changed: 1,
    perm: 'rw',
    incoming: [],
  };
  return { status: 200, headers: metaHeaders(dialect, 'application/octet-stream', folder, 4096) };
}

async function put(
  space: Space,
  asked: FakeRequest,
  { name }: FileAddress,
  shortage: Shortage | undefined,
): Promise<Answer> {
  const { dialect, disk } = space;
  const known = disk.files.get(name);
  const refused = (status: number, why: string) =>
    failure(dialect, dialect === 'go' ? 500 : status, dialect === 'go' ? 'Write failed' : why);
  if (space.readOnly) return refused(403, `Read-only: Cannot write file ${name}: read-only mode`);
  if (known?.perm === 'ro') return refused(403, `Read-only: Cannot write file ${name}: read-only`);
  if (disk.isFolder(name)) return refused(500, `Could not write file: ${name}: Is a directory (os error 21)`);
  if (disk.isUnderFile(name)) return refused(500, `Could not write file: ${name}: File exists (os error 17)`);
  if (isTooLong(name)) return refused(500, `Could not write file: ${name}: File name too long (os error 36)`);
  space.happenings.push({
    kind: 'put',
    name,
    isForeign: asked.isForeign,
    before: known?.bytes.toString(),
    text: asked.body.toString(),
  });
  const stamp = Number(asked.headers['x-last-modified']);
  try {
    const file = await disk.write(name, asked.body, stamp > 0 ? stamp : undefined, shortage);
    return {
      status: 200,
      headers: metaHeaders(dialect, contentTypeOf(name), file, file.bytes.length),
      body: 'OK',
    };
  } catch (error) {
    if (!(error instanceof DiskFull)) throw error;
    return refused(500, `Could not write file: ${name}: No space left on device (os error 28)`);
  } finally {
    space.happenings.push({ kind: 'written', name, isForeign: asked.isForeign, text: asked.body.toString() });
    space.events?.changed(name, known === undefined);
  }
}

function remove(space: Space, asked: FakeRequest, { name }: FileAddress): Answer {
  const { dialect, disk, folder } = space;
  const file = disk.files.get(name);
  if (space.readOnly)
    return dialect === 'go'
      ? failure('go', 500, 'Not allowed')
      : failure('rust', 403, `Read-only: Cannot delete file ${name}: read-only mode`);
  if (file?.perm === 'ro')
    return dialect === 'go'
      ? failure('go', 500, `cannot delete file ${name}: read-only file`)
      : failure('rust', 403, `Read-only: Cannot delete file ${name}: read-only`);
  if (disk.isFolder(name))
    return dialect === 'go'
      ? failure('go', 500, `failed to delete file ${name}: remove ${folder}/${name}: directory not empty`)
      : failure('rust', 500, 'IO error: Is a directory (os error 21)');
  if (!file) return notFound(dialect);
  space.happenings.push({ kind: 'delete', name, isForeign: asked.isForeign, before: file.bytes.toString() });
  disk.files.delete(name);
  space.events?.removed(name);
  return dialect === 'go'
    ? { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: 'OK' }
    : { status: 200, body: 'OK' };
}

function metaHeaders(dialect: Dialect, type: string, file: DiskFile, size: number): Record<string, string> {
  return {
    'content-type': type,
    'x-created': String(createdOf(dialect, file)),
    'x-last-modified': String(file.lastModified),
    'x-content-length': String(size),
    'x-permission': file.perm,
    'cache-control': dialect === 'go' ? 'no-cache' : 'no-store',
    ...(dialect === 'go' && { 'x-content-type': type }),
  };
}

function createdOf(dialect: Dialect, file: DiskFile): number {
  return dialect === 'go' ? file.changed : file.born;
}

function packed(answer: Answer, { 'accept-encoding': accepted = '' }: FakeRequest['headers']): Answer {
  const body = Buffer.from(answer.body ?? '');
  if (!String(accepted).includes('gzip') || body.length < COMPRESSED_FROM) return answer;
  const vary = answer.headers?.vary ?? 'Accept-Encoding';
  return {
    ...answer,
    headers: { ...answer.headers, vary, 'content-encoding': 'gzip' },
    body: gzipSync(body),
  };
}
