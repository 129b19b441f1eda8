/**
 * Tags and texts to a tree. Missing end tags are supplied where HTML says they are implied; a stray end tag is
 * nothing. The tree is never deeper than `MAX_DEPTH`: deeper elements are left out and their texts stay, so that
 * whoever walks it may recurse.
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
  /** Puts in a finished element. */
  add(node: Element): void;
  /** Nothing is open. */
  isClosed(): boolean;
  finish(): BuiltTree;
}

interface BuiltTree {
  readonly children: readonly Node[];
  /** Elements without an end of their own. */
  readonly unclosed: ReadonlySet<Element>;
  /** Whether a block stands inside an inline element somewhere. */
  readonly hasBlockInLine: boolean;
}

interface ImpliedEnd {
  readonly closes: readonly string[];
  readonly within: readonly string[];
}

/** Opening one of these closes the open ones it names, up to the element that fences them in. */
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

/** Blocks end paragraphs and preformatted text, but not those around one of these. */
const ENDS_PARAGRAPHS: ImpliedEnd = { closes: ['p', 'pre'], within: ['td', 'th', 'caption', 'table'] };

const IMPLIED_ENDS: ReadonlyMap<string, ImpliedEnd> = new Map(Object.entries(IMPLIES_END));

/** Of every element until it gets its first child. */
const NO_CHILDREN: Node[] = [];

/** The engine makes room for seventeen when a first child is pushed to an empty list, and most elements have one. */
function addChild(parent: OpenElement, child: Node): void {
  if (parent.children === NO_CHILDREN) parent.children = [child];
  else parent.children.push(child);
}

export function createTreeBuilder(): TreeBuilder {
  const root: OpenElement = { name: '', attributes: new Map(), children: NO_CHILDREN };
  let hasBlockInLine = false;
  const stack: OpenElement[] = [root];
  const unclosed = new Set<Element>();
  /** Elements left out for their depth, whose end tags must not close others. */
  const leftOut = new Map<string, number>();
  /** How many elements of a name are open, so that most looks through the stack need not be taken. */
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
      // One string per run of text: neighbours would otherwise not be seen together.
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
