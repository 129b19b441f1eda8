/** The wire: what is sent, what is repeated, what is refused, and what error messages say. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { AppError } from '../../src/shared/errors.ts';
import { type ClientOptions, createSilverBulletClient } from '../../src/stores/silverbullet/client.ts';
import type { Dialect } from '../kit/silverbullet/dialect.ts';
import { type FakeOptions, startSilverBullet, TOKEN } from '../kit/silverbullet/server.ts';
import type { Fate } from '../kit/silverbullet/space.ts';

const DIALECTS: readonly Dialect[] = ['rust', 'go'];

function clientFor(url: string, options: Partial<ClientOptions> = {}) {
  const client = createSilverBulletClient({ url, token: TOKEN, retryPauses: [5, 5], ...options });
  onTestFinished(() => client.close());
  return client;
}

async function start(options: FakeOptions = {}, client: Partial<ClientOptions> = {}) {
  const fake = await startSilverBullet({ files: { 'a.md': 'text' }, ...options });
  return { fake, client: clientFor(fake.url, client) };
}

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const caught = async (work: Promise<unknown>): Promise<AppError> =>
  work.then(
    () => expect.unreachable('it should have failed'),
    (error: AppError) => error,
  );

/** The first requests go wrong, the later ones do not. */
function failing(times: number, fate: Fate): () => Fate | undefined {
  let left = times;
  return () => (left-- > 0 ? fate : undefined);
}

describe.each(DIALECTS)('the client, %s', (dialect) => {
  test('lists, reads, writes and deletes, also below a prefix', async () => {
    const { fake } = await start({ dialect, prefix: '/my/notes' });
    const client = clientFor(`${fake.url}/`);
    expect((await client.list()).map(({ name }) => name)).toContain('a.md');
    await client.put('sub/b ü#?.md', Buffer.from('hi'));
    expect(Buffer.from((await client.get('sub/b ü#?.md'))?.bytes ?? []).toString()).toBe('hi');
    expect(await client.meta('sub/b ü#?.md')).toMatchObject({ size: 2, contentType: 'text/markdown' });
    expect(await client.remove('sub/b ü#?.md')).toBe(true);
    expect(await client.remove('sub/b ü#?.md')).toBe(false);
    expect(await client.get('sub/b ü#?.md')).toBeUndefined();
    expect(await client.config()).toMatchObject({ readOnly: false });
  });

  test('says to check the token when it is refused, and never says the token', async () => {
    const { fake } = await start({ dialect });
    const wrong = clientFor(fake.url, { token: 'wrong-secret' });
    for (const error of await Promise.all(
      [wrong.list(), wrong.get('a.md'), wrong.put('a.md', Buffer.from('x')), wrong.config()].map(caught),
    )) {
      expect(error.code).toBe('unauthorized');
      expect(error.hint).toContain('SB_TOKEN');
      expect(`${error.message} ${error.hint} ${String(error.cause)}`).not.toContain('wrong-secret');
    }
  });

  test('knows the web page for what it is', async () => {
    const { fake, client } = await start({ dialect });
    fake.faults.fate = () => ({ kind: 'html' });
    const asked = [
      client.list(),
      client.get('a.md'),
      client.meta('a.md'),
      client.put('a.md', Buffer.from('x')),
      client.remove('a.md'),
      client.config(),
    ];
    for (const error of await Promise.all(asked.map(caught))) {
      expect(error.code).toBe('upstream_failed');
      expect(error.hint).toMatch(/SB_URL.*prefix.*0\.x/);
    }
  });

  test('repeats a read after a reset or a passing failure, twice at most', async () => {
    const { fake, client } = await start({ dialect });
    const fates: Fate[] = [
      { kind: 'reset', applies: false },
      ...[502, 503, 504].map((status) => ({ kind: 'status', status, applies: false }) as const),
    ];
    for (const fate of fates) {
      fake.faults.fate = failing(2, fate);
      expect((await client.get('a.md'))?.size).toBe(4);
      fake.faults.fate = failing(3, fate);
      expect((await caught(client.get('a.md'))).code).toBe('upstream_failed');
    }
  });

  test('does not repeat what fails for good, nor any change', async () => {
    const { fake, client } = await start({ dialect });
    const countOf = async (work: () => Promise<unknown>) => {
      const before = fake.requests.length;
      await caught(work());
      return fake.requests.length - before;
    };
    fake.faults.fate = () => ({ kind: 'status', status: 500, applies: false });
    expect(await countOf(() => client.get('a.md'))).toBe(1);
    for (const fate of [
      { kind: 'status', status: 503, applies: false },
      { kind: 'reset', applies: false },
    ] as const) {
      fake.faults.fate = () => fate;
      expect(await countOf(() => client.put('a.md', Buffer.from('x')))).toBe(1);
      expect(await countOf(() => client.remove('a.md'))).toBe(1);
    }
  });

  test('does not wait for ever', async () => {
    const { fake, client } = await start({ dialect }, { timeoutMs: 60 });
    fake.faults.latencyMs = () => 400;
    expect((await caught(client.get('a.md'))).code).toBe('timeout');
    expect(fake.requests).toHaveLength(1);
  });

  test.each([
    '.silverbullet.auth.json',
    'a/.hidden.md',
    '../x.md',
    'a/../b.md',
    './a.md',
    '/a.md',
    'a//b.md',
    '',
    'a\\..\\b.md',
  ])('refuses %j before anything is sent', async (name) => {
    const { fake, client } = await start({ dialect });
    const asked = [
      client.get(name),
      client.meta(name),
      client.put(name, Buffer.from('x')),
      client.remove(name),
    ];
    for (const error of await Promise.all(asked.map(caught))) expect(error.code).toBe('forbidden');
    expect(fake.requests).toEqual([]);
  });
});

