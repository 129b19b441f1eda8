/** Plain text of a note for search: one line per block, images by their alt text. */

import { type Element, isBlock, type Node } from './elements.ts';
import { parseHtml } from './parse.ts';
import { collapseSpace } from './whitespace.ts';

export function readableText(html: string): string {
  const pieces: string[] = [];
  read(collapseSpace(parseHtml(html)), pieces);
  return pieces
    .join('')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

function read(children: readonly Node[], pieces: string[]): void {
  for (const child of children) {
    if (typeof child === 'string') pieces.push(child);
    else readElement(child, pieces);
  }
}

function readElement(node: Element, pieces: string[]): void {
  const edge = edgeOf(node);
  pieces.push(edge, node.name === 'img' ? (node.attributes.get('alt') ?? '') : '');
  read(node.children, pieces);
  pieces.push(edge);
}

/** Cells of a row stay on one line. */
function edgeOf(node: Element): string {
  if (node.name === 'td' || node.name === 'th') return ' ';
  return node.name === 'br' || isBlock(node) ? '\n' : '';
}
