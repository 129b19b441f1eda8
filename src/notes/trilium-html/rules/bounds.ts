/**
 * Keeps the parser inside its bounds. By itself it drops what is nested too deeply; here it becomes text. Inside
 * lines it may nest less, since every level there costs time at each bracket.
 */
import type { MarkdownIt, StateBlock } from 'markdown-it';

const BLOCK_LEVELS = 100;
const INLINE_LEVELS = 20;

export function bounds(md: MarkdownIt): void {
  md.core.ruler.before('block', 'block_levels', (state) => {
    // Blocks nest by up to two levels at a time; the library's own limit is never reached.
    state.md.options.maxNesting = BLOCK_LEVELS * 2;
  });
  md.core.ruler.before('inline', 'inline_levels', (state) => {
    state.md.options.maxNesting = INLINE_LEVELS;
  });
  md.block.ruler.before('table', 'too_deep', asText);
}

function asText(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  if (silent || state.level < BLOCK_LEVELS) return false;
  state.push('paragraph_open', 'p', 1).map = [startLine, endLine];
  const inline = state.push('inline', '', 0);
  inline.content = state.getLines(startLine, endLine, state.blkIndent, false).trim();
  inline.map = [startLine, endLine];
  inline.children = [];
  state.push('paragraph_close', 'p', -1);
  state.line = endLine;
  return true;
}
