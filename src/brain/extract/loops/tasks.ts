/** Task marks: list items with a state in brackets, and lines of todo.txt. */
import type { Block } from '../blocks.ts';
import { isDay } from '../dates/calendar.ts';
import { isTodoTxt } from '../sections.ts';
import type { LoopStatus, Priority } from '../types.ts';
import { priorityNamed } from './fields.ts';

export interface TaskMark {
  readonly status: LoopStatus;
  /** Start of its words. */
  readonly from: number;
  readonly created?: string;
  readonly priority?: Priority;
  /** For the state `[?]`. */
  readonly isQuestion?: boolean;
  readonly todoTxt?: boolean;
}

const STATES: Readonly<Record<string, LoopStatus>> = {
  ' ': 'open',
  x: 'done',
  X: 'done',
  '-': 'cancelled',
  '/': 'in_progress',
  '>': 'deferred',
  '<': 'open',
  '!': 'open',
  '?': 'open',
  todo: 'open',
  open: 'open',
  doing: 'in_progress',
  'in progress': 'in_progress',
  started: 'in_progress',
  waiting: 'open',
  blocked: 'open',
  done: 'done',
  closed: 'done',
  cancelled: 'cancelled',
  canceled: 'cancelled',
};
const BOX = /^\[([^[\]]{1,12})\](?:\s+|$)/;

export function taskMarkOf(block: Block, todoTxt: boolean): TaskMark | undefined {
  if (todoTxt || isTodoTxt(block.text)) return todoTxtMark(block, todoTxt);
  if (block.kind !== 'item') return undefined;
  const box = BOX.exec(block.text);
  const state = box?.[1] ?? '';
  const status = stateNamed(state);
  if (!box || status === undefined) return undefined;
  return {
    status,
    from: box[0].length,
    priority: state === '!' ? ('high' as const) : undefined,
    isQuestion: state === '?' ? true : undefined,
  };
}

function stateNamed(state: string): LoopStatus | undefined {
  const name = state.length === 1 ? state : state.trim().toLowerCase();
  return Object.hasOwn(STATES, name) ? STATES[name] : undefined;
}

const TODO_TXT_HEAD = /^(x )?(?:\(([A-Z])\) )?(?:(\d{4}-\d{2}-\d{2}) )?(?:(\d{4}-\d{2}-\d{2}) )?/;

/** The line begins with `x`, priority, completion day and creation day, each optional. */
function todoTxtMark(block: Block, wholeFile: boolean): TaskMark | undefined {
  if (block.kind === 'item' || block.kind === 'row' || (wholeFile && block.kind === 'heading'))
    return undefined;
  const [head = '', done, letter, first, second] = TODO_TXT_HEAD.exec(block.text) ?? [];
  const created = done ? second : first;
  const priority = letter === undefined ? undefined : (priorityNamed(letter) ?? 'low');
  return {
    status: done ? 'done' : 'open',
    from: head.length,
    todoTxt: true,
    created: created !== undefined && isDay(created) ? created : undefined,
    priority,
  };
}
