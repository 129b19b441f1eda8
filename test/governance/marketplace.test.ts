/** The source of a marketplace catalogue, and the parts of a hostile one that are kept. */
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import {
  type Marketplace,
  openMarketplace,
  searchMarket,
} from '../../src/governance/marketplace/marketplace.ts';
import { list, listed, npm, startRegistry } from '../kit/registry.ts';
import { putFile, temporaryFolder } from '../kit/temp.ts';

const names = ({ entries }: Marketplace) => entries.map(({ name }) => name);
const HOUR = 3_600_000;

describe('the list that comes with us', () => {
  it('has servers, all of them whole, pinned and installable', async () => {
    const market = await openMarketplace({ source: 'builtin', stateFolder: '/nonexistent' });
    expect(market).toMatchObject({ source: 'builtin', malformed: 0, notes: [] });
    expect(names(market)).toContain('io.github.modelcontextprotocol/server-filesystem');
    for (const { packages, version } of market.entries)
      expect(packages.map((one) => [one.registry, one.version])).toEqual([['npm', version]]);
  });
});

describe('a file', () => {
  it('is read in the same form', async () => {
    const folder = await temporaryFolder({ 'list.json': JSON.stringify(list([listed('a.b/c')])) });
    const market = await openMarketplace({ source: join(folder, 'list.json'), stateFolder: folder });
    expect(names(market)).toEqual(['a.b/c']);
  });

  test.each([
    ['that is not there', undefined, /Cannot read the marketplace file/],
    ['that is no JSON', 'x', /Not a list of MCP servers/],
    ['that is another thing', '{"servers": 7}', /Not a list of MCP servers/],
  ])('%s is an error, not another list', async (_, text, says) => {
    const folder = await temporaryFolder(text === undefined ? {} : { 'list.json': text });
    const opened = openMarketplace({ source: join(folder, 'list.json'), stateFolder: folder });
    await expect(opened).rejects.toThrow(says);
  });
});

