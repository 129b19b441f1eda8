/**
 * A block as HTML that a markdown parser takes as one block: an empty line would end it, and a line of dashes make a
 * table of it.
 */
import { serialize } from '../serialize.ts';
import type { Element } from '../tree.ts';

export function rawBlock(node: Element, isNested: boolean): string {
  const html = serialize([node]);
  // Inside lists and quotations lines get something in front, which would end up in preformatted text.
  return isNested ? html.replaceAll('\n', '&#10;') : html.replace(/\n(?=[-:| \t]*(?:\n|$))/g, '&#10;');
}
