/** `- [ ] text` as the editor's to-do lists have it: a label with a checkbox and a description. */
import type { MarkdownIt, StateCore, Token } from 'markdown-it';

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
  const label = new Made('task_label_open', 'label', 1);
  label.attrSet('class', 'todo-list__label');
  const box = new Made('task_box', 'input', 0);
  box.attrSet('type', 'checkbox');
  if (isDone) box.attrSet('checked', 'checked');
  box.attrSet('disabled', 'disabled');
  const description = new Made('task_text_open', 'span', 1);
  description.attrSet('class', 'todo-list__label__description');
  return [
    label,
    box,
    description,
    inline,
    new Made('task_text_close', 'span', -1),
    new Made('task_label_close', 'label', -1),
  ];
}
