/** Action items and decisions in a table with columns such as Action, Owner and Due. */
import type { Block } from '../blocks.ts';
import { columnWords } from '../language/languages.ts';

export interface ActionRow {
  readonly block: Block;
  readonly action: Cell;
  readonly owner?: string;
  readonly due?: string;
  readonly done: boolean;
}

interface Cell {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

interface Columns {
  readonly action: number;
  readonly owner: number;
  readonly due: number;
  readonly status: number;
}

export function actionRows(blocks: readonly Block[]): Generator<ActionRow> {
  return rowsOf(blocks, COLUMNS.action);
}

/** Rows of a table whose own column is one of decisions. */
export function decisionRows(blocks: readonly Block[]): Generator<ActionRow> {
  return rowsOf(blocks, COLUMNS.decision);
}

const named = (words: string) => new RegExp(`^(?:${words})$`, 'iu');
const COLUMNS = {
  action: named(columnWords('action')),
  decision: named(columnWords('decision')),
  owner: named(columnWords('owner')),
  due: named(columnWords('due')),
  status: named(columnWords('status')),
};
const DONE = new RegExp(`^(?:\\[x\\]|x|✅|✔|(?:${columnWords('done')})(?![\\p{L}]))`, 'iu');

function* rowsOf(blocks: readonly Block[], wanted: RegExp): Generator<ActionRow> {
  let columns: Columns | undefined;
  let lastLine = -1;
  for (const block of blocks) {
    if (block.kind !== 'row') continue;
    if (block.line !== lastLine + 1) columns = undefined;
    const isHead = block.line !== lastLine + 1;
    lastLine = block.line;
    const cells = cellsOf(block.text);
    if (isHead) columns = columnsOf(cells, wanted);
    else if (columns && !cells.every(({ text }) => /^:?-+:?$/.test(text))) {
      const row = rowOf(block, cells, columns);
      if (row) yield row;
    }
  }
}

function columnsOf(cells: readonly Cell[], wanted: RegExp): Columns | undefined {
  const find = (pattern: RegExp) =>
    cells.findIndex(({ text }) => pattern.test(text.replace(/[*_]/g, '').trim()));
  const action = find(wanted);
  const [owner, due, status] = [find(COLUMNS.owner), find(COLUMNS.due), find(COLUMNS.status)];
  return action >= 0 && (owner >= 0 || due >= 0) ? { action, owner, due, status } : undefined;
}

function rowOf(block: Block, cells: readonly Cell[], columns: Columns): ActionRow | undefined {
  const action = cells[columns.action];
  if (!action || action.text === '') return undefined;
  const owner = cells[columns.owner]?.text;
  const due = cells[columns.due]?.text;
  const done = DONE.test((cells[columns.status]?.text ?? '').replace(/^[[*_]+(?=\p{L}{2})/u, ''));
  return { block, action, done, owner: owner || undefined, due: due || undefined };
}

/** Splits a row at its bars; a bar after a backslash or in a link is no separator. */
function cellsOf(text: string): Cell[] {
  const cells: Cell[] = [];
  const bars = [...text.matchAll(/(?<!\\)\|(?![^[\]]{0,80}\]\])/g)].slice(0, 50).map(({ index }) => index);
  for (const [index, bar] of bars.entries()) {
    const end = bars[index + 1] ?? text.length;
    const inner = text.slice(bar + 1, end);
    const start = bar + 1 + inner.length - inner.trimStart().length;
    const kept = inner.trim();
    if (index + 1 < bars.length || kept !== '') cells.push({ text: kept, start, end: start + kept.length });
  }
  return cells;
}
