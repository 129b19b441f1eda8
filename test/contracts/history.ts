/** What every history promises, wherever it is kept. */
import { expect, test } from 'vitest';
import type { Change } from '../../src/history/change.ts';
import type { History, HistoryOptions } from '../../src/history/history.ts';
import { hashOf } from '../../src/history/text-pack.ts';
import { inspectorOf } from '../../src/stores/wrap/recorded.ts';
import { bytes, changing, ORIGIN, openFolder, path, record, undoing } from '../history/kit.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';

const DAY_MS = 86_400_000;

export type ContractOptions = Partial<Pick<HistoryOptions, 'days' | 'maxBytes' | 'now'>>;

/** A place that several histories share. */
export interface HistoryPlaceUnderTest {
  open(options?: ContractOptions): History;
  /** The same place when the processes that use it now have crashed, and a while has passed. */
  afterCrash(): Promise<HistoryPlaceUnderTest>;
  /** Once more that while. */
  later(): void;
}

export function testHistoryContract(newPlace: () => Promise<HistoryPlaceUnderTest>): void {
  test('changes are filtered by path, folder, author, tool, notebook, time, session and group', async () => {
    let now = 1_000_000;
    const history = (await newPlace()).open({ now: () => now });
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
    const history = (await newPlace()).open({ now: () => now });
    const groupOf = async (session: string) =>
      (await history.change(await record(history, 'n.md', { after: bytes('x') }, { by: { session } })))!
        .group;
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
    const history = (await newPlace()).open();
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
    const history = (await newPlace()).open({ now: () => now });
    const made: string[] = [];
    for (let n = 0; n < 30; n++) {
      if (n === 15) now -= 3_600_000;
      made.push(await record(history, 'n.md', { after: bytes(`${n}`) }));
    }
    expect((await history.list({}, 50)).map(({ id }) => id)).toEqual(made.toReversed());
  });

  test('a move with its links is one change, found by every path it touched, and whole each time', async () => {
    const history = (await newPlace()).open();
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
    const history = (await newPlace()).open();
    const recorder = history.record(ORIGIN);
    await (await recorder.begin({ kind: 'write', path: 'a.md' }, { after: bytes('x') })).failed();
    expect(await history.list()).toEqual([]);
    expect(await history.change(recorder.id!)).toBeUndefined();
  });

  test('a change says that it was undone, in every listing, until the undoing is undone', async () => {
    const history = (await newPlace()).open();
    const change = await record(history, 'a.md', { after: bytes('x') });
    const undo = (undoes: string[]) =>
      record(history, 'b.md', { after: bytes('y') }, { tool: 'undo', undoes });
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

  test('several histories of one place see the changes of each other', async () => {
    const place = await newPlace();
    const histories = [place.open(), place.open(), place.open()];
    const ids = await Promise.all(
      histories.flatMap((history, n) =>
        [1, 2, 3, 4].map((m) => record(history, `${n}/${m}.md`, { after: bytes(`${n}${m}`) })),
      ),
    );
    for (const history of histories) {
      expect(new Set((await history.list()).map(({ id }) => id))).toEqual(new Set(ids));
      for (const id of ids) expect(await history.change(id)).toMatchObject({ id });
      expect(await history.text(hashOf(bytes('23')))).toEqual(bytes('23'));
    }
  });

  test('its mark changes with every change, of any process, and with nothing else', async () => {
    const place = await newPlace();
    const [one, other] = [place.open(), place.open()];
    const marks = [await one.mark()];
    for (const history of [one, other, one]) {
      await record(history, 'a.md', { after: bytes(`${marks.length}`) });
      marks.push(await one.mark());
      expect(await other.mark()).toBe(marks.at(-1));
    }
    expect(new Set(marks).size).toBe(4);
  });

  test('old changes go after their days; a text that a newer change names survives', async () => {
    let now = Date.UTC(2026, 0, 1);
    const place = await newPlace();
    const history = place.open({ days: 10, now: () => now });
    const old = await record(history, 'a.md', { before: bytes('first'), after: bytes('second') });
    now += 9 * DAY_MS;
    const newer = await record(history, 'a.md', { before: bytes('second'), after: bytes('third') });
    await history.prune();
    expect(await history.change(old)).toBeDefined();
    now += 3 * DAY_MS;
    await history.prune();
    expect(await history.change(old)).toBeUndefined();
    expect(await history.change(newer)).toBeDefined();
    expect(await history.text(hashOf(bytes('first')))).toBeUndefined();
    expect(await history.text(hashOf(bytes('second')))).toEqual(bytes('second'));
    expect(await history.text(hashOf(bytes('third')))).toEqual(bytes('third'));
    // Also for a history that has never seen the segment it is in now.
    await history.close();
    const other = place.open({ days: 10, now: () => now });
    expect(await other.text(hashOf(bytes('second')))).toEqual(bytes('second'));
    now += 30 * DAY_MS;
    await other.prune();
    expect(await other.list()).toEqual([]);
    expect(await other.text(hashOf(bytes('third')))).toBeUndefined();
  });

  test('undoing a change whose text is gone says so and changes nothing', async () => {
    let now = Date.UTC(2026, 0, 1);
    const [notes, place] = [await temporaryFolder({ 'a.md': 'second' }), await newPlace()];
    const history = place.open({ days: 10, now: () => now });
    const id = await record(history, 'a.md', { before: bytes('first'), after: bytes('second') });
    const change = (await history.change(id))!;
    now += 20 * DAY_MS;
    await history.close();
    await history.prune();
    const { steps, conflicts } = await undoing(history, await openFolder(notes), [change]);
    expect(steps).toEqual([]);
    expect(conflicts).toMatchObject([
      { path: 'a.md', reason: 'Its text before the change is no longer kept.' },
    ]);
    expect(await fileText(notes, 'a.md')).toBe('second');
  });

  test('a note that cannot be read now is tried again later', async () => {
    const place = await newPlace();
    const crashed = place.open();
    const recorder = crashed.record(ORIGIN);
    const texts = { before: bytes('old'), after: bytes('new') };
    const edit = await recorder.begin({ kind: 'write', path: 'a.md' }, texts);
    const after = await place.afterCrash();
    const history = after.open();
    await edit.unsettled();
    await history.recover(async () => {
      throw new Error('the server is down');
    });
    expect((await history.change(recorder.id!))?.edits[0]?.state).toBe('open');
    after.later();
    await history.recover(async () => 'done');
    expect((await history.change(recorder.id!))?.edits[0]?.state).toBe('done');
    after.later();
    await history.recover(async () => 'failed');
    expect((await history.change(recorder.id!))?.edits[0]?.state).toBe('done');
  });

  test('an edit of which its process did not know is settled too, although that one ended in order', async () => {
    const place = await newPlace();
    const first = place.open();
    const recorder = first.record(ORIGIN);
    const edit = await recorder.begin({ kind: 'create', path: 'a.md' }, { after: bytes('new') });
    await edit.unsettled();
    await first.close();
    const history = place.open();
    await history.recover(async () => 'done');
    expect((await history.change(recorder.id!))?.edits[0]?.state).toBe('done');
    expect(await history.text(hashOf(bytes('new')))).toEqual(bytes('new'));
  });

  test('an edit that a crashed process had made is settled as made, and can be undone', async () => {
    const notes = await temporaryFolder({ 'a.md': 'old' });
    const [store, place] = [await openFolder(notes), await newPlace()];
    const crashed = place.open().record(ORIGIN);
    const texts = { before: bytes('old'), after: bytes('new') };
    const made = await crashed.begin({ kind: 'write', path: 'a.md' }, texts);
    const failed = place.open().record(ORIGIN);
    const notMade = await failed.begin({ kind: 'create', path: 'b.md' }, { after: bytes('b') });
    await putFile(notes, 'a.md', 'new');
    const history = (await place.afterCrash()).open();
    for (const edit of [made, notMade]) await edit.unsettled();
    expect((await history.list()).map(({ edits }) => edits[0]?.state)).toEqual(['open', 'open']);
    await history.recover(inspectorOf(store));
    expect(await history.change(failed.id!)).toBeUndefined();
    const change = (await history.change(crashed.id!)) as Change;
    expect(change.edits[0]?.state).toBe('done');
    expect((await undoing(history, store, [change])).conflicts).toEqual([]);
    expect(await fileText(notes, 'a.md')).toBe('old');
  });

  test('changes made through one history are undone through another, and the undoing through a third', async () => {
    const notes = await temporaryFolder({ 'a.md': 'one' });
    const [store, place] = [await openFolder(notes), await newPlace()];
    const [first, second, third] = [place.open(), place.open(), place.open()];
    const change = await changing(first, store, async (recorded) => {
      await recorded.write(path('a.md'), 'two');
      await recorded.write(path('new/b.md'), 'b');
      await recorded.remove(path('a.md'));
    });
    expect(change.edits.map(({ kind, state }) => [kind, state])).toEqual([
      ['write', 'done'],
      ['create', 'done'],
      ['delete', 'done'],
    ]);
    const undone = await undoing(second, store, [(await second.change(change.id))!]);
    expect(undone.conflicts).toEqual([]);
    expect(await fileText(notes, 'a.md')).toBe('one');
    expect((await third.change(change.id))?.undoneBy).toBe(undone.id);
    expect((await undoing(third, store, [(await third.change(undone.id!))!])).conflicts).toEqual([]);
    expect((await first.change(change.id))?.undoneBy).toBeUndefined();
    expect((await store.list()).map((note) => note.path)).not.toContain('a.md');
  });

  test('edits of one change that begin at the same time are one change, and each text is kept', async () => {
    const history = (await newPlace()).open();
    const recorder = history.record(ORIGIN);
    const begun = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        recorder.begin({ kind: 'create', path: `${n}.md`, title: 'a\0b' }, { after: bytes(`${n}`) }),
      ),
    );
    await Promise.all(begun.map((edit) => edit.done()));
    const [change, ...others] = await history.list();
    expect(others).toEqual([]);
    expect(change!.edits).toHaveLength(20);
    for (const { after } of change!.edits) expect(await history.text(after!)).toBeDefined();
  });
}
