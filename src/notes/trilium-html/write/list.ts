/** Lists and the editor's to-do lists. */
import { type Element, hasExactly, isElement, type Node, segments } from '../tree.ts';
import type { BlockOptions } from './blocks.ts';
import { writeInline } from './inline.ts';

/** Writes the blocks of an item; handed in, since blocks and lists contain each other. */
export type WriteBlocks = (children: readonly Node[], options: BlockOptions) => string[];

interface ListKind {
  readonly isTodo: boolean;
  readonly first: number | undefined;
}

/** A list right after another one of its kind needs another marker, or the two would be one. */
export function markerFor(list: Element, previous: string | undefined): string {
  const isTodo = list.attributes.get('class') === 'todo-list';
  const [usual, other] = list.name === 'ol' ? ['.', ')'] : [isTodo ? '-' : '*', '+'];
  return previous === usual ? other! : usual!;
}

export function writeList(
  list: Element,
  marker: string,
  options: BlockOptions,
  writeBlocks: WriteBlocks,
): string | undefined {
  const kind = kindOf(list);
  const items = list.children.filter((child): child is Element => isElement(child, 'li'));
  if (!kind || items.length === 0 || items.length < list.children.length) return undefined;
  if (items.some((item) => item.attributes.size > 0)) return undefined;
  if (isOnlyParagraph(items)) return undefined;
  const isLoose = items.some((item) => item.children.some((child) => isElement(child, 'p')));
  const written = items.map((item, index) => {
    const lead = kind.first === undefined ? marker : `${kind.first + index}${marker}`;
    const task = kind.isTodo ? taskOf(item) : undefined;
    const blocks = task
      ? [`${task.box} ${writeInline(task.text, options)}`, ...itemBlocks(task.rest)]
      : itemBlocks(item.children);
    return indented(`${lead}${kind.isTodo ? ' ' : GAPS[list.name]}`, blocks.join(isLoose ? '\n\n' : '\n'));
  });
  return written.join(isLoose ? '\n\n' : '\n');

  function itemBlocks(children: readonly Node[]): string[] {
    return writeBlocks(children, { ...options, depth: options.depth + 1 });
  }
}

/** Markdown has a paragraph in an item only where there is space between two things. */
function isOnlyParagraph([item, ...others]: readonly Element[]): boolean {
  return others.length === 0 && item?.children.length === 1 && isElement(item.children[0], 'p');
}

const GAPS: Readonly<Record<string, string>> = { ul: '   ', ol: '  ' };

function kindOf(list: Element): ListKind | undefined {
  if (list.name === 'ul') {
    const isTodo = hasExactly(list, { class: 'todo-list' });
    return isTodo || hasExactly(list, {}) ? { isTodo, first: undefined } : undefined;
  }
  const start = list.attributes.get('start');
  if (list.attributes.size > (start === undefined ? 0 : 1)) return undefined;
  if (start !== undefined && (!/^\d{1,8}$/.test(start) || start === '1')) return undefined;
  return { isTodo: false, first: Number(start ?? 1) };
}

interface Task {
  readonly box: string;
  readonly text: readonly Node[];
  readonly rest: readonly Node[];
}

function taskOf(item: Element): Task | undefined {
  const [label, ...rest] = item.children;
  if (!isElement(label, 'label') || !hasExactly(label, { class: 'todo-list__label' })) return undefined;
  const [box, description, ...others] = label.children;
  if (!isElement(box, 'input') || !isElement(description, 'span') || others.length > 0) return undefined;
  if (!hasExactly(description, { class: 'todo-list__label__description' })) return undefined;
  if (description.children.length === 0 || rest.some((node) => segments([node]).some(Array.isArray)))
    return undefined;
  return { box: box.attributes.has('checked') ? '[x]' : '[ ]', text: description.children, rest };
}

function indented(lead: string, text: string): string {
  const indent = ' '.repeat(lead.length);
  const [first = '', ...lines] = text.split('\n');
  return [
    first === '' ? lead.trimEnd() : lead + first,
    ...lines.map((line) => (line === '' ? '' : indent + line)),
  ].join('\n');
}
