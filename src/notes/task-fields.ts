/**
 * What is written into the text of a task about it: dates, priority, owner. Obsidian Tasks writes emoji, dataview
 * `[due:: 2026-12-01]`, SilverBullet `[due: "2026-12-01"]`; plain notes have `(due: 2026-12-01)`, `due:2026-12-01` or
 * `@due(2026-12-01)`. A field is changed in the form that it has.
 */
import { AppError } from '../shared/errors.ts';
import type { Range } from './markdown/regions.ts';
import type { Priority, TaskForm } from './task.ts';
import { applySplices, insertion } from './text/text.ts';

export type DateField = 'due' | 'scheduled' | 'start' | 'done' | 'created' | 'cancelled';
export type FieldName = DateField | 'recurrence' | 'priority' | 'owner' | 'id' | 'blockedBy';

export interface TaskField extends Range {
  readonly name: FieldName;
  /** Of a date its day alone; empty for a date that is none. */
  readonly value: string;
  /** `name` for `@name`. */
  readonly form: TaskForm | 'name';
  readonly valueRange: Range;
}

const DATE_SIGNS: Readonly<Record<string, DateField>> = {
  '📅': 'due',
  '📆': 'due',
  '🗓': 'due',
  '⏳': 'scheduled',
  '⌛': 'scheduled',
  '🛫': 'start',
  '✅': 'done',
  '➕': 'created',
  '❌': 'cancelled',
};
const PRIORITY_SIGNS: Readonly<Record<string, Priority>> = {
  '🔺': 'highest',
  '⏫': 'high',
  '🔼': 'medium',
  '🔽': 'low',
  '⏬': 'lowest',
};
export const PRIORITIES = Object.values(PRIORITY_SIGNS) as readonly Priority[];

const PLAIN_KEYS: Readonly<Record<string, FieldName>> = {
  due: 'due',
  scheduled: 'scheduled',
  start: 'start',
  done: 'done',
  created: 'created',
  cancelled: 'cancelled',
  repeat: 'recurrence',
  priority: 'priority',
  owner: 'owner',
  assignee: 'owner',
};

/** All names that a field has in brackets; the first one of each is written. */
const KEYS: Readonly<Record<TaskForm, Readonly<Record<string, FieldName>>>> = {
  emoji: {},
  dataview: {
    due: 'due',
    scheduled: 'scheduled',
    start: 'start',
    completion: 'done',
    created: 'created',
    cancelled: 'cancelled',
    repeat: 'recurrence',
    priority: 'priority',
    owner: 'owner',
    assignee: 'owner',
    id: 'id',
    dependson: 'blockedBy',
  },
  silverbullet: { completed: 'done', ...PLAIN_KEYS, deadline: 'due' },
  plain: PLAIN_KEYS,
};

