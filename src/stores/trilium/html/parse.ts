/** Parses HTML to a sanitized tree. */
import { createTreeBuilder } from './build.ts';
import { type Element, isBlock, isElement, type Node, segments, withChildren } from './elements.ts';
import { sanitize } from './sanitize.ts';
import { tokenize } from './tokenize.ts';

/** Further inline elements around a block are dropped, because each is repeated for each block inside. */
const MAX_AROUND = 8;

/**
 * Removes blocks from inline elements: an inline element around a block is moved into it (`<b><p>x</p></b>`
 * becomes `<p><b>x</b></p>`), as in Trilium's editor.
 */
export function liftBlocks(children: readonly Node[]): readonly Node[] {
  const holders = new Set<Node>();
  for (const child of children) markHolders(child, holders);
  return holders.size === 0 ? children : lift(children, [], holders);
}

/** Whether the node contains a block; collects the inline elements that do. */
function markHolders(node: Node, holders: Set<Node>): boolean {
  if (!isElement(node)) return false;
  let holdsBlock = false;
  for (const child of node.children) if (markHolders(child, holders) || isBlock(child)) holdsBlock = true;
  if (holdsBlock && !isBlock(node)) holders.add(node);
  return holdsBlock;
}

function lift(children: readonly Node[], around: readonly Element[], holders: ReadonlySet<Node>): Node[] {
  return segments(children).flatMap((segment): Node[] => {
    if (!Array.isArray(segment))
      return [withChildren(segment, lift(segment.children, inside(segment, around), holders))];
    const lifted: Node[] = [];
    let run: Node[] = [];
    const endRun = () => {
      lifted.push(...wrapped(run, around));
      run = [];
    };
    for (const node of segment) {
      if (!isElement(node) || !holders.has(node)) {
        run.push(node);
        continue;
      }
      endRun();
      const deeper = around.length < MAX_AROUND ? [...around, node] : around;
      for (const inner of lift(node.children, deeper, holders)) lifted.push(inner);
    }
    endRun();
    return lifted;
  });
}

/** Code blocks contain nothing but code. */
function inside(block: Element, around: readonly Element[]): readonly Element[] {
  return block.name === 'pre' ? [] : around;
}

function wrapped(run: Node[], around: readonly Element[]): Node[] {
  if (run.every((node) => typeof node === 'string' && node.trim() === '')) return run;
  return around.reduceRight((inner: Node[], element) => [withChildren(element, inner)], run);
}

export function parseHtml(html: string): readonly Node[] {
  const builder = createTreeBuilder();
  tokenize(html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html, builder);
  const { children, unclosed, hasBlockInLine } = builder.finish();
  const clean = sanitize(children, { unclosed });
  return hasBlockInLine ? liftBlocks(clean) : clean;
}
