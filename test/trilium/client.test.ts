/** The wire: what is sent, what is repeated, what is refused, and what error messages say. */

import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { TriliumClient } from '../../src/stores/trilium/client.ts';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';
import { asked, caught, clientFor, failing, start } from './kit.ts';

const NOTES = [{ id: 'note00000001', title: 'One', content: '<p>one</p>' }];

describe('every endpoint', () => {
  test('notes', async () => {
    const { client, fake } = await start();
    const { note, branch } = await client.notes.create({
      parentNoteId: 'root',
      title: 'T',
      type: 'text',
      content: '<p>x</p>',
      prefix: 'P',
    });
    expect(branch).toMatchObject({ noteId: note.noteId, parentNoteId: 'root', prefix: 'P' });
    expect(await client.notes.get(note.noteId)).toEqual(note);
    expect(await client.notes.patch(note.noteId, { title: 'U' })).toMatchObject({ title: 'U' });
    await client.notes.putContent(note.noteId, '<p>é</p>');
    const content = await client.notes.content(note.noteId);
    expect(Buffer.from(content.bytes).toString()).toBe('<p>é</p>');
    expect(content.contentType).toBe('text/html; charset=utf-8');
    const file = await client.notes.create({ parentNoteId: 'root', title: 'F', type: 'file', content: '' });
    await client.notes.putContent(file.note.noteId, Uint8Array.of(0xff, 0));
    expect([...(await client.notes.content(file.note.noteId)).bytes]).toEqual([0xff, 0]);
    await client.notes.remove(note.noteId);
    expect(fake.db.note(note.noteId)).toBeUndefined();
    await client.notes.undelete(note.noteId);
    expect((await client.notes.history('root')).map(({ noteId }) => noteId)).toContain(note.noteId);
    expect((await client.notes.history()).length).toBeGreaterThan(0);
  });

  test('subtrees as ZIP files', async () => {
    const { client } = await start({ notes: [{ id: 'folder000001', title: 'F', children: NOTES }] });
    const zip = await client.notes.exportZip('folder000001', 'html');
    expect(Buffer.from(zip).subarray(0, 2).toString()).toBe('PK');
    const { note } = await client.notes.importZip('root', zip);
    expect(note).toMatchObject({ title: 'F', parentNoteIds: ['root'] });
    expect(note.childNoteIds).toHaveLength(1);
  });

  test('branches', async () => {
    const { client } = await start({ notes: [...NOTES, { id: 'other0000001', title: 'Other' }] });
    const place = { noteId: 'note00000001', parentNoteId: 'other0000001' };
    const branch = await client.branches.create({ ...place, prefix: 'P' });
    expect(branch).toMatchObject({ branchId: 'other0000001_note00000001', prefix: 'P' });
    expect(await client.branches.get(branch.branchId)).toEqual(branch);
    expect(await client.branches.patch(branch.branchId, { notePosition: 70 })).toMatchObject({
      notePosition: 70,
    });
    await client.branches.refreshOrdering('other0000001');
    await client.branches.remove(branch.branchId);
    expect(await caught(client.branches.get(branch.branchId))).toMatchObject({
      upstream: { status: 404, code: 'BRANCH_NOT_FOUND' },
    });
  });

  test('attributes', async () => {
    const { client } = await start({ notes: NOTES });
    const label = await client.attributes.create({
      noteId: 'note00000001',
      type: 'label',
      name: 'a',
      value: '1',
    });
    expect(await client.attributes.patch(label.attributeId, { value: '2' })).toMatchObject({ value: '2' });
    expect(await client.attributes.get(label.attributeId)).toMatchObject({ name: 'a', value: '2' });
    await client.attributes.remove(label.attributeId);
    expect((await client.notes.get('note00000001')).attributes).toEqual([]);
  });

  test('attachments', async () => {
    const { client } = await start({ notes: NOTES });
    const made = await client.attachments.create({
      ownerId: 'note00000001',
      role: 'file',
      mime: 'application/pdf',
      title: 'a.pdf',
      content: '',
    });
    expect(made).not.toHaveProperty('contentLength');
    await client.attachments.putContent(made.attachmentId, Uint8Array.of(1, 2, 3));
    expect(await client.attachments.get(made.attachmentId)).toMatchObject({
      contentLength: 3,
      utcDateScheduledForErasureSince: null,
    });
    expect([...(await client.attachments.content(made.attachmentId)).bytes]).toEqual([1, 2, 3]);
    expect(await client.attachments.patch(made.attachmentId, { title: 'b.pdf' })).toMatchObject({
      title: 'b.pdf',
    });
    expect(await client.attachments.list('note00000001')).toHaveLength(1);
    await client.attachments.remove(made.attachmentId);
    expect(await client.attachments.list('note00000001')).toEqual([]);
  });

  test('revisions', async () => {
    const { client } = await start({ notes: NOTES });
    await client.revisions.create('note00000001');
    await client.revisions.create('note00000001', 'before edit');
    const [newest, oldest] = await client.revisions.list('note00000001');
    expect([newest?.description, oldest?.description]).toEqual(['before edit', '']);
    expect(await client.revisions.get(newest?.revisionId ?? '')).toMatchObject({ title: 'One' });
    const content = await client.revisions.content(newest?.revisionId ?? '');
    expect(Buffer.from(content.bytes).toString()).toBe('<p>one</p>');
  });

  test('search', async () => {
    const { client, fake } = await start({ notes: NOTES });
    const { results, debugInfo } = await client.search({
      search: 'note.title = "One" and note.type != code',
      fastSearch: true,
      ancestorNoteId: 'root',
      ancestorDepth: 'eq1',
      debug: true,
    });
    expect(results.map(({ noteId }) => noteId)).toEqual(['note00000001']);
    expect(debugInfo).toBeDefined();
    expect(fake.requests.at(-1)).toContain('ancestorDepth=eq1');
  });

  test('the calendar', async () => {
    const { client } = await start();
    const titles = [
      await client.calendar.day('2026-11-15'),
      await client.calendar.inbox('2026-11-15'),
      await client.calendar.weekFirstDay('2026-11-15'),
      await client.calendar.month('2026-11'),
      await client.calendar.year('2026'),
    ].map(({ title }) => title);
    expect(titles).toEqual(['15 - Sunday', '15 - Sunday', '09 - Monday', '11 - November', '2026']);
    expect(await caught(client.calendar.week('2026-W46'))).toMatchObject({
      code: 'not_found',
      hint: expect.stringContaining('#enableWeekNote'),
      upstream: { status: 404, code: 'WEEK_NOT_FOUND' },
    });
  });

  test('the system', async () => {
    const { client, fake } = await start();
    expect(await client.system.appInfo()).toMatchObject({ appVersion: '0.105.0' });
    expect(await client.system.appInfo()).not.toHaveProperty('dataDirectory');
    await client.system.backup('nightly_1');
    expect(fake.db.backups).toEqual(['backup-nightly_1.db']);
    expect(await caught(client.system.backup('../../etc'))).toMatchObject({ code: 'invalid_input' });
  });
});

