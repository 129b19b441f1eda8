/**
 * Space between and around blocks means nothing in HTML and goes. With `collapse`, so does all other space that
 * a browser would not show: runs of it become one blank, and around <br> there is none.
 */
import { isMath } from './math.ts';
import { isElement, KEEPS_SPACE, type Node, segments, withChildren } from './tree.ts';

/** In runs of a bounded length: the engine keeps a place to go back to for each character, and has room for so many. */
const SPACE = /[ \t\n\f\r]{1,10000}/g;
const BLANKS = / {2,10000}/g;

export function trimBlocks(children: readonly Node[]): Node[] {
  return layOut(children, false);
}

export function collapseSpace(children: readonly Node[]): Node[] {
  return layOut(children, true);
}

function layOut(children: readonly Node[], collapse: boolean): Node[] {
  return segments(children).flatMap((segment): Node[] => {
    if (!Array.isArray(segment))
      return [
        KEEPS_SPACE.has(segment.name) ? segment : withChildren(segment, layOut(segment.children, collapse)),
      ];
    const run = collapse ? collapseRun(segment, { afterSpace: true }) : segment;
    return trimEnd(trimStart(run).nodes).nodes;
  });
}

/** Counts as one piece: its space is its own affair. */
function isOpaque(node: Node): boolean {
  return isElement(node) && (node.children.length === 0 || node.name === 'code' || isMath(node));
}

function collapseRun(nodes: readonly Node[], state: { afterSpace: boolean }): Node[] {
  return nodes
    .map((node, index): Node => {
      if (typeof node === 'string') {
        let text = node.replace(SPACE, ' ').replace(BLANKS, ' ');
        if (state.afterSpace && text.startsWith(' ')) text = text.slice(1);
        if (text.endsWith(' ') && isElement(nodes[index + 1], 'br')) text = text.slice(0, -1);
        if (text !== '') state.afterSpace = text.endsWith(' ');
        return text;
      }
      if (!isOpaque(node)) return withChildren(node, collapseRun(node.children, state));
      state.afterSpace = node.name === 'br';
      return node;
    })
    .filter((node) => node !== '');
}

interface Trimmed {
  readonly nodes: Node[];
  /** Something to show was met. */
  readonly met: boolean;
}

function trimStart(nodes: readonly Node[]): Trimmed {
  const kept = [...nodes];
  let met = false;
  for (let index = 0; index < kept.length && !met; index++) {
    const node = kept[index]!;
    if (typeof node === 'string') {
      const text = node.replace(/^[ \t\n\f\r]+/, '');
      kept[index] = text;
      met = text !== '';
    } else if (isOpaque(node)) {
      met = true;
    } else {
      const inside = trimStart(node.children);
      kept[index] = withChildren(node, inside.nodes);
      met = inside.met;
    }
  }
  return { nodes: kept.filter((node) => node !== ''), met };
}

function trimEnd(nodes: readonly Node[]): Trimmed {
  const kept = [...nodes];
  let met = false;
  for (let index = kept.length - 1; index >= 0 && !met; index--) {
    const node = kept[index]!;
    if (typeof node === 'string') {
      const text = withoutSpaceAtEnd(node);
      kept[index] = text;
      met = text !== '';
    } else if (isOpaque(node)) {
      met = true;
    } else {
      const inside = trimEnd(node.children);
      kept[index] = withChildren(node, inside.nodes);
      met = inside.met;
    }
  }
  return { nodes: kept.filter((node) => node !== ''), met };
}

/** Not a pattern: one that is anchored at the end only is quadratic in the spaces before it. */
function withoutSpaceAtEnd(text: string): string {
  let end = text.length;
  while (end > 0 && ' \t\n\f\r'.includes(text[end - 1]!)) end--;
  return text.slice(0, end);
}
