/** The fake against recordings of a real Trilium 0.105: the same requests in the same order get the same answers. */
import { readFileSync } from 'node:fs';
import { constants, inflateRawSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { plant, type SeedNote } from '../kit/trilium/seed.ts';
import { type FakeTrilium, PASSWORD, startTrilium, TOKEN } from '../kit/trilium/server.ts';
import { Bindings } from './bindings.ts';

interface Body {
  readonly json?: unknown;
  readonly text?: string;
  /** Of long ones the beginning only; `bytes` says how long they were. */
  readonly base64?: string;
  readonly bytes?: number;
}

interface Recording {
  readonly session: 'fresh' | 'corpus';
  readonly label: string;
  readonly request: Body & { method: string; path: string; headers: Readonly<Record<string, string>> };
  readonly response: Body & {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    /** Rows are shortened to id and title, and lists to their beginning. */
    readonly trimmed?: boolean;
  };
}

const recordings = readFileSync(new URL('../fixtures/trilium/recordings.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Recording);

const SCRUBBED = 'the data directory was taken out of the recording';
const OTHER_PACKER = 'another packer makes another length of the same files';
/** Of these the length is not compared, and why. All else is. */
const OTHER_LENGTH: Readonly<Record<string, string>> = {
  'auth: raw token': SCRUBBED,
  'auth: Bearer': SCRUBBED,
  'auth: Basic etapi:token': SCRUBBED,
  'app-info (last)': SCRUBBED,
  'export html': OTHER_PACKER,
  'export markdown': OTHER_PACKER,
  'metrics json': 'the number of blobs is a matter of when unused ones are swept out',
  'metrics prometheus': 'the number of blobs is a matter of when unused ones are swept out',
};
/** Requests whose body was cut short in the recording; what was sent was the export recorded before. */
const SENT_THE_EXPORT = ['import zip', 'import: unknown parent', 'import: content-type application/zip'];

/** Answers with the hash of a text in which a random id stands: another id, another hash. */
const HASH_OF_AN_ID = ['internal link created a relation by itself'];

/** As many hidden notes, by type, as a new Trilium 0.105 has. */
const HIDDEN: Readonly<Record<string, number>> = {
  doc: 293,
  launcher: 33,
  book: 24,
  text: 8,
  contentWidget: 19,
  webView: 7,
  code: 3,
  noteMap: 1,
};
const HIDDEN_ATTRIBUTES = 1132;
const CORPUS: readonly SeedNote[] = Array.from({ length: 20 }, (_, folder) => ({
  id: `fold${String(folder).padStart(8, '0')}`,
  title: `Folder ${folder}`,
  type: 'book',
  children: Array.from({ length: folder === 0 || folder === 2 ? 100 : 0 }, (_, at) => ({
    id: `n${String(folder).padStart(3, '0')}${String(at).padStart(8, '0')}`,
    title: at === 13 ? 'niagara guitar 13' : `note ${at}`,
    content: `<p>note ${at}</p>`,
    ...(folder === 0 && at === 13 && { isProtected: true, blobId: 'x5Sdqz9FKNiQsdaO033F' }),
  })),
}));

/** A clock that goes on by a millisecond at each reading. */
function ticking(start: string): () => number {
  let now = Date.parse(start);
  return () => now++;
}

async function startFresh(): Promise<FakeTrilium> {
  const fake = await startTrilium({
    now: ticking('2026-11-15T01:54:11.000Z'),
    planted: '2026-11-15 01:50:12.334',
  });
  const { db } = fake;
  const seeds = Object.entries(HIDDEN).flatMap(([type, count]) =>
    Array.from({ length: count }, (_, at) => ({ id: `_${type}${at}`, title: `${type} ${at}`, type })),
  );
  plant(
    db,
    '_hidden',
    seeds.map((seed) => ({ ...seed, created: '2026-11-15 01:50:12.400' })),
  );
  db.addBranch('_doc0', '_book0');
  db.addBranch('_doc1', '_book0');
  for (let at = 0; at < HIDDEN_ATTRIBUTES; at++) db.addLabel(`_doc${at % 200}`, `hidden${at}`);
  for (const title of ['a.png', 'b.png'])
    db.addAttachment({ ownerId: '_doc0', role: 'image', mime: 'image/png', title }, title);
  fake.tokens.add('another');
  return fake;
}

const SESSIONS = {
  fresh: startFresh,
  corpus: async () => {
    const fake = await startTrilium({ now: ticking('2026-11-15T02:06:39.000Z'), notes: CORPUS });
    fake.db.isUnlocked = true;
    return fake;
  },
};

async function bodyOf(fake: FakeTrilium, bindings: Bindings, { label, request }: Recording) {
  if (SENT_THE_EXPORT.includes(label)) {
    const exported = await ask(fake, 'GET', '/etapi/notes/recFolder001/export?format=markdown', {
      authorization: TOKEN,
    });
    return exported.body;
  }
  if (request.base64 !== undefined) return Buffer.from(request.base64, 'base64');
  if (request.json !== undefined)
    return bindings.actual(JSON.stringify(request.json)).replace('<PASSWORD>', PASSWORD);
  return request.text === undefined ? undefined : bindings.actual(request.text);
}

async function ask(
  fake: FakeTrilium,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Buffer,
) {
  const answer = await fetch(`${fake.url}${path}`, {
    method,
    headers,
    ...(body !== undefined && { body: new Uint8Array(Buffer.from(body as Buffer)) }),
  });
  return { status: answer.status, headers: answer.headers, body: Buffer.from(await answer.arrayBuffer()) };
}

function credentials(text: string, bindings: Bindings): string {
  const basic = (user: string) => Buffer.from(`${user}:${TOKEN}`).toString('base64');
  return bindings
    .actual(text)
    .replace('<TOKEN>', TOKEN)
    .replace(/<base64\((\w+):TOKEN\)>/, (_, user: string) => basic(user));
}

async function replay(fake: FakeTrilium, bindings: Bindings, recording: Recording): Promise<void> {
  const { label, request, response } = recording;
  await fake.settled();
  if (label === 'login wrong #11')
    for (let at = 1; at <= 10; at++)
      await ask(fake, 'POST', request.path, request.headers, JSON.stringify(request.json));
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, credentials(value, bindings)]),
  );
  const sent = await bodyOf(fake, bindings, recording);
  const got = await ask(fake, request.method, bindings.actual(request.path), headers, sent);
  expect(got.status, 'status').toBe(response.status);
  for (const [name, value] of Object.entries(response.headers)) {
    if (name === 'content-length' && (response.trimmed || label in OTHER_LENGTH)) continue;
    expect(got.headers.get(name), name).toBe(value);
  }
  bindings.hasOurIds = HASH_OF_AN_ID.includes(label);
  compareBodies(bindings, response, got.body);
}

