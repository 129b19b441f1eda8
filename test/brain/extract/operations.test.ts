import { describe, expect, it } from 'vitest';
import { extractDecisions, extractMeeting } from '../../../src/brain/extract/ops/extract.ts';
import { createLoopCache } from '../../../src/brain/extract/ops/library-scan.ts';
import { type OpenLoopsRequest, openLoops } from '../../../src/brain/extract/ops/open-loops.ts';
import type { Library } from '../../../src/brain/types.ts';
import { scopeOf } from '../../../src/surfaces/brain/parameters.ts';
import { createLibrary } from './library-kit.ts';

const NOW = Date.parse('2026-11-16T12:00:00Z');
const NOTES = {
  'a.md': '- [ ] late 📅 2026-11-01\n- [ ] later 📅 2026-12-01\n- [x] done\n- [ ] urgent ⏫\n',
  'b/b.md': '- [ ] @ana plain\nTODO: marked\nQ: why?\n',
  'b/old.md': '- [ ] old ➕ 2020-01-01\n',
};
const ask = (library: Library, request: OpenLoopsRequest = {}, cache = createLoopCache()) =>
  openLoops(library, request, { now: NOW, cache });
const texts = async (library: Library, request: OpenLoopsRequest = {}) =>
  (await ask(library, request)).loops.map(({ text }) => text);

describe('open loops of a library', () => {
  it('come overdue first, then by due day, priority and age', async () => {
    const { loops, counts } = await ask(createLibrary(NOTES));
    expect(loops.map(({ text }) => text).slice(0, 4)).toEqual(['late', 'later', 'urgent', 'old']);
    expect(loops[0]).toMatchObject({ overdue: true });
    expect(loops[3]).toMatchObject({ overdue: false, ageDays: 2511 });
    expect(counts).toMatchObject({
      overdue: 1,
      total: 7,
      byKind: { task: 5, todo: 1, question: 1, follow_up: 0 },
    });
  });

  it('are narrowed by scope, kind, owner, due day and status', async () => {
    const library = createLibrary(NOTES);
    expect(await texts(library, { scope: { pathPrefix: 'b/' }, kinds: ['todo', 'question'] })).toHaveLength(
      2,
    );
    expect(await texts(library, { owner: '@Ana' })).toEqual(['@ana plain']);
    expect(await texts(library, { dueBefore: '2026-12-01' })).toEqual(['late']);
    expect(await texts(library, { status: 'done' })).toEqual(['done']);
    expect(await texts(library, { status: 'all' })).toHaveLength(8);
  });

  it('are paged by a cursor that needs nothing of the server, with counts over all', async () => {
    const library = createLibrary(NOTES);
    const whole = await texts(library);
    const seen: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < 10; page++) {
      const answer = await ask(library, { limit: 3, ...(cursor !== undefined && { cursor }) });
      expect(answer.counts.total).toBe(7);
      seen.push(...answer.loops.map(({ text }) => text));
      cursor = answer.nextCursor;
      if (cursor === undefined) break;
    }
    expect(seen).toEqual(whole);
  });

  it('refuse a cursor that is not theirs, and say what to do', async () => {
    const library = createLibrary(NOTES);
    const { nextCursor = '' } = await ask(library, { limit: 1 });
    await expect(ask(library, { limit: 1, owner: 'ana', cursor: nextCursor })).rejects.toMatchObject({
      code: 'invalid_input',
      subject: 'it belongs to a call with other filters',
      hint: expect.stringContaining('Leave cursor out'),
    });
    for (const cursor of ['', 'nonsense', 'bnVsbA', `${nextCursor}x`.repeat(500)])
      await expect(ask(library, { cursor })).rejects.toMatchObject({ title: 'Invalid cursor' });
  });

  it.each([
    [{ limit: 0 }, 'limit is 0'],
    [{ limit: 1.5 }, 'limit is 1.5'],
    [{ dueBefore: 'soon' }, 'due_before is "soon"'],
    [{ dueBefore: '2026-02-30' }, 'due_before is "2026-02-30"'],
    [{ kinds: ['chore'] }, 'kinds holds "chore"'],
  ])('refuse %j', async (request, subject) => {
    await expect(ask(createLibrary({}), request as OpenLoopsRequest)).rejects.toMatchObject({ subject });
  });

  it('are read again only from notes that changed', async () => {
    const library = createLibrary(NOTES);
    const cache = createLoopCache();
    await ask(library, {}, cache);
    expect(library.reads()).toBe(3);
    await ask(library, {}, cache);
    await ask(library, { scope: { pathPrefix: 'b/' } }, cache);
    expect(library.reads()).toBe(3);
    library.put('a.md', '- [ ] new\n', NOW);
    library.remove('b/old.md');
    const { loops } = await ask(library, { scope: scopeOf(undefined) }, cache);
    expect(library.reads()).toBe(4);
    expect(loops.map(({ text }) => text)).toContain('new');
    expect(cache.counts()).toEqual({ notes: 2, loops: 4 });
  });

  it('are remembered within bounds only', async () => {
    const notes = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`${index}.md`, '- [ ] a\n- [ ] b\n']),
    );
    const library = createLibrary(notes);
    const cache = createLoopCache({ notes: 100, loops: 10 });
    expect((await ask(library, {}, cache)).counts.total).toBe(40);
    expect(cache.counts()).toEqual({ notes: 5, loops: 10 });
    expect((await ask(library, {}, cache)).counts.total).toBe(40);
    expect(library.reads()).toBe(35);
  });

  it('pass over a note that went away, and say so; another failure is thrown', async () => {
    const library = createLibrary(NOTES);
    const notes = await library.notes({});
    library.remove('a.md');
    const answer = await ask({ ...library, notes: async () => notes });
    expect(answer.counts.total).toBe(4);
    expect(answer.warnings).toEqual(['1 notes could not be read as text and were skipped.']);
    const broken = { ...library, read: () => Promise.reject(new Error('disk')) };
    await expect(ask(broken)).rejects.toThrow('disk');
  });

  it('report progress, end when they are cancelled, and yield to other work', async () => {
    const notes = Object.fromEntries(
      Array.from({ length: 300 }, (_, index) => [
        `${index}.md`,
        '- [ ] a by Friday\nWe decided to go.\n'.repeat(20),
      ]),
    );
    const library = createLibrary({ ...notes, 'huge.md': '- [ ] one more by Friday\n'.repeat(7_000) });
    const progress: number[] = [];
    let turns = 0;
    const timer = setInterval(() => turns++, 1);
    await openLoops(
      library,
      {},
      { now: NOW, cache: createLoopCache(), options: { onProgress: (done) => progress.push(done) } },
    );
    clearInterval(timer);
    expect(progress[0]).toBe(0);
    expect(progress.at(-1)).toBe(301);
    expect(turns).toBeGreaterThan(10);
    const controller = new AbortController();
    const asked = openLoops(
      library,
      {},
      {
        now: NOW,
        cache: createLoopCache(),
        options: {
          signal: controller.signal,
          onProgress: (done) => done > 0 && controller.abort(new Error('gone')),
        },
      },
    );
    await expect(asked).rejects.toThrow('gone');
  });
});

