/** Writes inline content as markdown, on one line except for hard breaks. Elements without a markdown form stay HTML. */
import {
  type Element,
  HIGHLIGHT_STYLE,
  hasExactly,
  isElement,
  type Node,
  textOf,
  VOID_ELEMENTS,
} from '../elements.ts';
import { labelOfReference } from '../footnotes.ts';
import { isMath, readMath } from '../rules/formulas.ts';
import { openTag } from '../serialize.ts';
import {
  codeSpan,
  type EscapeOptions,
  escapeEdges,
  escapeLineStart,
  escapeMarkdown,
  needsNoEscape,
} from './escape.ts';
import { type Mark, type Piece, settleMarks } from './marks.ts';

/** The part after a link's text; undefined if the link has attributes that markdown cannot express. */
function linkTarget({ attributes }: Element): string | undefined {
  const href = attributes.get('href');
  const isPlain = [...attributes.keys()].every((name) => name === 'href' || name === 'title');
  return isPlain && href !== undefined ? target(href, attributes.get('title')) : undefined;
}

function imageMarkdown({ attributes }: Element, options: EscapeOptions): string | undefined {
  const src = attributes.get('src');
  const isPlain = [...attributes.keys()].every((name) => ['src', 'alt', 'title'].includes(name));
  const end = isPlain && src !== undefined ? target(src, attributes.get('title')) : undefined;
  const alt = attributes.get('alt') ?? '';
  if (end === undefined || /[\n$]/.test(alt)) return undefined;
  return `![${escapeMarkdown(alt, { ...options, inLink: true })}${end}`;
}

function target(url: string, title: string | undefined): string | undefined {
  if (/[\n\r]/.test(url) || title?.includes('\n')) return undefined;
  const said = title === undefined ? '' : ` "${title.replace(/["\\&]/g, '\\$&')}"`;
  return `](${destination(url)}${said})`;
}

