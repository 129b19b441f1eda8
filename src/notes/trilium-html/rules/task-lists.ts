/** `- [ ] text` as the editor's to-do lists have it: a label with a checkbox and a description. */
import type { MarkdownIt, StateCore, Token } from 'markdown-it';
import type { TreeBuilder } from '../build.ts';

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

/** The box at the start of an item's first paragraph. */
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