test('a prefix that is missing is distinguished from a page that is missing', async () => {
  const { fake } = await start({ prefix: '/notes' });
  const astray = clientFor(new URL(fake.url).origin);
  for (const error of await Promise.all(
    [astray.list(), astray.get('a.md'), astray.remove('a.md')].map(caught),
  ))
    expect(error.hint).toContain('SB_URL');
});

test('half a character is no name', async () => {
  const { client } = await start();
  expect((await caught(client.get('a\ud800.md'))).code).toBe('invalid_input');
});

test('a login page in front is not followed, and named', async () => {
  const url = await serve((_, response) =>
    response.writeHead(302, { location: 'https://login.example/' }).end(),
  );
  const error = await caught(clientFor(url).list());
  expect(error.code).toBe('upstream_failed');
  expect(error.hint).toContain('login page');
});

test('sends the token, the mode and nothing it was given', async () => {
  const seen: Record<string, unknown>[] = [];
  const url = await serve((request, response) => {
    seen.push(request.headers);
    response
      .writeHead(200, { 'content-type': 'application/json', 'set-cookie': 'auth_x=stale; Path=/' })
      .end('[]');
  });
  const client = clientFor(url);
  await client.list();
  await client.list();
  for (const headers of seen)
    expect(headers).toMatchObject({
      authorization: `Bearer ${TOKEN}`,
      'x-sync-mode': 'true',
      accept: 'application/octet-stream',
    });
  expect(seen.every((headers) => headers.cookie === undefined)).toBe(true);
});

test('has at most sixteen requests under way', async () => {
  let now = 0;
  let most = 0;
  let open = () => {};
  const isFull = new Promise<void>((resolve) => {
    open = resolve;
  });
  const url = await serve(async (_, response) => {
    most = Math.max(most, ++now);
    if (now === 16) open();
    await isFull;
    // Long enough for one too many to arrive.
    await sleep(10);
    now--;
    response.writeHead(404).end('404 page not found\n');
  });
  const client = clientFor(url);
  await Promise.all(Array.from({ length: 40 }, (_, at) => client.get(`${at}.md`)));
  expect(most).toBe(16);
});

test('does not take in more than it can hold', async () => {
  const url = await serve((_, response) =>
    response.writeHead(200, { 'content-length': String(2 ** 31) }).write('x'),
  );
  const error = await caught(clientFor(url).get('huge.bin'));
  expect(error).toMatchObject({ code: 'unsupported', reason: 'too_large', subject: 'huge.bin' });
});

test.each(['', 'notes.example.com', 'ftp://x/', 'https://x/?a=1', 'https://x/#y'])(
  '%j is no SB_URL',
  (url) => {
    expect(() => createSilverBulletClient({ url })).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  },
);