describe('the address and the token', () => {
  test('the address may end in /etapi or a slash', async () => {
    const fake = await startTrilium();
    for (const url of [fake.url, `${fake.url}/`, `${fake.url}/etapi`, `${fake.url}/etapi/`])
      expect(await clientFor(url).system.version()).toBe('0.105.0');
  });

  test.each(['ftp://host', 'https://user:pw@host', 'https://host/?a=1', 'https://host/#x', 'nonsense'])(
    'refuses %s as an address',
    (url) => {
      expect(() => clientFor(url)).toThrow('Not the address of a Trilium');
    },
  );

  test('nothing local is reached unless the caller allows it', async () => {
    const fake = await startTrilium();
    for (const schemes of [['http', 'https'] as const, undefined]) {
      const client = clientFor(fake.url, { allow: 'public', ...(schemes && { schemes }) });
      expect(await caught(client.system.appInfo())).toMatchObject({ code: 'forbidden' });
    }
    expect(fake.requests).toEqual([]);
  });

  test('says to check the token when it is refused, and never says the token', async () => {
    const { fake } = await start({ notes: NOTES });
    const wrong = clientFor(fake.url, { token: 'wrong-secret' });
    const tries: (() => Promise<unknown>)[] = [
      () => wrong.system.appInfo(),
      () => wrong.notes.get('note00000001'),
      () => wrong.notes.putContent('note00000001', 'x'),
      () => wrong.search({ search: 'x' }),
    ];
    for (const work of tries) {
      const error = await caught(work);
      expect(error).toMatchObject({
        code: 'unauthorized',
        upstream: { status: 401, code: 'NOT_AUTHENTICATED' },
      });
      expect(error.hint).toContain('TRILIUM_TOKEN');
      expect(`${error.stack} ${error.hint} ${JSON.stringify(error)} ${String(error.cause)}`).not.toContain(
        'wrong-secret',
      );
    }
  });

  test('the token is in no error, whatever fails', async () => {
    const { fake, client } = await start({ notes: NOTES }, { timeoutMs: 100, retryPauses: [] });
    for (const fate of [
      { kind: 'reset', applies: false },
      { kind: 'status', status: 500, applies: false },
      { kind: 'html' },
      { kind: 'redirect', to: 'https://example.com/' },
    ] as const) {
      fake.faults.fate = () => fate;
      const error = await caught(client.notes.get('note00000001'));
      const cause = error.cause as Error | undefined;
      expect(`${error.stack} ${error.hint} ${JSON.stringify(error)} ${cause?.stack}`).not.toContain(TOKEN);
    }
  });

  test('nor when the server repeats it', async () => {
    const server = createServer((request, response) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ status: 400, code: 'X', message: `you sent ${request.headers.authorization}` }),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    const error = await caught(client.notes.get('root'));
    expect(error.title).toBe('you sent …');
    expect(`${error.stack} ${error.hint}`).not.toContain(TOKEN);
  });

  test.each(['', 'two\nlines', 'ümlaut', 'x'.repeat(513)])(
    'refuses %j as a token without saying it',
    (token) => {
      const making = () => clientFor('https://example.com', { token });
      expect(making).toThrow('Not an ETAPI token');
    },
  );
});

