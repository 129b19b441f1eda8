/** `quire review`, beside a server whose changes wait, and without one. */
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openScope } from '../../../src/cli/history/scope.ts';
import { reviewAll } from '../../../src/cli/review/interactive.ts';
import { proposalsIn } from '../../../src/cli/review/list.ts';
import { undoCommand } from '../../../src/config/commands/history.ts';
import { putFile } from '../../kit/temp.ts';
import { type Desk, desk } from './support.ts';

const PLAN = '# Plan\n\nfirst\n\nsecond\n\nthird\n\nfourth\n\nfifth\n';

async function reviewed(seed: Readonly<Record<string, string>> = { 'plan.md': PLAN }) {
  const one = await desk(seed);
  await putFile(one.folder, 'quire.yaml', 'notebooks:\n  mine: { folder: notes, review: all }\n');
  const { call, pid } = await one.assistant(['--config', join(one.folder, 'quire.yaml')]);
  const proposed = async (tool: string, args: Record<string, unknown>) => {
    const { text } = await call(tool, args);
    return /proposal (p\w{16})/.exec(JSON.stringify(text))?.[1] ?? JSON.stringify(text);
  };
  return { ...one, call, pid, proposed };
}

test('a proposal is listed, shown with numbered parts, and accepted in part with a comment', async () => {
  const { quire, json, proposed, text, call } = await reviewed();
  const content = PLAN.replace('first', '1st').replace('fifth', '5th');
  await call('read_note', { path: 'plan.md' });
  const id = await proposed('write_note', { path: 'plan.md', content });
  expect(id).toMatch(/^p\w{16}$/);

  const list = await quire('review');
  expect(list).toMatchObject({ code: 0, stderr: '' });
  expect(list.stdout).toMatch(new RegExp(`\\d\\d:\\d\\d +${id} .*test 1 .*change plan\\.md`));
  expect((await json('review')).proposals).toMatchObject([
    { id, notebook: 'mine', tool: 'write_note', by: { client: 'test 1' }, decisions: [] },
  ]);
  const shown = await quire('review', 'show', id);
  expect(shown.stdout).toContain('@@ part 1.1, line 3 @@');
  expect(shown.stdout).toMatch(/^-first\n\+1st$/m);
  expect(shown.stdout).toContain('@@ part 1.2, line 11 @@');

  const wrong = await quire('review', 'accept', id, '--part', '1.9');
  expect(wrong).toMatchObject({ code: 2 });
  expect((await quire('review', 'accept', id, '--part', '7')).stderr).toContain('no such part');
  expect(await text('plan.md')).toBe(PLAN);

  const accepted = await quire('review', 'accept', id, '--part', '1.2', '--comment', 'keep the first');
  expect(accepted).toMatchObject({ code: 0, stderr: '' });
  expect(accepted.stdout).toMatch(/Recorded as [0-9a-z]{16};/);
  expect(await text('plan.md')).toBe(PLAN.replace('fifth', '5th'));
  expect((await json('review')).proposals).toEqual([]);
  const [decided] = (await json('review', '--decided')).proposals;
  expect(decided.decisions).toMatchObject([{ outcome: 'accepted in part', comment: 'keep the first' }]);
  expect(decided.decisions[0].by).toMatch(/^terminal:/);
  const [change] = (await json('history')).changes;
  expect(change).toMatchObject({ by: { client: 'test 1' }, acceptedBy: decided.decisions[0].by });

  // The assistant hears of it, whatever process decided.
  const { text: answer } = await call('read_note', { path: 'plan.md' });
  expect(JSON.stringify(answer)).toContain('who says: keep the first');
  expect((await quire('review', 'reject', id)).stderr).toContain('already decided');
});

