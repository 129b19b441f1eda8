/** Behaviour of the fake that no recording shows, as section 5 of the measured contract has it. */
import { expect, test } from 'vitest';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';

async function begin(options: Parameters<typeof startTrilium>[0] = {}) {
  const fake = await startTrilium(options);
  const ask = async (method: string, path: string, json?: unknown, headers: Record<string, string> = {}) => {
    const answer = await fetch(`${fake.url}/etapi/${path}`, {
      method,
      headers: { authorization: TOKEN, 'content-type': 'application/json', ...headers },
      ...(json !== undefined && { body: JSON.stringify(json) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
  };
  return { fake, ask };
}

const TREE = [{ id: 'above1', title: 'A', children: [{ id: 'below1', title: 'B' }] }];

test('a loop is made without a word, and then every search fails', async () => {
  const { ask } = await begin({ notes: TREE });
  expect((await ask('GET', 'notes?search=B')).status).toBe(200);
  expect((await ask('POST', 'branches', { noteId: 'above1', parentNoteId: 'below1' })).status).toBe(201);
  for (const query of ['B', '%23x', 'note.title = A'])
    expect(await ask('GET', `notes?search=${query}`)).toEqual({
      status: 500,
      body: { status: 500, code: 'GENERIC', message: 'Maximum call stack size exceeded' },
    });
});

test('below 0.102 some addresses are not there', async () => {
  const { ask } = await begin({ version: '0.101.3', notes: TREE });
  for (const [method, path] of [
    ['GET', 'notes/history'],
    ['GET', 'notes/above1/revisions'],
    ['GET', 'revisions/x'],
    ['GET', 'revisions/x/content'],
    ['POST', 'notes/above1/undelete'],
    ['GET', 'notes/above1/attachments'],
  ] as const)
    expect(await ask(method, path)).toEqual({
      status: 404,
      body: { message: `Router not found for request ${method} /etapi/${path}` },
    });
  expect((await ask('GET', 'app-info')).body.appVersion).toBe('0.101.3');
});

test('local dates are those of the clock the client tells', async () => {
  const { ask } = await begin();
  const note = { parentNoteId: 'root', title: 'x', type: 'text', content: '' };
  const clock = '2026-01-02 03:04:05.678+0900';
  const { body } = await ask('POST', 'create-note', note, { 'trilium-local-now-datetime': clock });
  expect(body.note.dateCreated).toBe(clock);
  expect(body.note.utcDateCreated).toMatch(/Z$/);
});

test('no token is asked for where it is open', async () => {
  const { fake } = await begin({ isOpen: true });
  expect((await fetch(`${fake.url}/etapi/app-info`)).status).toBe(200);
});

test('ordered by a parameter, titles that look like dates are dates, and always the last comes first', async () => {
  const { ask } = await begin({
    notes: ['alpha roadmap 95', 'zeta roadmap 01', 'beta'].map((title) => ({ title, labels: { x: '' } })),
  });
  for (const direction of ['asc', 'desc']) {
    const { body } = await ask('GET', `notes?search=%23x&orderBy=title&orderDirection=${direction}`);
    const titles = body.results.map(({ title }: { title: string }) => title);
    expect(titles.indexOf('zeta roadmap 01')).toBeLessThan(titles.indexOf('alpha roadmap 95'));
  }
});

test('below the root the depth is ignored, and the root itself is among the results', async () => {
  const { ask } = await begin({ notes: TREE });
  const ids = async (query: string) =>
    (await ask('GET', `notes?${query}&fastSearch=true&includeArchivedNotes=true`)).body.results.map(
      ({ noteId }: { noteId: string }) => noteId,
    );
  const every = 'search=note.noteId+!%3D+%27%27&ancestorDepth=eq1&ancestorNoteId=';
  expect((await ids(`${every}root`)).sort()).toEqual(['_hidden', 'above1', 'below1', 'root']);
  expect(await ids(`${every}above1`)).toEqual(['below1']);
  expect((await ids("search=note.parents.noteId+%3D+'root'")).sort()).toEqual(['_hidden', 'above1']);
});

test('what begins with a bracket is read as words, and a bare # makes it an expression', async () => {
  const { ask } = await begin({
    notes: [
      { id: 'book1', title: 'Tower', labels: { book: '' } },
      { id: 'plain1', title: 'Plain' },
    ],
  });
  const found = async (search: string) =>
    (await ask('GET', `notes?${new URLSearchParams({ search })}`)).body.results
      .map(({ noteId }: { noteId: string }) => noteId)
      .filter((id: string) => id.endsWith('1'));
  expect(await found('(note.title = Tower) or note.title = Plain')).toEqual([]);
  expect(await found('# (note.title = Tower) or note.title = Plain')).toEqual(['plain1', 'book1']);
  expect(await found('not(#book)')).toEqual(['book1']);
  expect(await found('# not(#book)')).toEqual(['plain1']);
  expect(await found('# not #book')).toEqual(['plain1', 'book1']);
  expect(await found('note.title = Plain or #book and note.type = code')).toEqual(['plain1', 'book1']);
});

test('words are looked for in prefixes, other parents and inherited attributes too, and misspelt', async () => {
  const { fake, ask } = await begin({
    notes: [
      {
        id: 'above1',
        title: 'Secret',
        inherited: { topic: 'hidden' },
        children: [{ id: 'top1', title: 'Top', children: [{ id: 'in1', title: 'Delta' }] }],
      },
      { id: 'other1', title: 'Elsewhere' },
    ],
  });
  fake.db.addBranch('in1', 'other1', { prefix: 'private' });
  const found = async (search: string) =>
    (await ask('GET', `notes?${new URLSearchParams({ search, ancestorNoteId: 'top1' })}`)).body.results.map(
      ({ noteId }: { noteId: string }) => noteId,
    );
  for (const words of ['delta secret', 'delta elsewhere', 'private', 'delta idde', 'beta'])
    expect(await found(words), words).toContain('in1');
});

test('the time it tells is that of its start; the Date header is the clock', async () => {
  let now = Date.parse('2026-03-01T10:00:00Z');
  const { fake } = await begin({ now: () => now });
  now += 3_600_000;
  const answer = await fetch(`${fake.url}/etapi/app-info`, { headers: { authorization: TOKEN } });
  expect(await answer.json()).toMatchObject({ utcDateTime: '2026-03-01T10:00:00.000Z' });
  expect(answer.headers.get('date')).toBe('Sun, 01 Mar 2026 11:00:00 GMT');
});

test('a locked note shows ciphertext, and takes neither revision nor attachment', async () => {
  const { fake, ask } = await begin({ notes: [{ id: 'lock1', title: 'Diary', isProtected: true }] });
  const { body } = await ask('GET', 'notes/lock1');
  expect(body.title).toMatch(/^[A-Za-z0-9+/]{43}=$/);
  const attachment = { ownerId: 'lock1', role: 'file', mime: 'text/plain', title: 'x', content: '' };
  expect((await ask('POST', 'attachments', attachment)).status).toBe(500);
  expect((await ask('POST', 'notes/lock1/revision')).status).toBe(500);
  fake.db.addAttachment(attachment, '');
  expect((await ask('GET', 'notes/lock1/attachments')).body[0].title).not.toBe('x');
  await ask('DELETE', 'notes/lock1');
  expect((await ask('POST', 'notes/lock1/undelete')).status).toBe(500);
});

test('every client may rename the root and write to notes of Trilium itself', async () => {
  const { ask } = await begin();
  expect((await ask('PATCH', 'notes/root', { title: 'Mine' })).status).toBe(200);
  expect((await ask('PATCH', 'notes/_options', { title: 'Mine' })).status).toBe(200);
});

test('an attribute without a name is refused, and its note cannot be deleted any more', async () => {
  const { ask } = await begin({ notes: TREE });
  for (const name of ['', ' ', '\t', '\u00a0', '\ufeff']) {
    const refused = await ask('POST', 'attributes', { noteId: 'below1', type: 'label', name, value: '' });
    expect(refused).toMatchObject({ status: 500, body: { code: 'GENERIC' } });
    expect(refused.body.message).toContain('Invalid empty name in attribute');
  }
  expect((await ask('GET', 'notes/below1')).body.attributes).toEqual([]);
  expect(await ask('DELETE', 'notes/below1')).toMatchObject({
    status: 500,
    body: { message: 'NOT NULL constraint failed: entity_changes.entityId' },
  });
});

test.each(['role', 'mime', 'title'])('an attachment without a %s is refused', async (name) => {
  const { ask } = await begin({ notes: TREE });
  const attachment = { ownerId: 'below1', role: 'file', mime: 'text/plain', title: 't', content: 'x' };
  const refused = await ask('POST', 'attachments', { ...attachment, [name]: ' ' });
  expect(refused.body.message).toBe(`'${name}' must be given to initialize a Attachment entity`);
});