describe('ids', () => {
  const BAD = [
    '../app-info',
    'x/../note00000001',
    'a b',
    '',
    'a'.repeat(129),
    'a?b',
    'a%2fb',
    'ü',
    'a\u0000',
    '..',
  ];

  test.each(BAD)('nothing is sent for %j', async (id) => {
    const { fake, client } = await start({ notes: NOTES });
    const { notes, branches, attributes, attachments, revisions } = client;
    const calls: (() => Promise<unknown>)[] = [
      () => notes.get(id),
      () => notes.patch(id, { title: 'x' }),
      () => notes.remove(id),
      () => notes.content(id),
      () => notes.putContent(id, 'x'),
      () => notes.exportZip(id, 'html'),
      () => notes.importZip(id, Buffer.from('x')),
      () => notes.undelete(id),
      () => notes.history(id),
      () => notes.create({ parentNoteId: id, title: '', type: 'text', content: '' }),
      () => notes.create({ parentNoteId: 'root', noteId: id, title: '', type: 'text', content: '' }),
      () => branches.get(`${id}/${id}`),
      () => branches.create({ noteId: id, parentNoteId: 'root' }),
      () => branches.create({ noteId: 'root', parentNoteId: id }),
      () => branches.refreshOrdering(id),
      () => attributes.get(id),
      () => attributes.remove(id),
      () => attributes.create({ noteId: id, type: 'label', name: 'a', value: '' }),
      () => attributes.create({ noteId: 'root', type: 'relation', name: 'a', value: id }),
      () => attachments.get(id),
      () => attachments.remove(id),
      () => attachments.list(id),
      () => attachments.create({ ownerId: id, role: 'file', mime: '', title: '' }),
      () => revisions.create(id),
      () => revisions.list(id),
      () => revisions.get(id),
      () => revisions.content(id),
      () => client.search({ search: 'x', ancestorNoteId: id }),
    ];
    for (const call of calls) expect(await caught(call)).toMatchObject({ code: 'invalid_input' });
    expect(fake.requests).toEqual([]);
  });

  test('a date cannot be a way out either', async () => {
    const { fake, client } = await start();
    expect(await caught(client.calendar.day('..'))).toMatchObject({ code: 'invalid_input' });
    expect(await caught(client.calendar.day('../../app-info'))).toMatchObject({ code: 'invalid_input' });
    expect(fake.requests).toEqual([]);
  });
});

