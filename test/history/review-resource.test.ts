/** What a caller hears of decisions: with its next call, after a restart, and by a subscription. */
import { expect, test, vi } from 'vitest';
import { PROPOSALS_URI } from '../../src/app/proposal-resources.ts';
import { type ReviewedNotes, reviewedFolder } from './review-kit.ts';

const soon = (check: () => void) => vi.waitFor(check, { timeout: 10_000, interval: 30 });

async function subscriber(notes: ReviewedNotes, name = 'test', session = 'stdio') {
  const one = await notes.assistant({ name, session });
  let heard = 0;
  one.client.setNotificationHandler('notifications/resources/updated', ({ params }) => {
    if (params.uri === PROPOSALS_URI) heard++;
  });
  await one.client.subscribeResource({ uri: PROPOSALS_URI });
  const read = async () => {
    const { contents } = await one.client.readResource({ uri: PROPOSALS_URI });
    return JSON.parse((contents[0] as { text: string }).text).proposals;
  };
  return { ...one, read, heard: () => heard };
}

test('the resource has the own proposals with their decisions, and says when there is one', async () => {
  const notes = await reviewedFolder({ 'a.md': 'a\n' });
  const { call, client, read, heard } = await subscriber(notes);
  expect((await client.listResources()).resources.map(({ uri }) => uri)).toContain(PROPOSALS_URI);
  expect(await read()).toEqual([]);
  await call('write_note', { path: 'b.md', content: 'b\n' });
  const [{ id, state, notes: edits }] = await read();
  expect([state, edits]).toEqual(['waiting', [{ edit: 'create', path: 'b.md', state: 'waiting' }]]);
  const before = heard();
  await notes.decide({ reject: [0], comment: 'not here' });
  await soon(() => expect(heard()).toBeGreaterThan(before));
  expect(await read()).toMatchObject([
    { id, state: 'rejected', decisions: [{ by: 'alex', outcome: 'rejected', comment: 'not here' }] },
  ]);
  const other = await subscriber(notes, 'another program', 's2');
  expect(await other.read()).toEqual([]);
});

test('a decision of another process is noticed while somebody is subscribed', async () => {
  const notes = await reviewedFolder({ 'a.md': 'a\n' });
  const { call, client, heard } = await subscriber(notes);
  await call('write_note', { path: 'b.md', content: 'b\n' });
  await soon(() => expect(heard()).toBe(1));
  await (await notes.again()).decide();
  await soon(() => expect(heard()).toBe(2));
  await client.unsubscribeResource({ uri: PROPOSALS_URI });
});

test('what was decided after a restart, or meanwhile, is told once, to the same program only', async () => {
  const notes = await reviewedFolder({ 'a.md': 'a\n' });
  const first = await notes.assistant();
  await first.call('write_note', { path: 'b.md', content: 'b\n' });
  await first.call('write_note', { path: 'c.md', content: 'c\n' });
  const restarted = await notes.again();
  const stranger = await restarted.assistant({ name: 'another program', session: 'x' });
  const same = await restarted.assistant({ session: 'later' });
  // What still waits is not shown to a new session as the notes' text.
  expect((await same.call('read_note', { path: 'b.md' })).isError).toBe(true);
  await restarted.decide({ reject: [0], comment: 'no' });
  expect((await stranger.call('read_note', { path: 'a.md' })).text).not.toContain('proposal');
  expect((await same.call('read_note', { path: 'a.md' })).text).toContain('rejected by alex, who says: no');
  expect((await same.call('read_note', { path: 'a.md' })).text).not.toContain('proposal');
  const third = await (await notes.again()).assistant();
  expect((await third.call('read_note', { path: 'a.md' })).text).not.toContain('proposal');
});

test('many calls of one session at once all read the notes as it proposed them', async () => {
  const notes = await reviewedFolder({ 'a.md': 'a\n' });
  const { call } = await notes.assistant();
  for (const n of [1, 2, 3]) await call('write_note', { path: `n${n}.md`, content: `${n}\n` });
  const [newest] = await notes.waiting();
  await notes.decide({ reject: [0] }, newest!.id);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => call('read_note', { path: `n${(n % 2) + 1}.md` })),
  );
  expect(answers.map(({ isError }) => isError)).toEqual(Array(12).fill(false));
  expect(answers.filter(({ text }) => text.includes('was rejected by alex'))).toHaveLength(1);
  expect((await call('read_note', { path: 'n3.md' })).isError).toBe(true);
});
