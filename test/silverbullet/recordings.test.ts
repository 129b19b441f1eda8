/** The fake against recordings of real servers: the same requests in the same order get the same answers. */
import { readFileSync } from 'node:fs';
import { request as openRequest } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { type FakeOptions, type FakeSilverBullet, startSilverBullet } from '../kit/silverbullet/server.ts';

type Headers = Readonly<Record<string, string | string[]>>;

interface Recording {
  readonly setup: string;
  readonly name: string;
  readonly request: { method: string; path: string; headers: Headers; body?: string; encoding?: 'base64' };
  readonly response: {
    readonly status: number;
    readonly headers: Headers;
    readonly body?: string;
    /** Of a long listing: the test's own files, and how many there were of all. */
    readonly entries?: readonly Entry[];
    readonly total?: number;
    readonly readOnly?: number;
  };
}

interface Entry {
  readonly name: string;
  readonly lastModified: number;
  readonly perm: string;
}

interface RecordedEvent {
  readonly status?: number;
  readonly headers?: Headers;
  readonly action?: string;
  readonly data?: string;
}

const lines = readFileSync(new URL('../fixtures/silverbullet/recordings.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recording & { event?: RecordedEvent });
const recordings = lines.filter(({ event }) => !event);
const events = lines.flatMap(({ event }) => event ?? []);

const NO_LUA = 'the fake runs no Lua';
/** Which of them the fake does not answer alike, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  'runtime-lua-query-pages': NO_LUA,
  'runtime-lua-query-tasks': NO_LUA,
  'runtime-lua-query-nil-field': NO_LUA,
  'runtime-lua-backlinks': NO_LUA,
  'runtime-lua-script': NO_LUA,
  'runtime-lua-error': NO_LUA,
  'runtime-lua-syntax-error': NO_LUA,
  'runtime-objects': 'gone since 2.10, and nothing is built on it',
};

/** Not compared: when it was sent and how it was framed; when a file was born, which the disk decides. */
const NOT_MEANT = ['date', 'connection', 'transfer-encoding', 'x-created'];
/** Not compared where the body is cut short in the recording, or is of a length only the real one has. */
const OF_THE_BODY = 'content-length';

interface Setup {
  readonly options: FakeOptions;
  /** The host the recorded server answered at, for the name of its cookie. */
  readonly host?: string;
  /** The files before the first request: content or length, and time of change. */
  readonly files: Readonly<Record<string, readonly [string | number, number]>>;
  /** Since when the bundled pages were there. */
  readonly libraryAt?: number;
}

const SETUPS: Readonly<Record<string, Setup>> = {
  rust: {
    options: { dialect: 'rust', folder: '/space' },
    host: '127.0.0.1:3091',
    files: {
      'rec/first.md': ['abc', 1794710169021],
      'index.md': [1485, 1794708253976],
      '.silverbullet.auth.json': [185, 1794708253977],
    },
  },
  go: {
    options: { dialect: 'go', folder: '/space-go' },
    host: '127.0.0.1:3092',
    files: { 'index.md': [1082, 1794708682069], '.silverbullet.auth.json': [174, 1794708686301] },
    libraryAt: 1794708682071,
  },
  'rust read-only': {
    options: { dialect: 'rust', readOnly: true, folder: '/space-ro' },
    files: { 'index.md': [1485, 1794708682150] },
  },
  'go read-only': {
    options: { dialect: 'go', readOnly: true, folder: '/space-go-ro' },
    files: { 'index.md': [5, 1794708756625] },
  },
  'rust open': {
    options: { dialect: 'rust', open: true, folder: '/space-to' },
    files: { 'open.md': ['anyone can write', 1794710062289], 'index.md': [1485, 1794708682152] },
  },
  'go open': { options: { dialect: 'go', open: true, folder: '/space-go-to' }, files: {} },
  'rust prefix': {
    options: { dialect: 'rust', prefix: '/notes', folder: '/space-px' },
    files: { 'index.md': [1485, 1794708682145], 'p.md': ['x', 1794710062445] },
  },
  'go runtime': {
    options: { dialect: 'go', runtime: true, folder: '/space-go' },
    files: {
      'Projects/Beta.md': ['Beta', 1794710172953],
      'Inbox.md': ['# Inbox\n- item one\n- mention [[Projects/Beta]]\n', 1794710172953],
    },
  },
};

interface Got {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Buffer;
}

/** As it stands: no address is tidied up on the way. */
function ask(
  port: number,
  { method, path, headers, body, encoding }: Recording['request'],
  host: string,
): Promise<Got> {
  return new Promise((resolve, reject) => {
    openRequest(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, ...(host && { host }) } },
      (message) => {
        const chunks: Buffer[] = [];
        message
          .on('data', (chunk: Buffer) => chunks.push(chunk))
          .on('end', () => {
            const all: Record<string, string | string[]> = {};
            for (let at = 0; at < message.rawHeaders.length; at += 2) {
              const name = message.rawHeaders[at]!.toLowerCase();
              const value = message.rawHeaders[at + 1]!;
              all[name] = name in all ? [all[name]!, value].flat() : value;
            }
            resolve({ status: message.statusCode ?? 0, headers: all, body: Buffer.concat(chunks) });
          });
      },
    )
      .on('error', reject)
      .end(body === undefined ? undefined : Buffer.from(body, encoding));
  });
}