describe('what is sent again', () => {
  const FATES = [
    { kind: 'reset', applies: false },
    { kind: 'status', status: 502, applies: false },
    { kind: 'status', status: 503, applies: false },
    { kind: 'status', status: 504, applies: false },
  ] as const;

  test.each(FATES)('a read after $kind $status', async (fate) => {
    const { fake, client } = await start({ notes: NOTES });
    fake.faults.fate = failing(2, fate);
    expect(await client.notes.get('note00000001')).toMatchObject({ title: 'One' });
    expect(fake.requests).toHaveLength(3);
  });

  test('not for ever', async () => {
    const { fake, client } = await start({ notes: NOTES });
    fake.faults.fate = failing(3, { kind: 'status', status: 503, applies: false });
    expect(await caught(client.notes.get('note00000001'))).toMatchObject({
      code: 'upstream_failed',
      upstream: { status: 503 },
    });
    expect(fake.requests).toHaveLength(3);
  });

  const WRITES: Readonly<Record<string, (client: TriliumClient) => Promise<unknown>>> = {
    create: ({ notes }) => notes.create({ parentNoteId: 'root', title: 'x', type: 'text', content: '' }),
    put: ({ notes }) => notes.putContent('note00000001', 'x'),
    patch: ({ notes }) => notes.patch('note00000001', { title: 'x' }),
    delete: ({ notes }) => notes.remove('note00000001'),
    revision: ({ revisions }) => revisions.create('note00000001'),
    'a journal note, which is made by asking': ({ calendar }) => calendar.day('2026-11-15'),
  };

  test.each(Object.keys(WRITES))('never %s', async (name) => {
    for (const fate of FATES) {
      const { fake, client } = await start({ notes: NOTES });
      fake.faults.fate = failing(1, fate);
      expect(await caught(() => (WRITES[name] as (typeof WRITES)[string])(client))).toMatchObject({
        code: 'upstream_failed',
      });
      expect(fake.requests).toHaveLength(1);
    }
  });

  test('never what Trilium itself refuses', async () => {
    const { fake, client } = await start();
    expect(await caught(client.notes.get('none00000000'))).toMatchObject({ code: 'not_found' });
    expect(fake.requests).toHaveLength(1);
  });
});

