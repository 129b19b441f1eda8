/** Action items in a table with columns such as Action, Owner and Due. */
import type { Block } from '../blocks.ts';

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

export function* actionRows(blocks: readonly Block[]): Generator<ActionRow> {
  let columns: Columns | undefined;
  let lastLine = -1;
  for (const block of blocks) {
    if (block.kind !== 'row') continue;
    if (block.line !== lastLine + 1) columns = undefined;
    const isHead = block.line !== lastLine + 1;
    lastLine = block.line;
    const cells = cellsOf(block.text);
    if (isHead) columns = columnsOf(cells);
    else if (columns && !cells.every(({ text }) => /^:?-+:?$/.test(text))) {
      const row = rowOf(block, cells, columns);
      if (row) yield row;
    }
  }
}

function columnsOf(cells: readonly Cell[]): Columns | undefined {
  const find = (pattern: RegExp) => cells.findIndex(({ text }) => pattern.test(text.replace(/[*_]/g, '')));
  const action = find(/^(?:actions?(?: items?)?|tasks?|to-?dos?|what|aufgaben?|maßnahmen?|was)$/i);
  const owner = find(/^(?:owners?|who|assignees?|assigned(?: to)?|responsible|wer|verantwortlich)$/i);
  const due = find(/^(?:due(?: date| by)?|deadline|by when|when|date|bis(?: wann)?|termin|fällig)$/i);
  const status = find(/^(?:status|state|done)$/i);
  return action >= 0 && (owner >= 0 || due >= 0) ? { action, owner, due, status } : undefined;
}

function rowOf(block: Block, cells: readonly Cell[], columns: Columns): ActionRow | undefined {
  const action = cells[columns.action];
  if (!action || action.text === '') return undefined;
  const owner = cells[columns.owner]?.text;
  const due = cells[columns.due]?.text;
  const done = /^(?:\[x\]|x|done|yes|closed|erledigt|✅|✔)/i.test(cells[columns.status]?.text ?? '');
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