/** The recorded server's time when it answered. */
function clockOf({ request, response }: Recording): number | undefined {
  const setsTime = Number(request.headers['X-Last-Modified']) > 0;
  const isGo = 'x-content-type' in response.headers;
  const stamp = response.headers[setsTime || isGo ? 'x-created' : 'x-last-modified'];
  return request.method === 'PUT' && stamp !== undefined ? Number(stamp) : undefined;
}

const inAnyOrder = (value: string | string[]) => (Array.isArray(value) ? [...value].sort() : value);

/** Set-Cookie without its secret and its date. */
const anyCookie = (value: string | string[]) =>
  [value]
    .flat()
    .map((cookie) =>
      cookie.replace(/=(?:<jwt>|[\w.]+\.[\w.]+)/, '=<jwt>').replace(/Expires=[^;]+/, 'Expires=…'),
    );

function expectHeaders({ name, response }: Recording, got: Got): void {
  const isCut =
    response.body === undefined ||
    response.body.includes('…[truncated') ||
    'content-encoding' in response.headers;
  for (const [header, value] of Object.entries(response.headers)) {
    if (NOT_MEANT.includes(header)) continue;
    if (header === OF_THE_BODY && (isCut || name === 'instance-noauth')) continue;
    if (name === 'get-meta-directory' && header === 'x-last-modified') continue;
    const found = got.headers[header];
    expect(found, `${name}: ${header}`).toBeDefined();
    if (header === 'set-cookie') expect(anyCookie(found!), name).toEqual(anyCookie(value));
    else expect(inAnyOrder(found!), `${name}: ${header}`).toEqual(inAnyOrder(value));
  }
}

function expectBody({ name, response }: Recording, got: Got): void {
  const { body, entries } = response;
  if (response.headers['content-encoding'] === 'gzip')
    expect(gunzipSync(got.body).length, name).toBe(Number(response.headers['x-content-length']));
  else if (entries) expectListing(got, response);
  else if (body?.startsWith('[{"name":')) expectEntries(got, cutListing(body), name);
  else if (body?.includes('…[truncated'))
    expect(got.body.toString().startsWith(body.slice(0, body.indexOf('…'))), name).toBe(true);
  else if (name === 'instance-noauth' && got.status === 200)
    expect(Object.keys(JSON.parse(got.body.toString()))).toEqual(['instance', 'version']);
  else expect(got.body.toString(), name).toBe(body ?? '');
}

/** The whole entries of a listing that was cut in the middle. */
function cutListing(body: string): Entry[] {
  return JSON.parse(`${body.slice(0, body.lastIndexOf('},{') + 1)}]`) as Entry[];
}