describe('what is not waited for, followed or taken in', () => {
  test('an answer that takes too long', async () => {
    const { fake, client } = await start({ notes: NOTES });
    fake.faults.latencyMs = () => 500;
    expect(await caught(client.limited({ timeoutMs: 50 }).notes.get('note00000001'))).toMatchObject({
      code: 'timeout',
    });
    expect(fake.requests).toHaveLength(1);
  });

  test('an answer to a cancelled request', async () => {
    const { fake, client } = await start({ notes: NOTES });
    fake.faults.latencyMs = () => 5_000;
    const controller = new AbortController();
    const work = caught(client.limited({ signal: controller.signal }).notes.get('note00000001'));
    await expect.poll(() => fake.requests).toHaveLength(1);
    controller.abort(new Error('enough'));
    expect(String(await work)).toContain('enough');
    expect(fake.requests).toHaveLength(1);
  });

  test('a redirect, wherever it leads', async () => {
    const { fake, client } = await start({ notes: NOTES });
    const elsewhere = await startTrilium({ notes: NOTES });
    fake.faults.fate = () => ({ kind: 'redirect', to: `${elsewhere.url}/etapi/notes/note00000001` });
    const error = await caught(client.notes.get('note00000001'));
    expect(error).toMatchObject({ code: 'upstream_failed', title: 'Trilium points elsewhere' });
    expect(elsewhere.requests).toEqual([]);
    expect(fake.requests).toHaveLength(1);
  });

  test('a login page instead of an answer', async () => {
    const { fake, client } = await start({ notes: NOTES });
    fake.faults.fate = () => ({ kind: 'html' });
    for (const work of [
      () => client.notes.get('note00000001'),
      () => client.notes.putContent('note00000001', 'x'),
    ])
      expect(await caught(work)).toMatchObject({ title: "The server does not answer like Trilium's ETAPI" });
    const other = await startTrilium();
    other.faults.fate = () => ({ kind: 'status', status: 404, applies: false });
    expect(await caught(clientFor(other.url).notes.get('root'))).toMatchObject({
      title: "The server does not answer like Trilium's ETAPI",
    });
  });

  test.each([
    ['no note', '{"title":"x"}'],
    ['a list', '[]'],
    ['no JSON', '{"noteId":'],
  ])('an answer that is %s', async (_, body) => {
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(body),
    );
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await caught(client.notes.get('root'))).toMatchObject({ code: 'upstream_failed' });
  });

  test('more than the limit, either way', async () => {
    const notes = [{ id: 'note00000001', title: 'big', content: 'x'.repeat(2000) }];
    const { fake, client } = await start({ notes }, { maxBodyBytes: 1000 });
    expect(await caught(client.notes.content('note00000001'))).toMatchObject({ reason: 'too_large' });
    expect(await caught(() => client.notes.putContent('note00000001', 'y'.repeat(1001)))).toMatchObject({
      reason: 'too_large',
    });
    expect(asked(fake)).toEqual(['GET /notes/note00000001/content']);
  });
});