describe('an address', () => {
  test.each(['nextCursor', 'next_cursor'])('is read page after page, by %s', async (spelling) => {
    const { address, asked } = await startRegistry((_, { searchParams }) => {
      const at = Number(searchParams.get('cursor') ?? 0);
      return list([listed(`a.b/s${at}`)], at < 2 ? { [spelling]: String(at + 1) } : {});
    });
    const stateFolder = await temporaryFolder();
    const market = await openMarketplace({ source: address, stateFolder });
    expect(names(market)).toEqual(['a.b/s0', 'a.b/s1', 'a.b/s2']);
    expect(asked).toEqual([
      '/v0.1/servers?limit=100&version=latest',
      '/v0.1/servers?limit=100&version=latest&cursor=1',
      '/v0.1/servers?limit=100&version=latest&cursor=2',
    ]);
  });

  it('is asked once a day, or with refresh; what was fetched is private', async () => {
    const { address, asked } = await startRegistry(() => list([listed('a.b/c')]));
    const stateFolder = join(await temporaryFolder(), 'state');
    let now = Date.parse('2026-11-16T00:00:00Z');
    const open = (refresh: boolean) =>
      openMarketplace({ source: address, stateFolder, refresh, now: () => now });
    expect((await open(false)).fetchedAt).toBe('2026-11-16T00:00:00.000Z');
    now += 23 * HOUR;
    expect((await open(false)).fetchedAt).toBe('2026-11-16T00:00:00.000Z');
    expect(asked).toHaveLength(1);
    expect((await open(true)).fetchedAt).toBe('2026-11-16T23:00:00.000Z');
    now += 25 * HOUR;
    await open(false);
    expect(asked).toHaveLength(3);
    const [name = ''] = await readdir(join(stateFolder, 'marketplace'));
    const kept = join(stateFolder, 'marketplace', name);
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(kept, 'utf8'))).toMatchObject({
      source: address,
      fetched_at: '2026-11-18T00:00:00.000Z',
    });
  });

  it('that says it has not changed is believed for a list of one page', async () => {
    const seen: unknown[] = [];
    const { address } = await startRegistry((request, _, response) => {
      seen.push(request.headers['if-none-match']);
      response.setHeader('etag', '"v1"');
      if (request.headers['if-none-match'] !== '"v1"') return list([listed('a.b/c')]);
      response.writeHead(304).end();
      return undefined;
    });
    const options = { source: address, stateFolder: await temporaryFolder(), refresh: true };
    await openMarketplace(options);
    expect(names(await openMarketplace(options))).toEqual(['a.b/c']);
    expect(seen).toEqual([undefined, '"v1"']);
  });

  it('with several pages is read again: the first page says nothing of the others', async () => {
    const seen: unknown[] = [];
    const { address } = await startRegistry((request, { searchParams }, response) => {
      seen.push(request.headers['if-none-match']);
      response.setHeader('etag', '"v1"');
      return list([], searchParams.has('cursor') ? {} : { nextCursor: 'x' });
    });
    const options = { source: address, stateFolder: await temporaryFolder(), refresh: true };
    await openMarketplace(options);
    await openMarketplace(options);
    expect(seen).toEqual([undefined, undefined, undefined, undefined]);
  });

  it('that cannot be reached gives what was fetched before, else the list that comes with us, and says so', async () => {
    const registry = await startRegistry(() => list([listed('a.b/c')]));
    const stateFolder = await temporaryFolder();
    const open = (folder: string) =>
      openMarketplace({ source: registry.address, stateFolder: folder, refresh: true });
    await open(stateFolder);
    await registry.close();
    const before = await open(stateFolder);
    expect(names(before)).toEqual(['a.b/c']);
    expect(before.notes[0]).toMatch(/could not be read .*Cannot reach.* fetched before/);
    const shipped = await open(await temporaryFolder());
    expect(shipped.source).toBe('builtin');
    expect(shipped.notes[0]).toMatch(/could not be read .* comes with Quire/);
  });

  test.each([
    ['an error', 500, '{}'],
    ['a page of HTML', 200, '<html>'],
    ['a redirect', 302, ''],
    ['an unasked "not changed"', 304, ''],
  ])('that answers with %s is one that cannot be read', async (_, status, body) => {
    const { address } = await startRegistry((__, ___, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' });
      return body;
    });
    const market = await openMarketplace({ source: address, stateFolder: await temporaryFolder() });
    expect(market.source).toBe('builtin');
    expect(market.notes).toHaveLength(1);
  });

  it('whose second page fails does not take the place of what was whole before', async () => {
    let isBroken = false;
    const { address } = await startRegistry((_, { searchParams }, response) => {
      if (!searchParams.has('cursor')) return list([listed('a.b/one')], { nextCursor: 'x' });
      if (isBroken) response.statusCode = 503;
      return list([listed('a.b/two')]);
    });
    const options = { source: address, stateFolder: await temporaryFolder(), refresh: true };
    await openMarketplace(options);
    isBroken = true;
    expect(names(await openMarketplace(options))).toEqual(['a.b/one', 'a.b/two']);
  });

  it('in a private network is refused, also behind a public name', async () => {
    for (const source of ['https://10.0.0.1/servers', 'https://registry.example/servers']) {
      const market = await openMarketplace({
        source,
        stateFolder: await temporaryFolder(),
        fetch: { resolve: async () => ['127.0.0.1'] },
      });
      expect(market.source).toBe('builtin');
      expect(market.notes[0]).toMatch(/Address refused/);
    }
  });

  it('over plain http is refused beyond this machine', async () => {
    const market = await openMarketplace({
      source: 'http://registry.example/servers',
      stateFolder: await temporaryFolder(),
      fetch: { resolve: async () => ['93.184.215.14'] },
    });
    expect(market.notes[0]).toMatch(/Address refused.*https/);
  });

  it('that does not answer can be given up', async () => {
    const { address } = await startRegistry(() => undefined);
    const stop = new AbortController();
    const opened = openMarketplace({
      source: address,
      stateFolder: await temporaryFolder(),
      fetch: { signal: stop.signal },
    });
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(opened).rejects.toThrow('enough');
  });

  it('is still an answer when it cannot be kept', async () => {
    const { address } = await startRegistry(() => list([listed('a.b/c')]));
    const folder = await temporaryFolder({ state: 'a file' });
    const market = await openMarketplace({ source: address, stateFolder: join(folder, 'state') });
    expect(names(market)).toEqual(['a.b/c']);
    expect(market.notes[0]).toMatch(/could not be kept/);
  });

  test.each(['{', '[]', 'null', '{"source":"x"}'])(
    'does not trip over a kept list that is %j',
    async (text) => {
      const { address } = await startRegistry(() => list([listed('a.b/c')]));
      const stateFolder = await temporaryFolder();
      await openMarketplace({ source: address, stateFolder });
      const [name = ''] = await readdir(join(stateFolder, 'marketplace'));
      await putFile(stateFolder, `marketplace/${name}`, text);
      expect(names(await openMarketplace({ source: address, stateFolder }))).toEqual(['a.b/c']);
    },
  );
});

