/**
 * Tasks in a page: list items with a state in brackets, `* [ ] text`. Any text may be the state; `x` is done.
 * A due date stands as `[due: "2026-11-20"]`, tags as `#tag`. Nothing in code or frontmatter is a task.
 */
import { bodyStartOf } from './frontmatter/split.ts';
import { lineNumberAt } from './markdown/lines.ts';
import { codeBlocks, isInside } from './markdown/regions.ts';
import { scanInlineTags } from './tags.ts';
import type { Task } from './task.ts';
import { lineEndingOf } from './text/text.ts';

const ITEM = /^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)([^[\]^\r\n][^[\]\r\n]*)\][ \t]+(\S[^\r\n]*)/gm;
const DUE = /\[due:[ \t]*"?(\d{4}-\d{2}-\d{2})[^\]"]*"?[ \t]*\]/i;
/** For a search to find pages that may hold tasks. */
export const TASK_PATTERN = '^[ \\t>]*([-*+]|\\d{1,9}[.)])[ \\t]+\\[[^\\[\\]^]+\\][ \\t]+\\S';

export function scanTasks(text: string): Task[] {
  const bodyStart = bodyStartOf(text);
  const code = codeBlocks(text);
  const tasks: Task[] = [];
  for (const { 1: before = '', 2: state = '', 3: rest = '', index } of text.matchAll(ITEM)) {
    const start = index + before.length;
    if (index < bodyStart || isInside(code, start)) continue;
    const due = DUE.exec(rest)?.[1];
    tasks.push({
      line: lineNumberAt(text, start),
      state,
      done: state === 'x' || state === 'X',
      text: rest.trimEnd(),
      due,
      tags: scanInlineTags(rest).map(({ tag }) => tag),
      stateRange: { start, end: start + state.length },
    });
  }
  return tasks;
}

export function withTaskState(text: string, { stateRange }: Task, state: string): string {
  return text.slice(0, stateRange.start) + state + text.slice(stateRange.end);
}

/** The tasks `wanted` may mean: those of just this text, else those whose text without attributes and tags it is, else those that hold it. */
export function tasksLike(tasks: readonly Task[], wanted: string): Task[] {
  const key = fold(wanted);
  const ways: ((task: Task) => boolean)[] = [
    (task) => task.text === wanted.trim(),
    (task) => fold(task.text) === key || fold(bare(task.text)) === key,
    (task) => fold(task.text).includes(key),
  ];
  return ways.map((way) => tasks.filter(way)).find((found) => found.length > 0) ?? [];
}

export function taskText({ text, due, tags }: Pick<Task, 'text' | 'due' | 'tags'>): string {
  return [
    text.trim(),
    ...(due === undefined ? [] : [`[due: "${due}"]`]),
    ...tags.map((tag) => `#${tag}`),
  ].join(' ');
}

/** At the end of the page: as the next item of a list that stands there, else as a list of its own. */
export function addTask(text: string, task: string): string {
  const ending = lineEndingOf(text);
  const bullet = /^([-*+]) \[/.exec(lastLineOf(text))?.[1] ?? '*';
  const item = `${bullet} [ ] ${task}`;
  if (text.trim() === '') return text + item;
  const gap = /^[-*+] /.test(lastLineOf(text)) ? ending : ending + ending;
  const missing = text.endsWith('\n') ? gap.slice(ending.length) : gap;
  return `${text}${/\n\r?\n$/.test(text) ? '' : missing}${item}${ending}`;
}

/** Whether the page ends in just this task, open. */
export function endsInTask(text: string, task: string): boolean {
  return /^[-*+] \[ \] (.*)$/.exec(lastLineOf(text))?.[1] === task;
}

function lastLineOf(text: string): string {
  const end = text.trimEnd();
  return end.slice(end.lastIndexOf('\n') + 1);
}

function bare(text: string): string {
  return text.replace(/\[[\w-]+:[^\]]*\]/g, ' ').replace(/(?:^|[ \t])#[^\s#]+/g, ' ');
}

function fold(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim();
}

/** How often just this task, open, stands in the page. */
export function countTask(text: string, task: string): number {
  const items = text.split(/\r?\n/).map((line) => /^\s*[-*+] \[ \] (.*)$/.exec(line)?.[1]);
  return items.filter((item) => item === task).length;
}
