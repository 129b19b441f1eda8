import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { beginLine, ChangeLog, Changes, endLine } from '../../src/history/change-log.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { bytes, filesOf, historyIn, ORIGIN, record } from './kit.ts';

test('changes are filtered by path, folder, author, tool, notebook, time, session and group', async () => {
  let now = 1_000_000;
  const history = historyIn(await temporaryFolder(), { now: () => now });
  const text = { after: bytes('x') };
  const first = await record(history, 'a/one.md', text);
  now += 10;
  const second = await record(history, 'a/b/two.md', text, {
    tool: 'patch_note',
    notebook: 'work',
    by: { client: 'Cursor 3', session: 's2', principal: 'alex' },
  });
  now += 3_600_000;
  const third = await record(history, 'ab.md', text);
  const ids = async (filter: object) => (await history.list(filter)).map(({ id }) => id);
  expect(await ids({})).toEqual([third, second, first]);
  expect(await ids({ path: 'a/one.md' })).toEqual([first]);
  expect(await ids({ path: 'a' })).toEqual([]);
  expect(await ids({ under: 'a' })).toEqual([second, first]);
  expect(await ids({ under: 'a/b' })).toEqual([second]);
  expect(await ids({ client: 'cursor' })).toEqual([second]);
  expect(await ids({ principal: 'alex' })).toEqual([second]);
  expect(await ids({ tool: 'patch_note' })).toEqual([second]);
  expect(await ids({ notebook: 'work' })).toEqual([second]);
  expect(await ids({ session: 's1' })).toEqual([third, first]);
  expect(await ids({ since: 1_000_010 })).toEqual([third, second]);
  expect(await ids({ until: 1_000_010 })).toEqual([second, first]);
  expect(await ids({ since: 1_000_010, until: 1_000_010, under: 'a' })).toEqual([second]);
  const group = (await history.change(first))?.group;
  // The session paused for an hour, so the third change is of another group.
  expect(await ids({ group })).toEqual([first]);
  expect(await history.change('0000000000000000')).toBeUndefined();
  expect(await history.change('../../etc/passwd')).toBeUndefined();
  expect((await history.change(second))?.by).toEqual({
    client: 'Cursor 3',
    session: 's2',
    principal: 'alex',
  });
});

test('calls of one session within a while are one group, whatever other sessions do meanwhile', async () => {
  let now = 1_000_000;
  const history = historyIn(await temporaryFolder(), { now: () => now });
  const groupOf = async (session: string) =>
    (await history.change(await record(history, 'n.md', { after: bytes('x') }, { by: { session } })))!.group;
  const a = await groupOf('a');
  const b = await groupOf('b');
  now += 29 * 60_000;
  expect(await groupOf('a')).toBe(a);
  now += 29 * 60_000;
  expect(await groupOf('a')).toBe(a);
  expect(await groupOf('b')).not.toBe(b);
  expect(a).not.toBe(b);
});

test('pages of a listing follow each other without gaps and repetitions', async () => {
  const history = historyIn(await temporaryFolder(), { segmentBytes: 2_000 });
  const made: string[] = [];
  for (let n = 0; n < 57; n++) made.push(await record(history, `n${n % 3}.md`, { after: bytes(`${n}`) }));
  for (const filter of [{}, { path: 'n1.md' }]) {
    const seen: string[] = [];
    for (let before: string | undefined; ; before = seen.at(-1)) {
      const page = await history.list({ ...filter, before }, 10);
      expect(page.length).toBeLessThanOrEqual(10);
      if (page.length === 0) break;
      seen.push(...page.map(({ id }) => id));
    }
    const expected = 'path' in filter ? made.filter((_, n) => n % 3 === 1) : made;
    expect(seen).toEqual(expected.toReversed());
  }
});