describe('decisions', () => {
  const library = createLibrary({
    'a.md': '# A 2026-05-01\n\nWe decided to go.\n',
    'b.md': 'DECISION: stay\n',
  });
  const retrieve = async (_query: string, limit: number) =>
    Promise.all(['a.md', 'b.md'].slice(0, limit).map((path) => library.read(path)));

  it('come from a text, a note or what answers a query', async () => {
    const found = async (request: object) =>
      (await extractDecisions(request, { library, retrieve })).decisions.map(({ decision }) => decision);
    expect(await found({ text: 'Agreed: tea' })).toEqual(['tea']);
    expect(await found({ sourcePath: 'a.md' })).toEqual(['We decided to go.']);
    expect(await found({ query: 'go' })).toEqual(['We decided to go.', 'stay']);
    expect(await found({ query: 'go', since: '2026-06-01' })).toEqual(['stay']);
    expect(await found({ query: 'go', limit: 1 })).toEqual(['We decided to go.']);
  });

  it('need exactly one of the three', async () => {
    const refused = { code: 'invalid_input', hint: 'Give exactly one of text, source_path, query.' };
    await expect(extractDecisions({}, { library, retrieve })).rejects.toMatchObject(refused);
    await expect(extractDecisions({ text: 'a', query: 'b' }, { library, retrieve })).rejects.toMatchObject(
      refused,
    );
    await expect(extractDecisions({ sourcePath: 'no.md' }, { library, retrieve })).rejects.toMatchObject({
      code: 'not_found',
    });
    await expect(extractDecisions({ text: 'a', since: 'May' }, { library, retrieve })).rejects.toMatchObject({
      subject: 'since is "May"',
    });
    await expect(
      extractDecisions({ text: 'a'.repeat(2_000_000) }, { library, retrieve }),
    ).rejects.toMatchObject({ reason: 'too_large' });
  });
});

describe('a meeting', () => {
  it('comes from a text or a note, with dates as they are asked for', async () => {
    const library = createLibrary({
      'm.md': 'Attendees: Ana\n\n- [ ] Ana: call by 3/12/2026\n- [ ] Ana: go by Friday\n',
    });
    const due = async (request: object) =>
      (await extractMeeting({ sourcePath: 'm.md', ...request }, { library })).actionItems.map(
        ({ due: day }) => day,
      );
    expect(await due({})).toEqual(['2026-03-12', '2026-11-20']);
    expect(await due({ dates: 'dmy', referenceDate: '2026-01-05' })).toEqual(['2026-12-03', '2026-01-09']);
    const { actionItems } = await extractMeeting({ text: '- [ ] go by Friday' }, { library });
    expect(actionItems).toMatchObject([{ dueText: 'by Friday' }]);
    expect(actionItems[0]?.due).toBeUndefined();
    await expect(extractMeeting({}, { library })).rejects.toMatchObject({ code: 'invalid_input' });
    await expect(extractMeeting({ text: '', referenceDate: 'now' }, { library })).rejects.toMatchObject({
      subject: 'reference_date is "now"',
    });
  });
});
