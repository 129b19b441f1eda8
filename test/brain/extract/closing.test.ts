/** Loops that their own words say are over. */
import { describe, expect, it } from 'vitest';
import { meetingIn } from '../../../src/brain/extract/ops/extract.ts';
import { createLoopCache } from '../../../src/brain/extract/ops/library-scan.ts';
import { openLoops } from '../../../src/brain/extract/ops/open-loops.ts';
import { openLoopsIn } from '../../kit/extract.ts';
import { createLibrary } from './library-kit.ts';

const found = async (text: string) =>
  (await openLoopsIn(text, { sourcePath: 'Garden.md' })).map((loop) => [loop.status, loop.text]);

describe('an open loop', () => {
  it.each([
    '- [ ] ~~water the ferns~~',
    '- [ ] ~~water the ferns~~ #garden',
    '- ~~TODO: water the ferns~~',
    'TODO: ~~water the ferns~~',
    '- ~~water the ferns~~ #todo',
    'TODO water the ferns (done)',
    'TODO: water the ferns (done 2026-11-02)',
    'TODO: water the ferns – done.',
    'TODO(done): water the ferns',
    'TODO: DONE water the ferns',
    'TODO water the ferns DONE',
    'TODO water the ferns ✅',
    '- TODO: water the ferns ✔️',
    '- DONE water the ferns',
    '- [ ] water the ferns (done) 📅 2026-11-20',
    '- [ ] water the ferns ✅ #garden',
    '✅ TODO: water the ferns',
    'TODO: water the ferns (✓)',
    'TODO: water the ferns [done]',
    'TODO: water the ferns (already done)',
    'TODO: water the ferns (schon erledigt)',
    '- [ ] water the ferns #done',
    'TODO: water the ferns (erledigt)',
    'TODO: water the ferns (erledigt am 2.11.)',
    'À faire : water the ferns (fait)',
    'Pendiente: water the ferns (hecho)',
    'WAITING FOR: water the ferns (received)',
    'Warten auf: water the ferns (erhalten)',
    '| Action | Owner |\n| --- | --- |\n| ~~water the ferns~~ | Ana |',
  ])('is done: %s', async (text) => {
    const [loop, ...others] = await found(text);
    expect(loop?.[0]).toBe('done');
    expect(loop?.[1]).toMatch(/^water the ferns(?: #\w+)?$/);
    expect(others).toEqual([]);
  });

  it.each([
    '- [ ] water the ferns (cancelled)',
    'TODO: water the ferns (entfällt)',
    'TODO: water the ferns – annulé',
  ])('is cancelled: %s', async (text) => {
    expect(await found(text)).toEqual([['cancelled', 'water the ferns']]);
  });

  it.each([
    'TODO: get the report done',
    'TODO: tell Mina that we are done',
    'TODO: move the card to DONE',
    'TODO: Finished goods have to be counted',
    '- [ ] paint the fence until it is done',
    '- [ ] to be done by Mina (not done)',
    '- [ ] order ~~ten~~ twelve chairs',
    '- [ ] water the ferns (done by Friday?)',
  ])('stays open: %s', async (text) => {
    expect((await found(text)).map(([status]) => status)).toEqual(['open']);
  });
});

describe('the list of open loops', () => {
  const library = createLibrary({
    'a.md': '- [>] moved on\n- [-] given up\n- [ ] ~~struck~~\n- LATER learn the song\n- [/] begun\n',
  });
  const list = async (status: 'open' | 'done') =>
    (await openLoops(library, { status }, { now: Date.parse('2026-11-16'), cache: createLoopCache() })).loops
      .map(({ text }) => text)
      .sort();

  it('leaves out what was moved on, cancelled or struck through', async () => {
    expect(await list('open')).toEqual(['begun', 'learn the song']);
    expect(await list('done')).toEqual(['given up', 'moved on', 'struck']);
  });
});

describe('an action item of a meeting', () => {
  it('is done when it says so', async () => {
    const text =
      '# Meeting\n\n## Actions\n\n- ~~Send the plan~~\n- Book the hall (done)\n- [ ] ~~Call the baker~~\n- Order tea ✅\n- Buy bread\n';
    const { actionItems } = await meetingIn(text, { sourcePath: 'Meetings/2026-11-16.md' });
    expect(actionItems.map(({ status, text: words }) => [status, words])).toEqual([
      ['done', 'Send the plan'],
      ['done', 'Book the hall'],
      ['done', 'Call the baker'],
      ['done', 'Order tea'],
      ['open', 'Buy bread'],
    ]);
  });
});
