import { expect, test } from 'vitest';
import { addTask, endsInTask, scanTasks, tasksLike, taskText, withTaskState } from './tasks.ts';

const PAGE = `---
list: "* [ ] not a task"
---
# Plan

* [ ] call the plumber [due: "2026-11-20"] #home #urgent/now
- [x] pay rent
  + [X] nested, done
1. [in progress] write the report [due: 2026-12-01]
2) [?] a question
> - [ ] quoted
* [link](url) is none
* [[wiki]] neither
* [^1] nor a footnote
* [] nor nothing
* [ ]
* []text
not * [ ] at the start

\`\`\`
* [ ] in a fence
\`\`\`

    * [ ] in indented code

~~~md
- [ ] in another fence
~~~
* [ ] last\r
`;

test('tasks, their states, dates and tags; nothing else', () => {
  expect(scanTasks(PAGE).map(({ stateRange: _, form: __, bullet: ___, ...task }) => task)).toEqual([
    {
      line: 6,
      state: ' ',
      done: false,
      text: 'call the plumber [due: "2026-11-20"] #home #urgent/now',
      due: '2026-11-20',
      tags: ['home', 'urgent/now'],
    },
    { line: 7, state: 'x', done: true, text: 'pay rent', tags: [] },
    { line: 8, state: 'X', done: true, text: 'nested, done', tags: [] },
    {
      line: 9,
      state: 'in progress',
      done: false,
      text: 'write the report [due: 2026-12-01]',
      due: '2026-12-01',
      tags: [],
    },
    { line: 10, state: '?', done: false, text: 'a question', tags: [] },
    { line: 11, state: ' ', done: false, text: 'quoted', tags: [] },
    { line: 29, state: ' ', done: false, text: 'last', tags: [] },
  ]);
});

test('a state is set in its place, and nothing else changes', () => {
  for (const task of scanTasks(PAGE)) {
    const after = withTaskState(PAGE, task, 'waiting');
    expect(scanTasks(after).find(({ line }) => line === task.line)?.state).toBe('waiting');
    expect(after.replace('[waiting]', `[${task.state}]`)).toBe(PAGE);
  }
});

test.each([
  ['pay rent', [7]],
  ['Call the plumber', [6]],
  ['PLUMBER', [6]],
  ['call the plumber [due: "2026-11-20"] #home #urgent/now', [6]],
  ['quest', [10]],
  ['e', [6, 7, 8, 9, 10, 11]],
  ['nothing of the kind', []],
])('%j means the tasks in lines %j', (wanted, lines) => {
  expect(tasksLike(scanTasks(PAGE), wanted).map(({ line }) => line)).toEqual(lines);
});

test.each([
  ['', '* [ ] new'],
  ['text\n', 'text\n\n* [ ] new\n'],
  ['text', 'text\n\n* [ ] new\n'],
  ['* [ ] old\n', '* [ ] old\n* [ ] new\n'],
  ['- [x] old', '- [x] old\n- [ ] new\n'],
  ['- item\n', '- item\n* [ ] new\n'],
  ['a\r\n', 'a\r\n\r\n* [ ] new\r\n'],
  ['text\n\n', 'text\n\n* [ ] new\n'],
])('added to %j', (before, after) => {
  expect(addTask(before, 'new')).toBe(after);
  expect(endsInTask(after, 'new')).toBe(true);
  expect(endsInTask(before, 'new')).toBe(false);
});

test('the text of a task with everything', () => {
  expect(taskText({ text: ' water the plants ', due: '2026-11-20', tags: ['home', 'a/b'] })).toBe(
    'water the plants [due: "2026-11-20"] #home #a/b',
  );
});
