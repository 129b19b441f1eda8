/**
 * The canonical tree of equivalent HTML. Only these may differ after a round trip to markdown and back:
 *
 * - space a browser does not show, blanks at the edges of emphasis, line breaks in inline code, space at the edges
 *   of a formula, the order of attributes, comments;
 * - `<b> <i> <s> <strike>` become `<strong> <em> <del> <del>`; empty, doubled or split emphasis is normalized;
 * - a `<span>` without attributes is dropped; `<code>` has `spellcheck="false"`; a code block without a language
 *   has Trilium's automatic one; a checkbox has `checked="checked"`;
 *   an empty `alt` is dropped; the links of footnotes have no `aria-…`;
 * - a table stands in `<figure class="table">`; text outside of any block in `<p>`; a displayed formula in none.
 *
 * A tree that is canonical already is returned as the identical object.
 */
import { classOfFence } from './code-languages.ts';
import {
  type Element,
  element,
  HIGHLIGHT_STYLE,
  isBlock,
  isElement,
  type Node,
  segments,
  withChildren,
} from './elements.ts';
import { isMath, mathElement, onlyDisplayMath, readMath } from './rules/formulas.ts';
import { collapseSpace } from './whitespace.ts';

const SYNONYMS: ReadonlyMap<string, string> = new Map([
  ['b', 'strong'],
  ['i', 'em'],
  ['s', 'del'],
  ['strike', 'del'],
]);
const EMPHASIS = new Set(['strong', 'em', 'del']);

/** Enough for all but pathologically nested emphasis. */
const MAX_ROUNDS = 5;

export function canonical(children: readonly Node[]): readonly Node[] {
  let tree = collapseSpace(rewrite(children, ''));
  // A blank moved out of emphasis may meet another edge or blank, and the emphasis it separated may merge.
  for (let round = 0; round < MAX_ROUNDS && isUnsettled(tree); round++)
    tree = collapseSpace(shiftSpace(tree));
  return wrapText(tree, true);
}

function rewrite(children: readonly Node[], parent: string): readonly Node[] {
  let rewritten: Node[] | undefined;
  for (let index = 0; index < children.length; index++) {
    const child = children[index]!;
    const made = typeof child === 'string' ? child : rewriteElement(child, parent);
    if (made === child) {
      rewritten?.push(child);
      continue;
    }
    rewritten ??= children.slice(0, index);
    if (typeof made === 'object' && 'length' in made) for (const node of made) rewritten.push(node);
    else rewritten.push(made);
  }
  return merge(rewritten ?? children);
}

/** The replacement of an element; its children for an element without meaning. */
function rewriteElement(node: Element, parent: string): Element | readonly Node[] {
  if (isMath(node)) return canonicalMath(node);
  if (node.name === 'pre') return canonicalPre(node);
  const name = SYNONYMS.get(node.name) ?? node.name;
  const inside = rewrite(node.children, name);
  if (name === 'span' && node.attributes.size === 0) return inside;
  const result = rebuilt(node, {
    name,
    attributes: canonicalAttributes(name, node.attributes),
    children: name === 'code' ? oneLine(inside) : inside,
  });
  if (isPlainEmphasis(result)) return rebuilt(result, withChildren(result, merge(result.children, result)));
  return name === 'table' && parent !== 'figure' ? element('figure', { class: 'table' }, [result]) : result;
}

/** The old element if the new one equals it. */
function rebuilt(before: Element, after: Element): Element {
  const isSame =
    before.name === after.name &&
    before.attributes === after.attributes &&
    before.children === after.children;
  return isSame ? before : after;
}

const INLINE_CODE: ReadonlyMap<string, string> = new Map([['spellcheck', 'false']]);

function canonicalAttributes(
  name: string,
  attributes: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (attributes.size === 0) return name === 'code' ? INLINE_CODE : attributes;
  if (name === 'img' && attributes.get('alt') === '')
    return new Map([...attributes].filter(([key]) => key !== 'alt'));
  if (name === 'input')
    return new Map([...attributes].map(([key, value]) => [key, key === 'type' ? value.toLowerCase() : key]));
  if (name === 'a' && (attributes.has('data-footnote-ref') || attributes.has('data-footnote-backref')))
    return withoutAria(attributes);
  const style = attributes.get('style');
  if (style !== undefined && style !== HIGHLIGHT_STYLE && bare(style) === BARE_HIGHLIGHT)
    return new Map([...attributes, ['style', HIGHLIGHT_STYLE]]);
  return attributes;
}

function bare(style: string): string {
  return style.replace(/[\s;]/g, '');
}

/** Trilium's own footnotes have no `aria-…` attributes; some written by Quire have. */
function withoutAria(attributes: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  const kept = [...attributes].filter(([key]) => !key.startsWith('aria-'));
  return kept.length === attributes.size ? attributes : new Map(kept);
}

const BARE_HIGHLIGHT = bare(HIGHLIGHT_STYLE);

function canonicalPre(pre: Element): Element {
  const [code, ...others] = pre.children;
  if (!isElement(code, 'code') || others.length > 0 || code.attributes.size > 0) return pre;
  return withChildren(pre, [element('code', { class: classOfFence('') }, code.children)]);
}

/** Trims only the edges, because a line break inside a formula may end a comment. */
function canonicalMath(node: Element): Element {
  const formula = readMath(node);
  if (!formula) return node;
  const tex = formula.tex.trim();
  const edge = tex.includes('\n') ? '\n' : ' ';
  const start = /^\s/.test(formula.tex) || edge === '\n' ? edge : '';
  const end = /\s$/.test(formula.tex) || edge === '\n' ? edge : '';
  return mathElement({ tex: `${start}${tex}${end}`, display: formula.display });
}

