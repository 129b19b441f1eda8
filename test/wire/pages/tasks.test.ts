import { expect, test } from 'vitest';
import { withPages } from '../../kit/server.ts';
import { fileText, putFile } from '../../kit/temp.ts';
import { stamps } from '../notebook/support.ts';
import { expectCode, expectOk } from './support.ts';

const SEED = {
  'Inbox.md':
    '# Inbox\n\n* [ ] call the plumber [due: "2026-11-20"] #home\n* [x] pay rent\n* [in progress] report #work/q4\n',
  'Later.md': '```\n* [ ] in code\n```\n- [ ] read a book\n- [ ] soon [due: "2026-11-01"]\n',
  '_trash/2026-11/Old.md': '* [ ] forgotten\n',
  'Plain.md': 'no tasks\n',
};
const open = (seed: Record<string, string> = SEED) => withPages(seed, { extended: true });

test('open tasks of all pages, the soonest due first; none from code or the trash', async () => {
  const { call } = await open();
  const { json } = expectOk(await call('list_tasks'));
  expect(json).toEqual({
    count: 4,
    tasks: [
      {
        page: 'Later',
        line: 5,
        state: ' ',
        done: false,
        text: 'soon [due: "2026-11-01"]',
        due: '2026-11-01',
      },
      {
        page: 'Inbox',
        line: 3,
        state: ' ',
        done: false,
        text: 'call the plumber [due: "2026-11-20"] #home',
        due: '2026-11-20',
        tags: ['home'],
      },
      {
        page: 'Inbox',
        line: 5,
        state: 'in progress',
        done: false,
        text: 'report #work/q4',
        tags: ['work/q4'],
      },
      { page: 'Later', line: 4, state: ' ', done: false, text: 'read a book' },
    ],
  });
});

test.each([
  [{ state: 'done' }, ['pay rent']],
  [{ state: 'in progress' }, ['report #work/q4']],
  [
    { page: 'Inbox', state: 'all' },
    ['call the plumber [due: "2026-11-20"] #home', 'pay rent', 'report #work/q4'],
  ],
  [{ tag: 'home' }, ['call the plumber [due: "2026-11-20"] #home']],
  [{ tag: '#Work' }, ['report #work/q4']],
  [{ due_before: '2026-11-01' }, ['soon [due: "2026-11-01"]']],
  [{ due_after: '2026-11-02' }, ['call the plumber [due: "2026-11-20"] #home']],
  [{ limit: 1 }, ['soon [due: "2026-11-01"]']],
  [{ page: 'Plain' }, []],
])('%j', async (args, texts) => {
  const { call } = await open();
  const { tasks } = expectOk(await call('list_tasks', args)).json;
  expect(tasks.map(({ text }: { text: string }) => text)).toEqual(texts);
});

test('a page that is not there, and tags that are none', async () => {
  const { call } = await open();
  expectCode(await call('list_tasks', { page: 'nope' }), 'not_found', { path: 'nope.md' });
  for (const tag of ['', 'two words', '##x'])
    expectCode(await call('list_tasks', { tag }), 'invalid_arguments');
  expectCode(await call('list_tasks', { state: '' }), 'invalid_arguments');
});

test('a task is checked off by its text, and nothing else changes', async () => {
  const { call, folder } = await open();
  const { json } = expectOk(await call('check_task', { page: 'Inbox', text: 'call the plumber' }));
  expect(json).toEqual({
    path: 'Inbox.md',
    line: 3,
    text: 'call the plumber [due: "2026-11-20"] #home',
    state: 'x',
  });
  expect(await fileText(folder, 'Inbox.md')).toBe(
    SEED['Inbox.md'].replace('[ ] call the plumber', '[x] call the plumber'),
  );
  expectOk(await call('check_task', { page: 'Inbox', text: 'report', state: 'waiting for Kim' }));
  expectOk(await call('check_task', { page: 'Inbox', text: 'pay rent', state: ' ' }));
  expect(await fileText(folder, 'Inbox.md')).toContain('* [ ] pay rent\n* [waiting for Kim] report');
});

test('checking off again writes nothing', async () => {
  const { call, folder } = await open();
  const args = { page: 'Inbox', text: 'plumber' };
  await call('check_task', args);
  const before = await stamps(folder);
  expect(expectOk(await call('check_task', args)).json).toMatchObject({ state: 'x', deduplicated: true });
  expect(await stamps(folder)).toEqual(before);
});

test('one of several alike is chosen by its line; a text no task has is refused', async () => {
  const { call, folder } = await open({ 'a.md': '* [ ] milk\n* [ ] milk\n* [ ] milk and bread\n' });
  const refusal = expectCode(await call('check_task', { page: 'a', text: 'milk' }), 'invalid_arguments');
  expect(refusal.message).toMatch(/^2 tasks match: lines 1 \(milk\), 2 \(milk\)$/);
  expectOk(await call('check_task', { page: 'a', text: 'milk', line: '2' }));
  expect(await fileText(folder, 'a.md')).toBe('* [ ] milk\n* [x] milk\n* [ ] milk and bread\n');
  // The other one is the only one left to check off.
  expectOk(await call('check_task', { page: 'a', text: 'milk' }));
  expectCode(await call('check_task', { page: 'a', text: 'milk', line: 7 }), 'invalid_arguments');
  expect(
    expectCode(await call('check_task', { page: 'a', text: 'wine' }), 'invalid_arguments').remediation,
  ).toContain('list_tasks');
});

test('a page edited meanwhile: the task is found where it is now', async () => {
  const { call, folder } = await open({ 'a.md': '* [ ] one\n* [ ] two\n' });
  await putFile(folder, 'a.md', '* [ ] zero\n* [ ] one\n* [ ] two\n');
  expect((await call('check_task', { page: 'a', text: 'one' })).json.line).toBe(2);
  expect(await fileText(folder, 'a.md')).toBe('* [ ] zero\n* [x] one\n* [ ] two\n');
});

test('a task is added once, with its date and tags', async () => {
  const { call, folder } = await open();
  const args = { page: 'Inbox', text: 'water the plants', due: '2026-12-01', tags: ['#home', 'area/garden'] };
  const { json } = expectOk(await call('add_task', args));
  expect(json).toEqual({
    added: true,
    path: 'Inbox.md',
    task: 'water the plants [due: "2026-12-01"] #home #area/garden',
  });
  expect(expectOk(await call('add_task', args)).json.deduplicated).toBe(true);
  expect(await fileText(folder, 'Inbox.md')).toBe(
    `${SEED['Inbox.md']}* [ ] water the plants [due: "2026-12-01"] #home #area/garden\n`,
  );
  expect((await call('list_tasks', { due_after: '2026-12-01' })).json.count).toBe(1);
  expectCode(await call('add_task', { page: 'nope', text: 'x' }), 'not_found');
  expectCode(await call('add_task', { page: '_trash/x', text: 'x' }), 'forbidden_path');
});
