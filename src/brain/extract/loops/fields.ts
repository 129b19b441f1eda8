/**
 * Metadata of a task in its text: emoji of Obsidian Tasks (`📅 2026-12-01`), fields of Dataview (`[due:: 2026-12-01]`),
 * attributes of SilverBullet (`[due: "2026-12-01"]`), pairs of todo.txt (`due:2026-12-01`).
 */
import type { Range } from '../../../notes/markdown/regions.ts';
import { isDay } from '../dates/calendar.ts';
import { dueOfValue } from '../dates/due.ts';
import type { DateReading } from '../dates/phrase.ts';
import type { Priority } from '../types.ts';

export interface Fields {
  due?: string;
  dueText?: string;
  dueAmbiguous?: boolean;
  scheduled?: string;
  start?: string;
  created?: string;
  completed?: string;
  cancelled?: string;
  priority?: Priority;
  owner?: string;
  /** Ranges of the fields, to be left out of the task's text. */
  readonly spans: Range[];
}

type DayField = 'due' | 'scheduled' | 'start' | 'created' | 'completed' | 'cancelled';

const EMOJI_DAY = /(➕|⏳|⌛|🛫|📅|📆|🗓|✅|❌)\uFE0F?\s*(\d{4}-\d{2}-\d{2})/gu;
const DAY_OF_EMOJI: Readonly<Record<string, DayField>> = {
  '➕': 'created',
  '⏳': 'scheduled',
  '⌛': 'scheduled',
  '🛫': 'start',
  '📅': 'due',
  '📆': 'due',
  '🗓': 'due',
  '✅': 'completed',
  '❌': 'cancelled',
};
const EMOJI_PRIORITY = /(🔺|⏫|🔼|🔽|⏬)\uFE0F?/gu;
const PRIORITY_OF_EMOJI: Readonly<Record<string, Priority>> = {
  '🔺': 'highest',
  '⏫': 'high',
  '🔼': 'medium',
  '🔽': 'low',
  '⏬': 'lowest',
};
/** Recurrence, actions on completion and ids are ignored. */
const EMOJI_OTHER =
  /(?:🔁\uFE0F?\s*(?:every|jede)[^\p{Extended_Pictographic}[(#]*|🏁\uFE0F?\s*\w+|(?:🆔|⛔)\uFE0F?\s*[\w,-]+(?:\s*,\s*[\w-]+)*)/gu;
const BRACKETED =
  /\[([A-Za-z][\w -]{0,30}?)::?[ \t]*"?([^\]"]{0,200})"?[ \t]*\](?!\()|\(([A-Za-z][\w -]{0,30}?)::[ \t]*([^)]{0,200})\)/g;
const PAIR =
  /(?<!\S)(due|t|threshold|scheduled|created|pri|owner|assignee|rec|id|dep):(\d{4}-\d{2}-\d{2}|[A-Za-z0-9+_-]{1,40})(?!\S)/g;

const DAY_OF_NAME: Readonly<Record<string, DayField>> = {
  due: 'due',
  deadline: 'due',
  fällig: 'due',
  scheduled: 'scheduled',
  start: 'start',
  t: 'start',
  threshold: 'start',
  created: 'created',
  completion: 'completed',
  completed: 'completed',
  done: 'completed',
  cancelled: 'cancelled',
};
const OTHER_NAMES = new Set(['repeat', 'rec', 'id', 'dep', 'dependson', 'oncompletion']);

export function readFields(text: string, reading: DateReading): Fields {
  const fields: Fields = { spans: [] };
  for (const match of text.matchAll(EMOJI_DAY)) {
    const [, emoji = '', day = ''] = match;
    const name = DAY_OF_EMOJI[emoji];
    if (name && isDay(day)) setDay(fields, name, day, match);
  }
  for (const match of text.matchAll(EMOJI_PRIORITY)) {
    fields.priority ??= PRIORITY_OF_EMOJI[match[1] ?? ''] ?? 'medium';
    fields.spans.push(spanOf(match));
  }
  for (const match of text.matchAll(EMOJI_OTHER)) fields.spans.push(spanOf(match));
  for (const match of text.matchAll(BRACKETED))
    named(fields, { name: match[1] ?? match[3] ?? '', value: match[2] ?? match[4] ?? '', match, reading });
  for (const match of text.matchAll(PAIR))
    named(fields, { name: match[1] ?? '', value: match[2] ?? '', match, reading });
  return fields;
}

export function dueOfFields({ due, dueText = due, dueAmbiguous = false }: Fields) {
  return due === undefined ? undefined : { day: due, text: dueText, ambiguous: dueAmbiguous };
}

function setDay(fields: Fields, name: DayField, day: string, match: RegExpExecArray): void {
  fields[name] ??= day;
  if (name === 'due') fields.dueText ??= match[0];
  fields.spans.push(spanOf(match));
}

interface NamedField {
  readonly name: string;
  readonly value: string;
  readonly match: RegExpExecArray;
  readonly reading: DateReading;
}

function named(fields: Fields, { name, value, match, reading }: NamedField): void {
  const key = name.trim().toLowerCase();
  const day = DAY_OF_NAME[key];
  if (day !== undefined) {
    const date = dueOfValue(value, reading);
    if (date?.day === undefined) return;
    if (day === 'due') fields.dueAmbiguous ??= date.ambiguous;
    setDay(fields, day, date.day, match);
  } else if (key === 'priority' || key === 'pri') {
    const priority = priorityNamed(value);
    if (priority) fields.priority ??= priority;
    fields.spans.push(spanOf(match));
  } else if (key === 'owner' || key === 'assignee') {
    fields.owner ??= value.replace(/^[@[\s]+|[\]\s]+$/g, '');
    fields.spans.push(spanOf(match));
  } else if (OTHER_NAMES.has(key)) fields.spans.push(spanOf(match));
}

const NAMED_PRIORITIES: Readonly<Record<string, Priority>> = {
  highest: 'highest',
  urgent: 'highest',
  a: 'high',
  '1': 'high',
  high: 'high',
  hoch: 'high',
  b: 'medium',
  '2': 'medium',
  medium: 'medium',
  c: 'low',
  '3': 'low',
  low: 'low',
  niedrig: 'low',
  lowest: 'lowest',
};

export function priorityNamed(value: string): Priority | undefined {
  const name = value.trim().toLowerCase();
  return Object.hasOwn(NAMED_PRIORITIES, name) ? NAMED_PRIORITIES[name] : undefined;
}

function spanOf(match: RegExpExecArray): Range {
  return { start: match.index, end: match.index + match[0].length };
}
