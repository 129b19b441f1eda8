/**
 * Rules for headings, nesting limits and to-do lists. Trilium notes have no first-level headings, because the title
 * is the first level: a first heading that repeats the title is dropped, and if another first-level heading remains,
 * all headings move down one level.
 */
import type { MarkdownIt, StateBlock, StateCore, Token } from 'markdown-it';
import type { TreeBuilder } from '../build.ts';

export interface HeadingsEnv {
  readonly title?: string | undefined;
  /** Set when a first-level heading has moved the others. */
  hasFirstLevel?: boolean;
}

export function headingsBelowTitle(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'headings_below_title', (state) => {
    const env = state.env as HeadingsEnv;
    dropTitle(state.tokens, env.title);
    const headings = state.tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close');
    if (!headings.some(({ tag }) => tag === 'h1')) return;
    env.hasFirstLevel = true;
    for (const heading of headings) heading.tag = `h${Math.min(6, Number(heading.tag[1]) + 1)}`;
  });
}

function dropTitle(tokens: Token[], title: string | undefined): void {
  if (title === undefined) return;
  const at = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  const inline = tokens[at + 1];
  if (at < 0 || !inline) return;
  const shown = (inline.children ?? []).map(({ content }) => content).join('');
  if ([inline.content, shown].some((text) => text.trim() === title.trim())) tokens.splice(at, 3);
}

/**
 * Limits nesting. The parser would drop content nested too deeply; here it becomes text. Inline nesting is limited
 * further, because each level costs time at every bracket.
 */

const BLOCK_LEVELS = 100;
const INLINE_LEVELS = 20;

export function bounds(md: MarkdownIt): void {
  md.core.ruler.before('block', 'block_levels', (state) => {
    // Blocks nest by up to two levels at a time, so the library's own limit is never reached.
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

/** `- [ ] text` as a to-do list of Trilium's editor: a label with a checkbox and a description. */

const BOX = /^\[([ xX])\][ \t]+(?=\S)/;

export function taskLists(md: MarkdownIt): void {
  md.core.ruler.after('block', 'task_lists', (state) => {
    if (!state.tokens.some((token) => token.type === 'inline' && BOX.test(token.content))) return;
    const lists: Token[] = [];
    const result: Token[] = [];
    for (let at = 0; at < state.tokens.length; at++) {
      const token = state.tokens[at]!;
      if (token.type === 'bullet_list_open' || token.type === 'ordered_list_open') lists.push(token);
      if (token.type === 'bullet_list_close' || token.type === 'ordered_list_close') lists.pop();
      const box = token.type === 'inline' ? boxOf(state.tokens, at) : undefined;
      const list = lists[lists.length - 1];
      if (box === undefined || list?.type !== 'bullet_list_open') {
        result.push(token);
        continue;
      }
      list.attrSet('class', 'todo-list');
      state.tokens[at - 1]!.hidden = state.tokens[at + 1]!.hidden = true;
      token.content = token.content.slice(box[0].length);
      result.push(...labelled(state, token, box[1] !== ' '));
    }
    state.tokens = result;
  });
}

/** The checkbox at the start of an item's first paragraph. */
function boxOf(tokens: readonly Token[], at: number): RegExpExecArray | undefined {
  if (tokens[at - 1]?.type !== 'paragraph_open' || tokens[at - 2]?.type !== 'list_item_open')
    return undefined;
  return BOX.exec(tokens[at]!.content) ?? undefined;
}

function labelled({ Token: Made }: StateCore, inline: Token, isDone: boolean): Token[] {
  const start = new Made('task_start', '', 0);
  start.meta = { isDone };
  return [start, inline, new Made('task_end', '', 0)];
}

const LABEL = new Map([['class', 'todo-list__label']]);
const DESCRIPTION = new Map([['class', 'todo-list__label__description']]);
const BOX_TO_DO = new Map([
  ['type', 'checkbox'],
  ['disabled', 'disabled'],
]);
const BOX_DONE = new Map([
  ['type', 'checkbox'],
  ['checked', 'checked'],
  ['disabled', 'disabled'],
]);

export function startTask({ meta }: Token, builder: TreeBuilder): void {
  builder.open('label', LABEL);
  builder.open('input', (meta as { isDone: boolean }).isDone ? BOX_DONE : BOX_TO_DO);
  builder.open('span', DESCRIPTION);
}

export function endTask(_: Token, builder: TreeBuilder): void {
  builder.close('span');
  builder.close('label');
}
