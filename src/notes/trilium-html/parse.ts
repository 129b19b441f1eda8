/** HTML to a tree of what a note may hold. */
import { createTreeBuilder } from './build.ts';
import { liftBlocks } from './lift-blocks.ts';
import { sanitize } from './sanitize.ts';
import { tokenize } from './tokenize.ts';
import type { Node } from './tree.ts';

export function parseHtml(html: string): readonly Node[] {
  const builder = createTreeBuilder();
  tokenize(html.includes('\r') ? html.replace(/\r\n?/g, '\n') : html, builder);
  const { children, unclosed, hasBlockInLine } = builder.finish();
  const clean = sanitize(children, { unclosed });
  return hasBlockInLine ? liftBlocks(clean) : clean;
}