function expectEntries(got: Got, wanted: readonly Entry[], name: string): void {
  const found = new Map((JSON.parse(got.body.toString()) as Entry[]).map((entry) => [entry.name, entry]));
  for (const { ...entry } of wanted) {
    const mine = found.get(entry.name);
    // The bundled pages are as old as the program that brings them.
    const times = entry.perm === 'ro' ? { created: 0, lastModified: 0 } : { created: 0 };
    expect({ ...mine, ...times }, name).toEqual({ ...entry, ...times });
    expect(Object.keys(mine ?? {}), name).toEqual(Object.keys(entry));
  }
}

function expectListing(got: Got, { entries = [], total, readOnly }: Recording['response']): void {
  const all = JSON.parse(got.body.toString()) as Entry[];
  expect(all).toHaveLength(total!);
  expect(all.filter(({ perm }) => perm === 'ro')).toHaveLength(readOnly!);
  const own = all.map(({ name }) => name).filter((name) => /^(rec|_trash)\//.test(name));
  expect(own.sort()).toEqual(entries.map(({ name }) => name).sort());
  expectEntries(got, entries, 'list-after');
}

/** The server as it was before the first recorded request. */
async function serverFor({ options, files, libraryAt }: Setup): Promise<FakeSilverBullet> {
  const fake = await startSilverBullet(options);
  for (const file of fake.disk.files.values()) file.lastModified = libraryAt ?? file.lastModified;
  for (const [name, [content, at]] of Object.entries(files))
    fake.disk.seed(name, typeof content === 'string' ? content : 'x'.repeat(content), at);
  fake.disk.clock = () => Math.max(...Object.values(files).map(([, at]) => at));
  return fake;
}

describe('the fake SilverBullet', () => {
  test('has all recordings to live up to', () => {
    expect(recordings).toHaveLength(304);
    expect(new Set(recordings.map(({ setup }) => setup))).toEqual(new Set(Object.keys(SETUPS)));
    expect(recordings.filter(({ name }) => name in LEFT_OUT)).toHaveLength(Object.keys(LEFT_OUT).length);
  });

  test.each(Object.keys(SETUPS))('answers like the real one: %s', async (setup) => {
    const fake = await serverFor(SETUPS[setup]!);
    let cookie = '';
    for (const recording of recordings.filter((one) => one.setup === setup)) {
      if (recording.name in LEFT_OUT) continue;
      const clock = clockOf(recording);
      if (clock !== undefined) fake.disk.clock = () => clock;
      const headers = Object.fromEntries(
        Object.entries(recording.request.headers).map(([name, value]) => [
          name,
          String(value).replace(/auth_\w+=<jwt>/, cookie),
        ]),
      );
      const got = await ask(fake.port, { ...recording.request, headers }, SETUPS[setup]!.host ?? '');
      expect(got.status, recording.name).toBe(recording.response.status);
      expectHeaders(recording, got);
      expectBody(recording, got);
      cookie = [got.headers['set-cookie'] ?? cookie].flat()[0]!.split(';')[0]!;
    }
  });

  test('tells of changes like the real one', async () => {
    const fake = await startSilverBullet({ bare: true });
    fake.disk.seed('rec/first.md', 'abc');
    const stream = await fetch(`${fake.url}/.events`, { headers: { authorization: `Bearer ${fake.token}` } });
    expect(stream.status).toBe(events[0]!.status);
    expect(stream.headers.get('content-type')).toBe(events[0]!.headers?.['content-type']);
    const reader = stream.body!.pipeThrough(new TextDecoderStream()).getReader();
    let heard = '';
    void (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) heard += part.value;
    })().catch(() => {});
    for (const { action } of events) {
      const name = action?.split(' ')[1];
      if (!name) continue;
      if (action?.startsWith('PUT')) await fake.put(name, 'abc');
      else
        await ask(
          fake.port,
          { method: 'DELETE', path: `/.fs/${name}`, headers: { Authorization: `Bearer ${fake.token}` } },
          '',
        );
      await new Promise((resolve) => setTimeout(resolve, 120));
    }
    const timeless = (text: string) => text.replace(/"lastModified":[1-9]\d*/g, '"lastModified":…');
    const recorded = timeless(events.flatMap(({ data }) => data ?? []).join(''));
    await expect.poll(() => timeless(heard)).toBe(recorded);
    await reader.cancel();
  });
});
