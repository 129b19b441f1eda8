/**
 * Builds a tree from tags and texts. End tags that HTML implies are added; stray end tags are ignored. The tree is
 * never deeper than `MAX_DEPTH`: deeper elements are left out and their texts stay, so that code may recurse over it.
 */
import { BLOCK_ELEMENTS, type Element, type Node, VOID_ELEMENTS } from './elements.ts';

const MAX_DEPTH = 200;

interface OpenElement {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  children: Node[];
}

export interface TreeBuilder {
  text(text: string): void;
  open(name: string, attributes: ReadonlyMap<string, string>): void;
  close(name: string): void;
  /** Adds a complete element. */
  add(node: Element): void;
  /** Whether no element is open. */
  isClosed(): boolean;
  finish(): BuiltTree;
}

interface BuiltTree {
  readonly children: readonly Node[];
  /** Elements without an end tag. */
  readonly unclosed: ReadonlySet<Element>;
  /** Whether any inline element contains a block. */
  readonly hasBlockInLine: boolean;
}

interface ImpliedEnd {
  readonly closes: readonly string[];
  readonly within: readonly string[];
}

/** Opening such an element closes the open ones in `closes`, up to the nearest one in `within`. */
const IMPLIES_END: Readonly<Record<string, ImpliedEnd>> = {
  li: { closes: ['li'], within: ['ul', 'ol', 'menu'] },
  dt: { closes: ['dt', 'dd'], within: ['dl'] },
  dd: { closes: ['dt', 'dd'], within: ['dl'] },
  td: { closes: ['td', 'th'], within: ['table'] },
  th: { closes: ['td', 'th'], within: ['table'] },
  tr: { closes: ['tr'], within: ['table'] },
  tbody: { closes: ['thead', 'tbody', 'tfoot', 'colgroup', 'caption'], within: ['table'] },
  thead: { closes: ['thead', 'tbody', 'tfoot', 'colgroup', 'caption'], within: ['table'] },
  tfoot: { closes: ['thead', 'tbody', 'tfoot', 'colgroup', 'caption'], within: ['table'] },
  a: { closes: ['a'], within: ['table', 'td', 'th', 'p', 'li', 'div'] },
};

/** Blocks end paragraphs and preformatted text, but not those outside an element in `within`. */
const ENDS_PARAGRAPHS: ImpliedEnd = { closes: ['p', 'pre'], within: ['td', 'th', 'caption', 'table'] };

const IMPLIED_ENDS: ReadonlyMap<string, ImpliedEnd> = new Map(Object.entries(IMPLIES_END));

/** Shared by all elements without children. */
const NO_CHILDREN: Node[] = [];

/** A new array for the first child, because V8 allocates seventeen slots when it is pushed to an empty one. */
function addChild(parent: OpenElement, child: Node): void {
  if (parent.children === NO_CHILDREN) parent.children = [child];
  else parent.children.push(child);
}

export function createTreeBuilder(): TreeBuilder {
  const root: OpenElement = { name: '', attributes: new Map(), children: NO_CHILDREN };
  let hasBlockInLine = false;
  const stack: OpenElement[] = [root];
  const unclosed = new Set<Element>();
  /** Elements left out because of their depth; their end tags must not close others. */
  const leftOut = new Map<string, number>();
  /** Number of open elements by name, which spares most searches of the stack. */
  const openCounts = new Map<string, number>();
  const top = () => stack[stack.length - 1]!;

  function push(opened: OpenElement): void {
    stack.push(opened);
    openCounts.set(opened.name, (openCounts.get(opened.name) ?? 0) + 1);
  }

  function pop(): OpenElement {
    const popped = stack.pop()!;
    openCounts.set(popped.name, openCounts.get(popped.name)! - 1);
    if (leftOut.size > 0) leftOut.clear();
    return popped;
  }

  function popTo(depth: number): void {
    while (stack.length > depth) unclosed.add(pop());
  }

  function closeNearest({ closes, within }: ImpliedEnd): void {
    if (!isAnyOpen(closes)) return;
    for (let depth = stack.length - 1; depth > 0; depth--) {
      const { name } = stack[depth]!;
      if (closes.includes(name)) popTo(depth);
      if (closes.includes(name) || within.includes(name)) return;
    }
  }

  function isAnyOpen(names: readonly string[]): boolean {
    for (let index = 0; index < names.length; index++) if (openCounts.get(names[index]!)) return true;
    return false;
  }

  function closeImplied(name: string): void {
    const rule = IMPLIED_ENDS.get(name);
    if (rule) closeNearest(rule);
    if (!BLOCK_ELEMENTS.has(name)) return;
    closeNearest(ENDS_PARAGRAPHS);
    if (stack.length > 1 && !BLOCK_ELEMENTS.has(top().name)) hasBlockInLine = true;
  }

  return {
    text(said) {
      const parent = top();
      const { name, children } = parent;
      // HTML drops the first line break inside <pre>.
      const text = name === 'pre' && children.length === 0 && said.startsWith('\n') ? said.slice(1) : said;
      const last = children[children.length - 1];
      // One string per run of text, so that patterns across the pieces are found.
      if (typeof last === 'string') children[children.length - 1] = last + text;
      else if (text !== '') addChild(parent, text);
    },
    open(name, attributes) {
      const opened: OpenElement = { name, attributes, children: NO_CHILDREN };
      closeImplied(name);
      const isVoid = VOID_ELEMENTS.has(name);
      if (stack.length > MAX_DEPTH) {
        if (!isVoid) leftOut.set(name, (leftOut.get(name) ?? 0) + 1);
        else addChild(top(), opened);
        return;
      }
      addChild(top(), opened);
      if (!isVoid) push(opened);
    },
    close(name) {
      const missing = leftOut.get(name) ?? 0;
      if (missing > 0) {
        leftOut.set(name, missing - 1);
        return;
      }
      if (!openCounts.get(name)) return;
      const isInline = !BLOCK_ELEMENTS.has(name);
      for (let depth = stack.length - 1; depth > 0; depth--) {
        const open = stack[depth]!;
        if (open.name === name) {
          popTo(depth + 1);
          pop();
          return;
        }
        if (isInline && BLOCK_ELEMENTS.has(open.name)) return;
      }
    },
    add(node) {
      closeImplied(node.name);
      addChild(top(), node);
    },
    isClosed: () => stack.length === 1,
    finish() {
      popTo(1);
      return { children: root.children, unclosed, hasBlockInLine };
    },
  };
}