function oneLine(children: readonly Node[]): readonly Node[] {
  if (!children.some((child) => typeof child === 'string' && child.includes('\n'))) return children;
  return children.map((child) => (typeof child === 'string' ? child.replace(/\r?\n/g, ' ') : child));
}

/** Merges adjacent texts and adjacent emphasis, and drops emphasis inside the same emphasis. */
function merge(children: readonly Node[], parent?: Element): readonly Node[] {
  if (isMerged(children, parent)) return children;
  const groups: Node[][] = [];
  for (const child of children.flatMap((node) => withoutIdle(node, parent))) {
    const group = groups[groups.length - 1];
    if (group && isContinued(group[0]!, child)) group.push(child);
    else groups.push([child]);
  }
  return groups.map((group) => (group.length === 1 ? group[0]! : joined(group)));
}

function isMerged(children: readonly Node[], parent: Element | undefined): boolean {
  for (let index = 0; index < children.length; index++) {
    const child = children[index]!;
    if (index > 0 && isContinued(children[index - 1]!, child)) return false;
    if (typeof child === 'string') {
      if (child === '') return false;
    } else if (isPlainEmphasis(child) && (child.children.length === 0 || child.name === parent?.name)) {
      return false;
    }
  }
  return true;
}

function withoutIdle(node: Node, parent: Element | undefined): readonly Node[] {
  if (typeof node === 'string') return node === '' ? [] : [node];
  if (!isPlainEmphasis(node)) return [node];
  return node.name === parent?.name || node.children.length === 0 ? node.children : [node];
}

function isContinued(first: Node, next: Node): boolean {
  if (typeof first === 'string' || typeof next === 'string') return typeof first === typeof next;
  return first.name === next.name && isPlainEmphasis(first) && isPlainEmphasis(next);
}

function joined(group: readonly Node[]): Node {
  const [first] = group;
  if (!isElement(first)) return group.join('');
  return withChildren(
    first,
    merge(
      group.flatMap((node) => (isElement(node) ? node.children : [])),
      first,
    ),
  );
}

function isPlainEmphasis(node: Element): boolean {
  return node.attributes.size === 0 && EMPHASIS.has(node.name);
}

/** Whether any emphasis has a blank at its edge, is empty, or could be merged. */
function isUnsettled(children: readonly Node[], parent?: Element): boolean {
  if (!isMerged(children, parent)) return true;
  return children.some(
    (child) => isElement(child) && (hasBlankEdge(child) || isUnsettled(child.children, child)),
  );
}

function hasBlankEdge(node: Element): boolean {
  if (!isPlainEmphasis(node)) return false;
  const [first] = node.children;
  const last = node.children[node.children.length - 1];
  return (
    (typeof first === 'string' && first.startsWith(' ')) || (typeof last === 'string' && last.endsWith(' '))
  );
}

/** Moves blanks from the edges of emphasis outside, as markdown requires. */
function shiftSpace(children: readonly Node[]): readonly Node[] {
  const shifted = children.flatMap((child): Node[] => {
    if (typeof child === 'string' || child.name === 'pre' || child.name === 'code' || isMath(child))
      return [child];
    const inside = [...shiftSpace(child.children)];
    if (!isPlainEmphasis(child)) return [withChildren(child, inside)];
    const first = inside[0];
    const starts = typeof first === 'string' && first.startsWith(' ');
    if (starts) inside[0] = first.slice(1);
    const last = inside[inside.length - 1];
    const ends = typeof last === 'string' && last.endsWith(' ');
    if (ends) inside[inside.length - 1] = last.slice(0, -1);
    const kept = inside.filter((node) => node !== '');
    return [starts ? ' ' : '', withChildren(child, merge(kept, child)), ends ? ' ' : ''];
  });
  return merge(shifted);
}

/** Text directly inside these gets a paragraph. */
const HOLDS_PARAGRAPHS = new Set(['blockquote', 'aside']);

function wrapText(children: readonly Node[], holdsParagraphs: boolean): readonly Node[] {
  if (!holdsParagraphs && !children.some(isBlock)) return children;
  const wrapped: Node[] = [];
  let isChanged = false;
  for (const segment of children.every(isBlock) ? children : segments(children)) {
    const made = Array.isArray(segment)
      ? wrapRun(segment, holdsParagraphs)
      : wrapInside(segment, holdsParagraphs);
    if (made !== segment) isChanged = true;
    if ('length' in made) for (const node of made) wrapped.push(node);
    else wrapped.push(made);
  }
  return isChanged ? wrapped : children;
}

function wrapRun(run: readonly Node[], holdsParagraphs: boolean): readonly Node[] {
  return holdsParagraphs ? (onlyDisplayMath(run) ?? [element('p', {}, run)]) : run;
}

function wrapInside(block: Element, holdsParagraphs: boolean): Element | readonly Node[] {
  const { name, children } = block;
  const formulas =
    name === 'p' && holdsParagraphs && block.attributes.size === 0 ? onlyDisplayMath(children) : undefined;
  if (formulas) return formulas;
  if (name === 'pre') return block;
  const inside = wrapText(children, HOLDS_PARAGRAPHS.has(name));
  return inside === children ? block : withChildren(block, inside);
}
