/**
 * Removes insignificant white space between and around blocks. With `collapse`, other white space that browsers do
 * not show is removed too: runs become one blank, and none is left around <br>. Unchanged nodes are returned as the
 * identical objects.
 */
import {
  type Element,
  isBlock,
  isElement,
  KEEPS_SPACE,
  type Node,
  segments,
  withChildren,
} from './elements.ts';
import { isMath } from './rules/formulas.ts';

/** In runs of bounded length, because the regular expression engine's backtracking stack is limited. */
const SPACE = /[ \t\n\f\r]{1,10000}/g;
const BLANKS = / {2,10000}/g;
const COLLAPSIBLE = /[\t\n\f\r]| {2}/;

export function trimBlocks(children: readonly Node[]): readonly Node[] {
  return layOut(children, false);
}

export function collapseSpace(children: readonly Node[]): readonly Node[] {
  return layOut(children, true);
}

function layOut(children: readonly Node[], collapse: boolean): readonly Node[] {
  if (children.length === 0) return children;
  if (!children.some(isBlock)) return layOutRun(children, collapse);
  const laidOut: Node[] = [];
  let isChanged = false;
  for (const segment of children.every(isBlock) ? children : segments(children)) {
    if (Array.isArray(segment)) {
      const run = layOutRun(segment, collapse);
      if (run !== segment) isChanged = true;
      for (const node of run) laidOut.push(node);
    } else {
      const block = layOutBlock(segment, collapse);
      if (block !== segment) isChanged = true;
      laidOut.push(block);
    }
  }
  return isChanged ? laidOut : children;
}

function layOutBlock(block: Element, collapse: boolean): Element {
  if (KEEPS_SPACE.has(block.name)) return block;
  const children = layOut(block.children, collapse);
  return children === block.children ? block : withChildren(block, children);
}

function layOutRun(nodes: readonly Node[], collapse: boolean): readonly Node[] {
  let run = collapse ? collapseRun(nodes, { afterSpace: true }) : nodes;
  if (!showsAt(run, 'start')) run = trim(run, 'start').nodes;
  return showsAt(run, 'end') ? run : trim(run, 'end').nodes;
}

/** Counts as a single inline piece; its own white space is left alone. */
function isOpaque(node: Element): boolean {
  return node.children.length === 0 || node.name === 'code' || isMath(node);
}

interface RunState {
  /** Whether a blank here would follow another or start a line. */
  afterSpace: boolean;
}

function collapseRun(nodes: readonly Node[], state: RunState): readonly Node[] {
  let collapsed: Node[] | undefined;
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]!;
    const kept =
      typeof node === 'string' ? collapseText(node, nodes[index + 1], state) : collapseInside(node, state);
    if (kept === node && kept !== '') {
      collapsed?.push(node);
      continue;
    }
    collapsed ??= nodes.slice(0, index);
    if (kept !== '') collapsed.push(kept);
  }
  return collapsed ?? nodes;
}

function collapseText(written: string, next: Node | undefined, state: RunState): string {
  let text = COLLAPSIBLE.test(written) ? written.replace(SPACE, ' ').replace(BLANKS, ' ') : written;
  if (state.afterSpace && text.startsWith(' ')) text = text.slice(1);
  if (text.endsWith(' ') && isElement(next, 'br')) text = text.slice(0, -1);
  if (text !== '') state.afterSpace = text.endsWith(' ');
  return text;
}

function collapseInside(node: Element, state: RunState): Element {
  if (isOpaque(node)) {
    state.afterSpace = node.name === 'br';
    return node;
  }
  const children = collapseRun(node.children, state);
  return children === node.children ? node : withChildren(node, children);
}

type Edge = 'start' | 'end';

/** Whether nothing needs trimming at the edge. */
function showsAt(nodes: readonly Node[], edge: Edge): boolean {
  const node = nodes[edge === 'start' ? 0 : nodes.length - 1];
  if (node === undefined) return true;
  if (typeof node !== 'string') return isOpaque(node) || showsAt(node.children, edge);
  return node !== '' && !isSpace(node.charCodeAt(edge === 'start' ? 0 : node.length - 1));
}

interface TrimmedNodes {
  readonly nodes: Node[];
  /** Whether visible content was found. */
  readonly met: boolean;
}

function trim(nodes: readonly Node[], edge: Edge): TrimmedNodes {
  const kept = [...nodes];
  const [first, step] = edge === 'start' ? [0, 1] : [kept.length - 1, -1];
  let met = false;
  for (let index = first; index in kept && !met; index += step) {
    const node = kept[index]!;
    if (typeof node === 'string') {
      const text = edge === 'start' ? node.replace(/^[ \t\n\f\r]+/, '') : withoutSpaceAtEnd(node);
      kept[index] = text;
      met = text !== '';
    } else if (isOpaque(node)) {
      met = true;
    } else {
      const inside = trim(node.children, edge);
      kept[index] = withChildren(node, inside.nodes);
      met = inside.met;
    }
  }
  return { nodes: kept.filter((node) => node !== ''), met };
}

/** Not a regular expression: one anchored at the end only is quadratic in the number of spaces. */
function withoutSpaceAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 10 || code === 12 || code === 13;
}