describe('a list without an end', () => {
  it('ends where it leads back to itself', async () => {
    const { address, asked } = await startRegistry((_, { searchParams }) =>
      list([listed('a.b/c')], { nextCursor: searchParams.get('cursor') === 'a' ? 'b' : 'a' }),
    );
    const market = await openMarketplace({ source: address, stateFolder: await temporaryFolder() });
    expect(names(market)).toEqual(['a.b/c']);
    expect(asked.length).toBeLessThan(5);
    expect(market.notes[0]).toMatch(/links back/);
  });

  it('ends after fifty pages', async () => {
    let page = 0;
    const { address, asked } = await startRegistry(() =>
      list([listed(`a.b/s${page}`)], { nextCursor: String(page++) }),
    );
    const market = await openMarketplace({ source: address, stateFolder: await temporaryFolder() });
    expect(asked).toHaveLength(50);
    expect(market.entries).toHaveLength(50);
    expect(market.notes[0]).toMatch(/may be more than these 50: reading ended at 50 pages/);
  });

  it('ends at its bytes', async () => {
    let page = 0;
    const { address } = await startRegistry(() =>
      list([listed(`a.b/s${page}`, { filler: 'x'.repeat(10_000) })], { nextCursor: String(page++) }),
    );
    const market = await openMarketplace({
      source: address,
      stateFolder: await temporaryFolder(),
      fetch: { limits: { bytes: 35_000 } },
    });
    expect(market.entries).toHaveLength(3);
    expect(market.notes[0]).toMatch(/35000 bytes/);
  });

  it('ends at its time', async () => {
    const { address } = await startRegistry((_, { searchParams }) =>
      searchParams.has('cursor') ? undefined : list([listed('a.b/c')], { nextCursor: 'x' }),
    );
    const market = await openMarketplace({
      source: address,
      stateFolder: await temporaryFolder(),
      fetch: { limits: { ms: 500 } },
    });
    expect(names(market)).toEqual(['a.b/c']);
    expect(market.notes[0]).toMatch(/500 ms/);
  });
});

const fromList = async (servers: readonly unknown[]) => {
  const folder = await temporaryFolder({ 'list.json': JSON.stringify(list(servers)) });
  return openMarketplace({ source: join(folder, 'list.json'), stateFolder: folder });
};