const names = (form: TaskForm) => Object.keys(KEYS[form]).join('|');
const EMOJI_DATE = new RegExp(
  `(${Object.keys(DATE_SIGNS).join('|')})\\uFE0F?[ \\t]*(\\d{4}-\\d{2}-\\d{2})`,
  'dgu',
);
const EMOJI_PRIORITY = new RegExp(`(${Object.keys(PRIORITY_SIGNS).join('|')})\\uFE0F?`, 'dgu');
const EMOJI_WORDS = /(🔁|🆔|⛔)\uFE0F?[ \t]*([a-zA-Z0-9_!-](?:[a-zA-Z0-9_, !-]*[a-zA-Z0-9_!-])?)/dgu;
const EMOJI_NAMES: Readonly<Record<string, FieldName>> = {
  '🔁': 'recurrence',
  '🆔': 'id',
  '⛔': 'blockedBy',
};
const DATAVIEW = new RegExp(`[[(](${names('dataview')})::[ \\t]*([^\\])]*?)[ \\t]*[\\])]`, 'dgiu');
const SILVERBULLET = new RegExp(
  `\\[(${names('silverbullet')}):(?!:)[ \\t]*"?([^\\]"]*?)"?[ \\t]*\\](?!\\()`,
  'dgiu',
);
const IN_PARENTHESES = new RegExp(`\\((${names('plain')}):(?!:)[ \\t]*([^()]*?)[ \\t]*\\)`, 'dgiu');
const CALLED = new RegExp(`@(${names('plain')})\\(([^()]*)\\)`, 'dgiu');
const BARE = /(?<=^|[ \t])(due|scheduled|start):[ \t]?(\d{4}-\d{2}-\d{2})(?![\w-])/dgiu;
const NAMED = /(?<=^|[ \t(,[])@([\p{L}\p{N}_]+(?:[./-][\p{L}\p{N}_]+)*)(?![\p{L}\p{N}_(])/dgu;
/** None of the patterns can match without one of these. */
const MAY_HAVE = /[[(@:📅📆🗓⏳⌛🛫✅➕❌🔁🆔⛔🔺⏫🔼🔽⏬]/u;

/** In the order in which they stand. */
export function scanFields(text: string): TaskField[] {
  if (!MAY_HAVE.test(text)) return [];
  const fields: TaskField[] = [];
  const scan = (pattern: RegExp, form: TaskForm, nameOf: (key: string) => FieldName | undefined) => {
    for (const match of text.matchAll(pattern)) {
      const name = nameOf(match[1]!);
      if (name !== undefined) fields.push(fieldOf(match, 2, name, form));
    }
  };
  scan(EMOJI_DATE, 'emoji', (sign) => DATE_SIGNS[sign]);
  scan(EMOJI_WORDS, 'emoji', (sign) => EMOJI_NAMES[sign]);
  for (const match of text.matchAll(EMOJI_PRIORITY))
    fields.push({ ...fieldOf(match, 0, 'priority', 'emoji'), value: PRIORITY_SIGNS[match[1]!]! });
  scan(DATAVIEW, 'dataview', (key) => KEYS.dataview[key.toLowerCase()]);
  scan(SILVERBULLET, 'silverbullet', (key) => KEYS.silverbullet[key.toLowerCase()]);
  for (const pattern of [IN_PARENTHESES, CALLED, BARE])
    scan(pattern, 'plain', (key) => KEYS.plain[key.toLowerCase()]);
  for (const match of text.matchAll(NAMED)) fields.push(fieldOf(match, 1, 'owner', 'name'));
  return fields.sort((a, b) => a.start - b.start);
}

/** `group` of the match is the value. */
function fieldOf(match: RegExpExecArray, group: number, name: FieldName, form: TaskField['form']): TaskField {
  const value = match[group]!;
  const [start, whole] = match.indices![group]!;
  const isDate = name in DATE_NAMES;
  const day = isDate && isDay(value.slice(0, 10)) ? value.slice(0, 10) : undefined;
  return {
    name,
    form,
    value: isDate ? (day ?? '') : value,
    start: match.index,
    end: match.index + match[0].length,
    valueRange: { start, end: day === undefined ? whole : start + day.length },
  };
}

/** Whether a text is a day of the calendar, written as `2026-12-01`. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  return new Date(`${text}T00:00:00Z`).toJSON()?.startsWith(text) ?? false;
}

const DATE_NAMES: Readonly<Record<DateField, true>> = {
  due: true,
  scheduled: true,
  start: true,
  done: true,
  created: true,
  cancelled: true,
};

export function priorityOf(fields: readonly TaskField[]): Priority | undefined {
  const value = fields.find(({ name }) => name === 'priority')?.value.toLowerCase();
  return PRIORITIES.find((priority) => priority === value);
}

/** The form of the fields that have one: `@name` is written beside all. */
export function formOf(fields: readonly TaskField[]): TaskForm | undefined {
  for (const { form } of fields) if (form !== 'name') return form;
  return undefined;
}

const BLOCK_ID_AT_END = /(?:[ \t]+\^[A-Za-z0-9-]+)?[ \t]*$/;

/** Without a value the field is taken out. A missing one is added at the end, in `form`. */
export function withField(
  text: string,
  name: FieldName,
  value: string | undefined,
  form: TaskField['form'],
): string {
  const all = scanFields(text).filter((field) => field.name === name);
  const [own] = all;
  if (value === undefined) return withoutFields(text, all);
  if (!own) {
    const at = BLOCK_ID_AT_END.exec(text)!.index;
    return applySplices(text, [insertion(at, ` ${fieldText(name, value, form)}`)]);
  }
  const isSign = name === 'priority' && own.form === 'emoji';
  // `@name` has no room for a space.
  const isNoName = own.form === 'name' && /\s/.test(value);
  const { start, end } = isSign || isNoName ? own : own.valueRange;
  const written = isSign ? fieldText(name, value, 'emoji') : isNoName ? fieldText(name, value, form) : value;
  return applySplices(text, [{ start, end, text: written }]);
}

/** Takes fields out, each with the space before it. */
export function withoutFields(text: string, fields: readonly Range[]): string {
  const cut = fields.map(({ start, end }) => {
    const before = /[ \t]*$/.exec(text.slice(0, start))![0].length;
    return { start: start - before, end, text: '' };
  });
  return applySplices(text, cut).replace(/^[ \t]+/, '');
}

const signOf = (signs: Readonly<Record<string, string>>, name: string) =>
  Object.keys(signs).find((sign) => signs[sign] === name);

export function fieldText(name: FieldName, value: string, form: TaskField['form']): string {
  if (form === 'name') return /\s/.test(value) ? fieldText(name, value, 'plain') : `@${value}`;
  if (form === 'emoji') {
    if (name === 'priority') return signOf(PRIORITY_SIGNS, value)!;
    const sign = signOf(DATE_SIGNS, name) ?? signOf(EMOJI_NAMES, name);
    return sign === undefined ? fieldText(name, value, 'plain') : `${sign} ${value}`;
  }
  const key = signOf(KEYS[form], name);
  if (key === undefined) throw new AppError('unsupported', `${name} has no place in a task of this form`);
  switch (form) {
    case 'dataview':
      return `[${key}:: ${value}]`;
    case 'silverbullet':
      return `[${key}: "${value}"]`;
    case 'plain':
      return `(${key}: ${value})`;
  }
}