describe('errors keep what Trilium said', () => {
  const CASES: readonly [string, (client: TriliumClient) => Promise<unknown>, object][] = [
    ['NOTE_NOT_FOUND', (c) => c.notes.get('none00000000'), { code: 'not_found', status: 404 }],
    ['ATTRIBUTE_NOT_FOUND', (c) => c.attributes.get('none00000000'), { code: 'not_found', status: 404 }],
    ['ATTACHMENT_NOT_FOUND', (c) => c.attachments.get('none00000000'), { code: 'not_found', status: 404 }],
    ['REVISION_NOT_FOUND', (c) => c.revisions.get('none00000000'), { code: 'not_found', status: 404 }],
    ['NOTE_NOT_DELETED', (c) => c.notes.undelete('note00000001'), { code: 'conflict', status: 400 }],
    ['NOTE_IS_PROTECTED', (c) => c.notes.content('secret000001'), { code: 'forbidden', status: 400 }],
    ['DATE_INVALID', (c) => c.calendar.day('2026-13-45'), { code: 'invalid_input', status: 400 }],
    [
      'PROPERTY_VALIDATION_ERROR',
      (c) => c.notes.create({ parentNoteId: 'none00000000', title: 'x', type: 'text', content: '' }),
      { code: 'invalid_input', status: 400 },
    ],
    ['GENERIC', (c) => c.notes.remove('root'), { code: 'upstream_failed', status: 500 }],
    ['SEARCH_QUERY_PARAM_MANDATORY', (c) => c.search({ search: '' }), { code: 'invalid_input', status: 400 }],
  ];

  test.each(CASES)('%s', async (name, work, { code, status }: { code?: string; status?: number }) => {
    const { client } = await start({
      notes: [...NOTES, { id: 'secret000001', title: 'S', isProtected: true }],
    });
    const error = await caught(() => work(client));
    expect(error).toMatchObject({ code, upstream: { status, code: name } });
    expect(error.title.length).toBeGreaterThan(5);
    expect(error.hint).toBeTruthy();
  });

  test('errors without a code keep their status', async () => {
    const { client } = await start();
    const error = await caught(client.notes.importZip('root', Buffer.from('no zip')));
    expect(error).toMatchObject({ code: 'upstream_failed', upstream: { status: 500 } });
    expect(error.upstream?.code).toBeUndefined();
  });

  test('a loop in the tree is explained', async () => {
    const { client } = await start({
      notes: [{ id: 'above0000001', title: 'A', children: [{ id: 'below0000001', title: 'B' }] }],
    });
    await client.branches.create({ noteId: 'above0000001', parentNoteId: 'below0000001' });
    const error = await caught(client.search({ search: 'x' }));
    expect(error).toMatchObject({ title: 'Maximum call stack size exceeded', upstream: { status: 500 } });
    expect(error.hint).toContain('below itself');
  });
});

describe('an older Trilium', () => {
  const NEWER: Readonly<Record<string, (client: TriliumClient) => Promise<unknown>>> = {
    history: (c) => c.notes.history(),
    revisions: (c) => c.revisions.list('note00000001'),
    revision: (c) => c.revisions.get('none00000000'),
    'revision content': (c) => c.revisions.content('none00000000'),
    undelete: (c) => c.notes.undelete('note00000001'),
    'attachment list': (c) => c.attachments.list('note00000001'),
  };

  test.each(Object.keys(NEWER))('says that %s needs 0.102, and asks for the version once', async (name) => {
    const { fake, client } = await start({ version: '0.101.3', notes: NOTES });
    const work = NEWER[name] as (typeof NEWER)[string];
    for (let time = 0; time < 2; time++) {
      const error = await caught(() => work(client));
      expect(error).toMatchObject({ code: 'unsupported', hint: expect.stringContaining('0.101.3') });
      expect(error.title).toContain('needs Trilium 0.102 or newer');
    }
    expect(asked(fake).filter((line) => line.endsWith('/app-info'))).toHaveLength(1);
  });

  test('everything else works', async () => {
    const { client } = await start({ version: '0.101.3', notes: NOTES });
    expect(await client.notes.get('note00000001')).toMatchObject({ title: 'One' });
    await client.revisions.create('note00000001', 'described');
    expect((await client.search({ search: 'One' })).results).toHaveLength(1);
  });

  test('a history that is taken for a note of that name is known for what it is', async () => {
    const server = createServer((request, response) => {
      const isInfo = request.url?.endsWith('/app-info');
      response.writeHead(isInfo ? 200 : 404, { 'content-type': 'application/json; charset=utf-8' });
      response.end(
        JSON.stringify(
          isInfo
            ? { appVersion: '0.95.0' }
            : { status: 404, code: 'NOTE_NOT_FOUND', message: "Note 'history' not found." },
        ),
      );
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    onTestFinished(() => void server.close());
    const client = clientFor(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    expect(await caught(client.notes.history())).toMatchObject({ code: 'unsupported' });
  });

  test('a version that could not be asked for is asked for again', async () => {
    const { fake, client } = await start({}, { retryPauses: [] });
    fake.faults.fate = failing(1, { kind: 'status', status: 503, applies: false });
    await caught(client.system.version());
    expect(await client.system.version()).toBe('0.105.0');
  });
});