function compareBodies(
  bindings: Bindings,
  { json, text, base64, bytes }: Recording['response'],
  got: Buffer,
): void {
  if (json !== undefined) bindings.unify(json, JSON.parse(got.toString()));
  if (text !== undefined) bindings.unify(text, got.toString());
  if (base64 === undefined) return;
  const recorded = Buffer.from(base64, 'base64');
  if (recorded.length === bytes) expect(got.equals(recorded), 'bytes').toBe(true);
  else expect(firstEntry(got).startsWith(firstEntry(recorded).slice(0, -20)), 'first file in it').toBe(true);
}

/** Also of a packed file that was cut short: what there is of it. */
function firstEntry(zip: Buffer): string {
  expect(zip.readUInt32LE(0)).toBe(0x04034b50);
  const start = 30 + zip.readUInt16LE(26) + zip.readUInt16LE(28);
  return inflateRawSync(zip.subarray(start), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
}

describe('the fake answers like the real one', () => {
  test('every recording is replayed', () => {
    expect(recordings).toHaveLength(224);
    const labels = recordings.map(({ label }) => label);
    for (const label of [...Object.keys(OTHER_LENGTH), ...SENT_THE_EXPORT, ...HASH_OF_AN_ID])
      expect(labels).toContain(label);
  });

  test.each(['fresh', 'corpus'] as const)('in the %s session', async (session) => {
    const fake = await SESSIONS[session]();
    const bindings = new Bindings();
    const problems: Record<string, string> = {};
    for (const recording of recordings.filter((one) => one.session === session)) {
      await replay(fake, bindings, recording).catch((error: unknown) => {
        problems[recording.label] = String(error);
      });
    }
    expect(problems).toEqual({});
  });
});