function destination(url: string): string {
  const escaped = url.replace(/[\\&]/g, (char, at: number) =>
    char === '\\' || /^&[#\da-z]+;/i.test(url.slice(at, at + 40)) ? `\\${char}` : char,
  );
  const isPlain = url !== '' && !/[\s<>\u0000-\u001f\u007f]/.test(url) && hasBalancedParentheses(url);
  return isPlain ? escaped : `<${escaped.replace(/[<>]/g, '\\$&')}>`;
}

function hasBalancedParentheses(url: string): boolean {
  let open = 0;
  for (const char of url) {
    if (char === '(') open++;
    else if (char === ')' && --open < 0) return false;
    // Parsers give up on deeply nested brackets.
    if (open > 8) return false;
  }
  return open === 0;
}

export interface InlineOptions {
  /** Set for headings and table cells, which cannot have a second line. */
  readonly oneLine?: boolean;
  /** Labels of the footnotes that are written as markdown. */
  readonly footnotes: ReadonlySet<string>;
}

interface Draft extends InlineOptions, EscapeOptions {
  readonly pieces: Piece[];
  readonly marks: Mark[];
}

const SIGNS: Readonly<Record<string, readonly string[]>> = { strong: ['**'], em: ['_', '*'], del: ['~~'] };

export function writeInline(nodes: readonly Node[], options: InlineOptions): string {
  const [only] = nodes;
  if (nodes.length === 1 && typeof only === 'string' && needsNoEscape(only))
    return escapeLineStart(escapeEdges(only));
  const said = nodes.map(textOf).join('');
  const draft: Draft = {
    ...options,
    pieces: [],
    marks: [],
    dollars: said.split('$', 3).length > 2 || (said.includes('$') && nodes.some(holdsMath)),
    brackets: said.includes('](') || said.includes(']['),
    inLink: false,
  };
  draftNodes(nodes, draft);
  settleMarks(draft.pieces, draft.marks);
  const text = escapeEdges(draft.pieces.map((piece) => piece.text).join(''));
  return text.split('\n').map(escapeLineStart).join('\n');
}

function holdsMath(node: Node): boolean {
  return isElement(node) && (isMath(node) || node.children.some(holdsMath));
}

function draftNodes(nodes: readonly Node[], draft: Draft): void {
  for (let index = 0; index < nodes.length; index++) {
    const node = nodes[index]!;
    if (typeof node === 'string') draft.pieces.push({ text: escapeMarkdown(node, draft) });
    else if (node.name === 'br') draft.pieces.push({ text: breakBetween(nodes, index, draft) });
    else if (isMath(node) && startsWithDigit(nodes[index + 1])) draftTag(node, draft);
    else draftElement(node, draft);
  }
}

/** A digit after the closing dollar sign would make a formula a price. */
function startsWithDigit(node: Node | undefined): boolean {
  return typeof node === 'string' && /^\d/.test(node);
}

/** A hard break needs text on both sides, because a tag alone on a line would begin a block. */
function breakBetween(nodes: readonly Node[], index: number, { oneLine, pieces }: Draft): string {
  const next = nodes[index + 1];
  const start = pieces.find(({ text }) => text !== '')?.text ?? '<';
  const isPlain = typeof nodes[index - 1] === 'string' && typeof next === 'string' && /^\S/.test(next);
  return isPlain && !oneLine && !start.startsWith('<') ? '  \n' : '<br>';
}

function draftElement(node: Element, draft: Draft): void {
  const signs = signsOf(node);
  const markdown = signs ? undefined : wholeMarkdown(node, draft);
  if (markdown !== undefined) {
    pushBracket(markdown, draft);
  } else if (signs && node.children.length > 0) {
    draftMark(node, signs, draft);
  } else if (node.name === 'a' && linkTarget(node) !== undefined && !draft.inLink) {
    pushBracket('[', draft);
    draftNodes(node.children, { ...draft, inLink: true });
    draft.pieces.push({ text: linkTarget(node)! });
  } else {
    draftTag(node, draft);
  }
}

/** Escapes an exclamation mark before a bracket, which would make an image of it. */
function pushBracket(text: string, { pieces }: Draft): void {
  const last = pieces[pieces.length - 1];
  if (text.startsWith('[') && last?.text.endsWith('!')) last.text = `${last.text.slice(0, -1)}\\!`;
  pieces.push({ text });
}

function signsOf(node: Element): readonly string[] | undefined {
  if (node.name === 'span') return hasExactly(node, { style: HIGHLIGHT_STYLE }) ? ['=='] : undefined;
  return node.attributes.size === 0 ? SIGNS[node.name] : undefined;
}

function draftMark(node: Element, signs: readonly string[], draft: Draft): void {
  const open = draft.pieces.push({ text: '' }) - 1;
  const place = draft.marks.push({ open, close: open, signs, openTag: '', closeTag: '' }) - 1;
  draftNodes(node.children, draft);
  const close = draft.pieces.push({ text: '' }) - 1;
  draft.marks[place] = { open, close, signs, openTag: lineTag(node), closeTag: `</${node.name}>` };
}

/** Elements whose markdown replaces the content instead of enclosing it. */
function wholeMarkdown(node: Element, draft: Draft): string | undefined {
  // Two adjacent code spans would merge.
  if (node.name === 'code') return lastText(draft).endsWith('`') ? undefined : codeSpan(node);
  if (node.name === 'img') return imageMarkdown(node, draft);
  if (isMath(node)) return formula(node);
  const label = labelOfReference(node);
  return label !== undefined && draft.footnotes.has(label) ? `[^${label}]` : undefined;
}

function lastText({ pieces }: Draft): string {
  return pieces[pieces.length - 1]?.text ?? '';
}

function draftTag(node: Element, draft: Draft): void {
  draft.pieces.push({ text: lineTag(node) });
  if (VOID_ELEMENTS.has(node.name)) return;
  draftNodes(node.children, draft);
  draft.pieces.push({ text: `</${node.name}>` });
}

function lineTag(node: Element): string {
  return openTag(node).replaceAll('\n', '&#10;');
}

function formula(node: Element): string | undefined {
  const math = readMath(node);
  if (!math || math.tex.includes('$') || math.tex.trim() === '') return undefined;
  if (math.display) return math.tex.includes('\n') ? undefined : `$$${math.tex}$$`;
  const isPlain = math.tex === math.tex.trim() && !math.tex.includes('\n') && !math.tex.endsWith('\\');
  return isPlain ? `$${math.tex}$` : undefined;
}
