/**
 * One tree for every HTML that says the same. These, and nothing else, may differ after a way to markdown and back:
 *
 * - space a browser does not show, blanks at the edges of emphasis, line breaks in inline code, space at the edges
 *   of a formula, the order of attributes, comments;
 * - `<b> <i> <s> <strike>` are `<strong> <em> <del> <del>`; emphasis that is empty, doubled or cut in two is not;
 * - a `<span>` without attributes is nothing; `<code>` has `spellcheck="false"`; a code block without a language
 *   has Trilium's automatic one; a checkbox has `checked="checked"`;
 *   an empty `alt` is none;
 * - a table stands in `<figure class="table">`; text outside of any block in `<p>`; a displayed formula in none;
 *   the only paragraph of a list's only item is that item's text.
 */
import { classOfFence } from './code-languages.ts';
import { HIGHLIGHT_STYLE } from './highlight.ts';
import { isMath, mathElement, onlyDisplayMath, readMath } from './math.ts';
import { type Element, element, hasExactly, isElement, type Node, segments, withChildren } from './tree.ts';
import { collapseSpace } from './whitespace.ts';

const SYNONYMS: Readonly<Record<string, string>> = { b: 'strong', i: 'em', s: 'del', strike: 'del' };
const EMPHASIS = new Set(['strong', 'em', 'del']);

/** Enough for anything but emphasis nested for the sake of it. */
const MAX_ROUNDS = 5;

export function canonical(children: readonly Node[]): Node[] {
  let tree = collapseSpace(rewrite(children, ''));
  // A blank that left its emphasis may meet an edge or another blank outside, and what it kept apart be one.
  for (let round = 0; round < MAX_ROUNDS && isUnsettled(tree); round++)
    tree = collapseSpace(shiftSpace(tree));
  return wrapText(tree, true);
}

function rewrite(children: readonly Node[], parent: string): Node[] {
  return merge(
    children.flatMap((child) => (typeof child === 'string' ? [child] : rewriteElement(child, parent))),
  );
}

function rewriteElement(node: Element, parent: string): Node[] {
  if (isMath(node)) return [canonicalMath(node)];
  if (node.name === 'pre') return [canonicalPre(node)];
  const name = SYNONYMS[node.name] ?? node.name;
  const inside = rewrite(node.children, name);
  if (name === 'span' && node.attributes.size === 0) return inside;
  const attributes = canonicalAttributes(name, node.attributes);
  const result: Element = { name, attributes, children: name === 'code' ? oneLine(inside) : inside };
  if (isPlainEmphasis(result)) return [withChildren(result, merge(inside, result))];
  if (name === 'table' && parent !== 'figure') return [element('figure', { class: 'table' }, [result])];
  return [result];
}

function canonicalAttributes(
  name: string,
  attributes: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> {
  if (name === 'code' && attributes.size === 0) return new Map([['spellcheck', 'false']]);
  if (name === 'img' && attributes.get('alt') === '')
    return new Map([...attributes].filter(([key]) => key !== 'alt'));
  if (name === 'input')
    return new Map([...attributes].map(([key, value]) => [key, key === 'type' ? value.toLowerCase() : key]));
  const style = attributes.get('style');
  if (style !== undefined && bare(style) === bare(HIGHLIGHT_STYLE))
    return new Map([...attributes, ['style', HIGHLIGHT_STYLE]]);
  return attributes;
}

function bare(style: string): string {
  return style.replace(/[\s;]/g, '');
}

function canonicalPre(pre: Element): Element {
  const [code, ...others] = pre.children;
  if (!isElement(code, 'code') || others.length > 0 || code.attributes.size > 0) return pre;
  return withChildren(pre, [element('code', { class: classOfFence('') }, code.children)]);
}

/** Inside a formula a line break may end a comment: only the edges are free. */
function canonicalMath(node: Element): Element {
  const formula = readMath(node);
  if (!formula) return node;
  const tex = formula.tex.trim();
  const edge = tex.includes('\n') ? '\n' : ' ';
  const start = /^\s/.test(formula.tex) || edge === '\n' ? edge : '';
  const end = /\s$/.test(formula.tex) || edge === '\n' ? edge : '';
  return mathElement({ tex: `${start}${tex}${end}`, display: formula.display });
}

function oneLine(children: readonly Node[]): Node[] {
  return children.map((child) => (typeof child === 'string' ? child.replace(/\r?\n/g, ' ') : child));
}

/** Neighbouring texts are one text; emphasis that goes on where it ended is one, and none inside itself. */
function merge(children: Node[], parent?: Element): Node[] {
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
  return children.every((child, index) => {
    if (index > 0 && isContinued(children[index - 1]!, child)) return false;
    if (typeof child === 'string') return child !== '';
    return !isPlainEmphasis(child) || (child.children.length > 0 && child.name !== parent?.name);
  });
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
  return EMPHASIS.has(node.name) && node.attributes.size === 0;
}

/** Somewhere inside, emphasis has a blank at its edge, is empty, or could be joined with other. */
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

/** Blanks at the edges of emphasis go outside, where markdown can have them. */
function shiftSpace(children: readonly Node[]): Node[] {
  const shifted = children.flatMap((child): Node[] => {
    if (typeof child === 'string' || child.name === 'pre' || child.name === 'code' || isMath(child))
      return [child];
    const inside = shiftSpace(child.children);
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

/** Text straight in one of these gets a paragraph. */
const HOLDS_PARAGRAPHS = new Set(['blockquote', 'aside']);

function wrapText(children: readonly Node[], holdsParagraphs: boolean): Node[] {
  return segments(children).flatMap((segment): Node[] => {
    if (Array.isArray(segment))
      return holdsParagraphs ? (onlyDisplayMath(segment) ?? [element('p', {}, segment)]) : segment;
    const { name } = segment;
    const formulas =
      name === 'p' && holdsParagraphs && hasExactly(segment, {}) && onlyDisplayMath(segment.children);
    if (formulas) return formulas;
    if (name === 'pre') return [segment];
    return [unwrapOnly(withChildren(segment, wrapText(segment.children, HOLDS_PARAGRAPHS.has(name))))];
  });
}

/** A list of one item cannot be written loosely in markdown. */
function unwrapOnly(list: Element): Element {
  const [item, ...others] = list.children;
  if ((list.name !== 'ul' && list.name !== 'ol') || others.length > 0 || !isElement(item, 'li')) return list;
  const [paragraph, ...rest] = item.children;
  if (!isElement(paragraph, 'p') || rest.length > 0 || !hasExactly(paragraph, {})) return list;
  return withChildren(list, [withChildren(item, paragraph.children)]);
}