test('a conflict is named, and nothing is changed, whatever else was asked for', async () => {
  const { quire, json, proposed, text, put, call } = await reviewed({ 'plan.md': PLAN, 'b.md': 'b\n' });
  const first = await proposed('write_note', { path: 'new.md', content: 'new\n' });
  await call('read_note', { path: 'plan.md' });
  const second = await proposed('patch_note', { path: 'plan.md', oldString: 'second', newString: '2nd' });
  await put('plan.md', PLAN.replace('second', 'zweitens'));
  const refused = await quire('review', 'accept', '--all');
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.stdout).toContain('cannot be accepted: plan.md. It was changed since, in the same lines.');
  expect(refused.stderr).toContain('Nothing was changed');
  expect((await json('review')).proposals).toHaveLength(2);

  // A note changed elsewhere is merged; a later proposal may be built on an earlier one.
  await put('plan.md', PLAN.replace('first', 'erstens'));
  const third = await proposed('patch_note', { path: 'plan.md', oldString: '2nd', newString: 'II' });
  expect((await quire('review', 'accept', first, second, third)).code).toBe(0);
  expect(await text('plan.md')).toBe(PLAN.replace('first', 'erstens').replace('second', 'II'));
  expect(await text('new.md')).toBe('new\n');
});

test('a proposal survives the sudden end of the process that made it', async () => {
  const { quire, proposed, pid, text } = await reviewed();
  const id = await proposed('patch_note', { path: 'plan.md', oldString: 'second', newString: '2nd' });
  process.kill(pid, 'SIGKILL');
  expect((await quire('review', 'accept', id)).code).toBe(0);
  expect(await text('plan.md')).toBe(PLAN.replace('second', '2nd'));
});

test('what the command line gets wrong is said, and nothing is decided', async () => {
  const { quire, proposed } = await reviewed();
  const id = await proposed('write_note', { path: 'new.md', content: 'new\n' });
  for (const [args, message] of [
    [['show', 'p0000000000000000'], 'There is no such proposal'],
    [['accept'], 'No proposal is named'],
    [['accept', id, '--all'], 'not both'],
    [['accept', '--all', '--part', '1'], '--part works with one proposal at a time'],
    [['reject', id, '--part', '1.1'], 'Only whole notes can be rejected'],
    [['--interactive'], 'needs a terminal'],
    [['elsewhere'], 'No such notebook'],
  ] as const) {
    const { code, stderr } = await quire('review', ...args);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  }
  expect((await quire('review')).stdout).toContain(id);
});

test('asked at the terminal, each part is accepted, rejected or left', async () => {
  const { folder, env, notes, proposed, text, json, call } = await reviewed({
    'plan.md': PLAN,
    'b.md': 'b\n',
  });
  await call('read_note', { path: 'plan.md' });
  await proposed('write_note', {
    path: 'plan.md',
    content: PLAN.replace('first', '1').replace('fifth', '5'),
  });
  await proposed('write_note', { path: 'a.md', content: 'a\n' });
  await proposed('delete_note', { path: 'b.md', confirmPath: 'b.md' });
  const answers = ['x', 'r', 'a', 'half of it', 's', 'R', ''];
  const { out, shown } = await atTerminal({ folder, env, notes }, answers);
  expect(out).toBe(2);
  expect(answers).toEqual([]);
  expect(shown).toContain('@@ part 1.2, line 11 @@');
  expect(await text('plan.md')).toBe(PLAN.replace('fifth', '5'));
  expect(await text('b.md')).toBe('b\n');
  const { proposals } = await json('review');
  expect(proposals).toMatchObject([{ edits: [{ kind: 'create', path: 'a.md' }] }]);
  expect((await atTerminal({ folder, env, notes }, ['q'])).out).toBe(0);
});

/** `quire review --interactive` with answers instead of a keyboard. */
async function atTerminal({ folder, env }: Pick<Desk, 'folder' | 'env' | 'notes'>, answers: string[]) {
  const command = { spec: undoCommand, usage: '', flags: {}, folder: undefined };
  const scope = await openScope(command, undefined, {
    environment: env,
    workingFolder: folder,
    err: () => {},
  });
  let shown = '';
  const terminal = {
    out: async (text: string) => {
      shown += text;
    },
    ask: async () => answers.shift(),
  };
  try {
    const waiting = (await proposalsIn(scope)).reverse();
    const out = await reviewAll(
      waiting.filter(({ proposal }) => proposal.decisions.length === 0),
      terminal,
      { width: 80, color: false },
    );
    return { out, shown };
  } finally {
    await scope.close();
  }
}
