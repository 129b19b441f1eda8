/**
 * Tasks in a page: list items with a state in brackets, `* [ ] text`. Any text may be the state; `x` is done, `-`
 * cancelled. Tags stand as `#tag`, dates and the like as `task-fields.ts` says. Nothing in code or frontmatter is a task.
 */
import { bodyStartOf } from './frontmatter/split.ts';
import { createLineNumbers } from './markdown/lines.ts';
import { itemAt, lineStart } from './markdown/list-items.ts';
import { codeBlocks, isInside, type Range } from './markdown/regions.ts';
import { findSection, noSuchSection, sectionsOf } from './markdown/sections.ts';
import { editSection } from './section-edit.ts';
import { scanInlineTags } from './tags.ts';
import type { Task } from './task.ts';
import { type FieldName, formOf, priorityOf, scanFields } from './task-fields.ts';
import { lineEndingOf } from './text/text.ts';

const ITEM = /^([ \t>]*(?:[-*+]|\d{1,9}[.)])[ \t]+\[)([^[\]^\r\n][^[\]\r\n]*)\][ \t]+(\S[^\r\n]*)/gm;

/** A quick look, for which code is text too; the bracket behind a state hardly ever stands in other text. */
export function mayHoldTasks(text: string): boolean {
  return (text.includes('] ') || text.includes(']\t')) && text.search(ITEM) >= 0;
}

export function scanTasks(text: string): Task[] {
  // Most notes have none: what takes time comes after that.
  const items = [...text.matchAll(ITEM)];
  if (items.length === 0) return [];
  const bodyStart = bodyStartOf(text);
  const code = codeBlocks(text);
  const lineOf = createLineNumbers(text);
  return items.flatMap(({ 1: before = '', 2: state = '', 3: rest = '', index }) => {
    const start = index + before.length;
    if (index < bodyStart || isInside(code, start)) return [];
    return {
      line: lineOf(start),
      bullet: /[-*+]|\d+[.)]/.exec(before)?.[0] ?? '-',
      state,
      done: state === 'x' || state === 'X',
      text: rest.trimEnd(),
      ...factsOf(rest),
      tags: scanInlineTags(rest).map(({ tag }) => tag),
      stateRange: { start, end: start + state.length },
    };
  });
}

function factsOf(text: string): Partial<Task> {
  const fields = scanFields(text);
  if (fields.length === 0) return {};
  const valueIn = (name: FieldName) => fields.find((field) => field.name === name)?.value || undefined;
  const owners = fields.filter(({ name, value }) => name === 'owner' && value !== '');
  return {
    due: valueIn('due'),
    scheduled: valueIn('scheduled'),
    start: valueIn('start'),
    doneOn: valueIn('done'),
    recurrence: valueIn('recurrence'),
    priority: priorityOf(fields),
    owners: owners.length > 0 ? owners.map(({ value }) => value) : undefined,
    ownerForm: owners[0]?.form,
    form: formOf(fields),
  };
}

/** Neither done nor cancelled. */
export function isOpen({ done, state }: Task): boolean {
  return !done && state !== '-';
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

/** The task's own text in the page, without its state. */
export function textRangeOf(page: string, { text, stateRange }: Task): Range {
  const start = page.indexOf(text, stateRange.end);
  return { start, end: start + text.length };
}

/** The whole item, with everything below it. */
export function taskItem(page: string, { stateRange }: Task): Range {
  const start = lineStart(page, stateRange.start);
  return itemAt(page, start) ?? { start, end: page.length };
}

/** At the end of the page. */
export function addTask(text: string, task: string): string {
  const bullet = /^([-*+]) \[/.exec(lastLineOf(text))?.[1] ?? '*';
  return addItem(text, `${bullet} [ ] ${task}`);
}

/** At the end of the page: as the next item of a list that stands there, else as a list of its own. */
export function addItem(text: string, item: string): string {
  const ending = lineEndingOf(text);
  if (text.trim() === '') return text + item;
  const gap = /^[ \t]*[-*+] /.test(lastLineOf(text)) ? ending : ending + ending;
  const missing = text.endsWith('\n') ? gap.slice(ending.length) : gap;
  return `${text}${/\n\r?\n$/.test(text) ? '' : missing}${item}${ending}`;
}

/** Under a heading: behind the last task there that is below no other item, else at the end of its own text. */
export function addItemUnder(text: string, heading: string, item: string): string {
  const sections = sectionsOf(text);
  const section = findSection(sections, heading);
  if (!section) throw noSuchSection(sections, heading);
  const { bodyStart, ownEnd } = section;
  const last = scanTasks(text).findLast(({ stateRange: { start } }) => {
    const isThere = start >= bodyStart && start < ownEnd;
    return isThere && /^[^\s>]/.test(text.slice(lineStart(text, start), start));
  });
  if (!last) return editSection(text, { heading, line: section.line, mode: 'append', content: item }).text;
  const { end } = taskItem(text, last);
  const ending = lineEndingOf(text);
  const before = text.slice(0, end);
  return `${before}${before.endsWith('\n') ? '' : ending}${item}${ending}${text.slice(end)}`;
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