describe('entries', () => {
  it('are the latest of each name; deleted ones are gone', async () => {
    const market = await fromList([
      listed('a.b/c', { version: '1.0.0' }, { isLatest: false }),
      listed('a.b/c', { version: '2.0.0' }),
      listed('a.b/gone', {}, { status: 'deleted' }),
      { server: { name: 'a.b/plain', version: '1.0.0' } },
      listed('a.b/twice', { version: '1.0.0' }, { isLatest: undefined, updatedAt: '2026-01-01T00:00:00Z' }),
      listed('a.b/twice', { version: '1.1.0' }, { isLatest: undefined, updatedAt: '2026-02-01T00:00:00Z' }),
    ]);
    expect(market.entries.map(({ name, version }) => `${name} ${version}`)).toEqual([
      'a.b/c 2.0.0',
      'a.b/plain 1.0.0',
      'a.b/twice 1.1.0',
    ]);
    expect(market.malformed).toBe(0);
  });

  it('that are none are left out and counted', async () => {
    const bad = [
      null,
      7,
      [],
      {},
      { server: {} },
      listed('../../etc/passwd'),
      listed('a.b/../c'),
      listed('a.b/..'),
      listed('no-slash'),
      listed('a.b/\x1b[31mred'),
      listed('a.b/c\n'),
      listed('a.b/c', { version: '1.0 && rm' }),
      listed('a.b/c', { version: 7 }),
      listed(`a.b/${'x'.repeat(1_000)}`),
      { server: { name: { toString: 'x' }, version: '1.0.0' } },
    ];
    const market = await fromList([
      ...bad,
      listed('a.b/good'),
      { server: { name: '__proto__', version: '1' } },
    ]);
    expect(names(market)).toEqual(['a.b/good']);
    expect(market.malformed).toBe(bad.length + 1);
  });

  it('have texts that are data: no escape sequences, no tricks of direction, not long', async () => {
    const { entries } = await fromList([
      listed('a.b/c', {
        title: '\x1b]0;owned\x07Title\u202egnp',
        description: `one\ntwo\x1b[2J ${'y'.repeat(100_000)}`,
        websiteUrl: 'javascript:alert(1)',
        repository: { url: 'https://example.com/\x1b[31m' },
        packages: [{ registryType: 'npm', identifier: 'x\x07y', version: '1.0.0' }, 7, null],
        remotes: 'none',
      }),
    ]);
    const [entry] = entries;
    expect(JSON.stringify(entry)).not.toMatch(/[\p{Cc}\u202a-\u202e]|\\u00|\\n/u);
    expect(entry?.title).toBe('Titlegnp');
    expect(entry?.description.length).toBe(500);
    expect(entry?.description).toMatch(/^one two yyy.*…$/);
    expect(entry?.website).toBeUndefined();
  });

  it('may be ten thousand, with a megabyte of text each where the registry is hostile', async () => {
    const many = Array.from({ length: 10_000 }, (_, at) =>
      listed(`a.b/s${at}`, { description: at % 1_000 === 0 ? 'z'.repeat(1_000_000) : `number ${at}` }),
    );
    const market = await fromList(many);
    expect(market.entries).toHaveLength(10_000);
    expect(searchMarket(market.entries, { text: 's777 number' })[0]?.name).toBe('a.b/s777');
  });
});

describe('search', () => {
  const market = () =>
    fromList([
      listed('io.x/mail', { description: 'letters' }),
      listed('io.x/calendar', { description: 'dates, and mail too' }),
      listed('io.x/mailbox-tools', {}),
      listed('io.x/webmail', {}),
      listed('io.x/old-mail', {}, { status: 'deprecated' }),
      listed('io.x/remote', { remotes: [{ type: 'streamable-http', url: 'https://example.com/mcp' }] }),
      listed('io.x/local', npm('local')),
    ]);
  const search = async (query: object) =>
    searchMarket((await market()).entries, query).map(({ name }) => name.slice('io.x/'.length));

  it('has the name before parts of it, and both before the description', async () => {
    expect(await search({ text: 'mail' })).toEqual(['mail', 'mailbox-tools', 'webmail', 'calendar']);
  });

  it('wants every word', async () => {
    expect(await search({ text: 'Mail dates' })).toEqual(['calendar']);
    expect(await search({ text: 'mail nonsense' })).toEqual([]);
  });

  it('shows deprecated ones only when asked, and last', async () => {
    expect(await search({ text: 'mail', all: true })).toContain('old-mail');
    expect((await search({ all: true })).at(-1)).toBe('old-mail');
    expect(await search({})).not.toContain('old-mail');
  });

  it('can be for one transport', async () => {
    expect(await search({ transport: 'stdio' })).toEqual(['local']);
    expect(await search({ transport: 'streamable_http' })).toEqual(['remote']);
  });
});
