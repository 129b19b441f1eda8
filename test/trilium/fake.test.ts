/** What the fake does that no recording shows, as section 5 of the measured contract has it. */
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

test('nobody is asked for a token where it is open', async () => {
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