test('a clock that stands still or goes back does not mix up the order', async () => {
  let now = 5_000_000;
  const history = historyIn(await temporaryFolder(), { now: () => now });
  const made: string[] = [];
  for (let n = 0; n < 30; n++) {
    if (n === 15) now -= 3_600_000;
    made.push(await record(history, 'n.md', { after: bytes(`${n}`) }));
  }
  expect((await history.list({}, 50)).map(({ id }) => id)).toEqual(made.toReversed());
});

test('a move with its links is one change, found by every path it touched, and whole each time', async () => {
  const history = historyIn(await temporaryFolder(), { segmentBytes: 3_000 });
  const recorder = history.record({ ...ORIGIN, tool: 'move_note' });
  const moving = await recorder.begin({ kind: 'move', path: 'old.md', to: 'new.md' }, {});
  await moving.done({ trashedTo: '.trash/new.md' });
  for (let n = 0; n < 40; n++) {
    // Others write meanwhile, and segments are filled.
    await record(history, `other ${n}.md`, { after: bytes(`${n}`.repeat(100)) });
    const edit = await recorder.begin(
      { kind: 'write', path: `link ${n}.md` },
      { before: bytes('a'), after: bytes('b') },
    );
    await (n === 7 ? edit.failed() : edit.done());
  }
  for (const path of ['old.md', 'new.md', 'link 0.md', 'link 39.md']) {
    const found = await history.list({ path });
    expect(found.map(({ id }) => id)).toEqual([recorder.id]);
    expect(found[0]!.edits.map((edit) => edit.path)).toEqual(
      ['old.md', ...Array.from({ length: 40 }, (_, n) => `link ${n}.md`)].filter((p) => p !== 'link 7.md'),
    );
    expect(found[0]!.edits[0]).toMatchObject({ state: 'done', trashedTo: '.trash/new.md', to: 'new.md' });
  }
  expect(await history.list({ path: 'link 7.md' })).toHaveLength(1);
  const [newest] = await history.list({}, 1);
  const [again] = await history.list({ tool: 'move_note' }, 1);
  expect(newest!.id).not.toBe(again!.id);
  expect(again!.edits).toHaveLength(40);
  expect(
    (await history.list({ before: newest!.id }, 100)).find(({ id }) => id === again!.id)?.edits,
  ).toHaveLength(40);
});

test('a change that was refused by the store is not in the record', async () => {
  const history = historyIn(await temporaryFolder());
  const recorder = history.record(ORIGIN);
  await (await recorder.begin({ kind: 'write', path: 'a.md' }, { after: bytes('x') })).failed();
  expect(await history.list()).toEqual([]);
  expect(await history.change(recorder.id!)).toBeUndefined();
});

test('a change says that it was undone, in every listing, until the undoing is undone', async () => {
  const history = historyIn(await temporaryFolder());
  const change = await record(history, 'a.md', { after: bytes('x') });
  const undo = (undoes: string[]) => record(history, 'b.md', { after: bytes('y') }, { tool: 'undo', undoes });
  const undoneBy = async () => [
    (await history.change(change))?.undoneBy,
    (await history.list({ path: 'a.md' }))[0]?.undoneBy,
    (await history.list({ tool: 'write_note' }))[0]?.undoneBy,
  ];
  const refused = history.record({ ...ORIGIN, undoes: [change] });
  await (await refused.begin({ kind: 'write', path: 'b.md' }, {})).failed();
  expect(await undoneBy()).toEqual([undefined, undefined, undefined]);
  const first = await undo([change]);
  expect(await undoneBy()).toEqual([first, first, first]);
  const second = await undo([first]);
  expect((await history.change(first))?.undoneBy).toBe(second);
  expect(await undoneBy()).toEqual([undefined, undefined, undefined]);
  const third = await undo([second]);
  expect(await undoneBy()).toEqual([first, first, first]);
  expect((await history.change(third))?.undoes).toEqual([second]);
});

