/** What proposals promise, wherever they are kept. */
import { expect, test } from 'vitest';
import type { Proposal } from '../../src/history/proposal.ts';
import type { ProposalLimits, Proposals } from '../../src/history/proposals.ts';
import { hashOf } from '../../src/history/text-pack.ts';
import { bytes } from '../history/kit.ts';

export type OpenProposals = (options?: ProposalLimits & { readonly now?: () => number }) => Proposals;

const HEAD = { notebook: 'mine', tool: 'write_note', by: { client: 'Claude 1' } };
const DRAFT = [
  { edit: { kind: 'create', path: 'a.md' } as const, texts: { after: bytes('a\n') } },
  { edit: { kind: 'write', path: 'b.md' } as const, texts: { before: bytes('a\n'), after: bytes('b\n') } },
];

const decided = (state: 'accepted' | 'rejected') => async (present: Proposal) => {
  if (present.edits.every((edit) => edit.state !== 'waiting')) throw new Error('decided already');
  return { ...present, edits: present.edits.map((edit) => ({ ...edit, state })) };
};

export function testProposalsContract(newPlace: () => Promise<OpenProposals>): void {
  test('a proposal of one process is read, with its texts, and decided by another', async () => {
    const open = await newPlace();
    const [one, other] = [open(), open()];
    const marks = [await other.mark()];
    const { id } = await one.add(HEAD, DRAFT);
    marks.push(await other.mark());
    expect(await other.get(id)).toEqual(await one.get(id));
    expect(await other.text(id, hashOf(bytes('b\n')))).toEqual(bytes('b\n'));
    expect(await other.text(id, hashOf(bytes('c')))).toBeUndefined();
    await other.update(id, decided('rejected'));
    marks.push(await one.mark());
    expect((await one.list()).map(({ edits }) => edits[0]!.state)).toEqual(['rejected']);
    expect(new Set(marks).size).toBe(3);
    expect(await one.get('p0000000000000000')).toBeUndefined();
    await expect(one.update('p0000000000000000', decided('accepted'))).rejects.toThrow('no such proposal');
  });

  test('of many decisions at once on several processes, one is made', async () => {
    const open = await newPlace();
    const [one, other] = [open(), open()];
    const { id } = await one.add(HEAD, DRAFT);
    let carriedOut = 0;
    const decide = (by: Proposals) =>
      by.update(id, async (present) => {
        const accepted = await decided('accepted')(present);
        carriedOut++;
        return accepted;
      });
    const outcomes = await Promise.allSettled([one, other, one, other].map(decide));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(carriedOut).toBe(1);
  });

  test('listeners hear of what their own process proposes and decides', async () => {
    const proposals = (await newPlace())();
    let heard = 0;
    const stop = proposals.onChange(() => heard++);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const before = heard;
    const { id } = await proposals.add(HEAD, DRAFT);
    await expect.poll(() => heard, { interval: 5 }).toBeGreaterThan(before);
    const after = heard;
    await proposals.update(id, decided('accepted'));
    await expect.poll(() => heard, { interval: 5 }).toBeGreaterThan(after);
    stop();
  });

  test('they are bounded in number and size, and those that were decided on make room after a month', async () => {
    let now = Date.UTC(2026, 0, 1);
    const proposals = (await newPlace())({ mostWaiting: 3, now: () => now });
    const add = () => proposals.add(HEAD, DRAFT);
    const [first] = [await add(), await add(), await add()];
    await expect(add()).rejects.toThrow('Too many changes wait for review');
    await proposals.update(first.id, decided('rejected'));
    await add();
    now += 31 * 86_400_000;
    expect(await proposals.list()).toHaveLength(4);
    await expect(add()).rejects.toThrow('Too many changes wait for review');
    expect(await proposals.get(first.id)).toBeUndefined();
    expect(await proposals.text(first.id, hashOf(bytes('a\n')))).toBeUndefined();
    const small = (await newPlace())({ mostBytes: 15 });
    const addSmall = () => small.add(HEAD, DRAFT);
    await addSmall();
    await addSmall();
    await expect(addSmall()).rejects.toThrow('Too many changes wait for review');
  });
}