test('what a change undoes is written once, however many notes it edits', async () => {
  const folder = await temporaryFolder();
  const history = historyIn(folder);
  const undoes = Array.from({ length: 500 }, (_, n) => `${n}`.padStart(16, '0'));
  const recorder = history.record({ ...ORIGIN, undoes });
  for (let n = 0; n < 500; n++)
    await (await recorder.begin({ kind: 'write', path: `${n}.md` }, { after: bytes('x') })).done();
  expect((await readFile(filesOf(folder, '.changes')[0]!)).length).toBeLessThan(200_000);
  const [found] = await history.list({ path: '0.md' });
  expect(found).toMatchObject({ undoes });
  expect(found!.edits).toHaveLength(500);
});

test('damaged lines and a torn last line cost only themselves', async () => {
  const folder = await temporaryFolder();
  const writer = historyIn(folder);
  const made: string[] = [];
  for (const name of ['a', 'b', 'c']) made.push(await record(writer, `${name}.md`, { after: bytes(name) }));
  await writer.close();
  const file = filesOf(folder, '.changes')[0]!;
  const lines = (await readFile(file, 'utf8')).split('\n');
  const damage = [
    'null',
    '7',
    '[]',
    '"x"',
    '{}',
    '{"id":1}',
    '{"id":"x"}',
    '{"end":{}}',
    '\u0000\u0000',
    '{"id":"',
  ];
  await writeFile(
    file,
    [...lines.slice(0, 2), ...damage, `${lines[2]!.slice(0, 40)}`, ...lines.slice(3)].join('\n'),
  );
  await appendFile(file, lines[0]!.slice(0, 60));
  const history = historyIn(folder);
  expect((await history.list()).map(({ id }) => id)).toEqual([made[2], made[0]]);
  expect((await history.list({ path: 'a.md' })).map(({ id }) => id)).toEqual([made[0]]);
  expect(await history.list({ under: 'x' })).toEqual([]);
  // Goes on behind the last whole line.
  const fourth = await record(history, 'd.md', { after: bytes('d') });
  expect((await history.list()).map(({ id }) => id)).toEqual([fourth, made[2], made[0]]);
  await history.recover(async () => 'unknown');
  await history.prune();
});

test('no text in a path or a name can pass for a line of another change', () => {
  const head = { ...ORIGIN, id: 'a'.repeat(16), group: 'g', at: 1 };
  const evil = `"path":"b.md"},"x":{"id":"${'b'.repeat(16)}"\n{"end":"${'a'.repeat(16)}","n":0,"state":"failed"}`;
  const log = new ChangeLog(
    Buffer.concat([
      beginLine({ ...head, by: { client: evil } }, { n: 0 }, { kind: 'create', path: evil, title: evil }),
      endLine(head.id, 0, 'done', { trashedTo: evil }),
    ]),
  );
  for (const filter of [{ path: 'b.md' }, { ids: new Set(['b'.repeat(16)]) }, { under: 'b.md' }]) {
    const found = new Changes();
    log.collect(filter, 10, found);
    expect(found.list()).toEqual([]);
  }
  const found = new Changes();
  log.collect({ path: evil }, 10, found);
  expect(found.list()).toMatchObject([
    { id: head.id, edits: [{ path: evil, state: 'done', trashedTo: evil }] },
  ]);
});

test('100,000 changes are listed by path quickly', async () => {
  const hash = 'h'.repeat(32);
  const lines: Buffer[] = [];
  for (let n = 0; n < 100_000; n++) {
    const id = n.toString(32).padStart(16, '0');
    const edit = {
      kind: 'write',
      path: `folder ${n % 97}/note ${n % 4_001}.md`,
      before: hash,
      after: hash,
    } as const;
    lines.push(beginLine({ ...ORIGIN, id, group: `g${id}`, at: n }, { n: 0 }, edit), endLine(id, 0, 'done'));
  }
  const log = new ChangeLog(Buffer.concat(lines));
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    const begun = performance.now();
    const found = new Changes();
    log.collect({ path: 'folder 7/note 7.md' }, 50, found);
    expect(found.list().length).toBeGreaterThan(0);
    times.push(performance.now() - begun);
  }
  // Far more than it takes, for a busy machine.
  expect(Math.min(...times)).toBeLessThan(200);
});
