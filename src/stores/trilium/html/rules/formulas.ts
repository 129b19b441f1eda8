/** `$x$` inside a line, `$$x$$` inside a line or on its own lines. */
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it';
import { type Element, element, isElement, type Node } from '../elements.ts';

/** Trilium's formulas: `<span class="math-tex">` around `\(…\)` inline or `\[…\]` as a block. */
export function isMath(node: Node): boolean {
  return isElement(node, 'span') && node.attributes.size > 0 && node.attributes.get('class') === 'math-tex';
}

interface Formula {
  readonly tex: string;
  readonly display: boolean;
}

/** Undefined for a span that holds anything but one formula. */
export function readMath(node: Node): Formula | undefined {
  if (!isElement(node) || !isMath(node) || node.attributes.size !== 1 || node.children.length !== 1)
    return undefined;
  const [text] = node.children;
  if (typeof text !== 'string') return undefined;
  if (text.startsWith('\\(') && text.endsWith('\\)')) return { tex: text.slice(2, -2), display: false };
  if (text.startsWith('\\[') && text.endsWith('\\]')) return { tex: text.slice(2, -2), display: true };
  return undefined;
}

function isDisplayMath(node: Node | undefined): boolean {
  return node !== undefined && readMath(node)?.display === true;
}

/** The formulas of a run that consists of block formulas only; undefined for any other run. */
export function onlyDisplayMath(run: readonly Node[]): Node[] | undefined {
  // Fast path: most runs begin with a word.
  if (typeof run[0] === 'string' && run[0].trim() !== '') return undefined;
  const shown = run.filter((node) => typeof node !== 'string' || node.trim() !== '');
  return shown.length > 0 && shown.every(isDisplayMath) ? shown : undefined;
}

export function mathElement({ tex, display }: Formula): Element {
  return element('span', { class: 'math-tex' }, [display ? `\\[${tex}\\]` : `\\(${tex}\\)`]);
}

const DOLLAR = 36;

export function formulas(md: MarkdownIt): void {
  md.inline.ruler.before('escape', 'formula', formulaInLine);
  md.block.ruler.before('fence', 'formula_block', formulaOnLines, {
    alt: ['paragraph', 'reference', 'blockquote', 'list'],
  });
}

function formulaInLine(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  if (src.charCodeAt(pos) !== DOLLAR) return false;
  const display = src.charCodeAt(pos + 1) === DOLLAR;
  const fence = display ? '$$' : '$';
  const start = pos + fence.length;
  const end = src.indexOf(fence, start);
  if (end < 0 || end + fence.length > posMax) return false;
  const tex = src.slice(start, end);
  if (display ? tex.trim() === '' : !isInlineTex(tex, src.charCodeAt(end + 1))) return false;
  if (!silent) state.push('tree', '', 0).meta = { nodes: [mathElement({ tex, display })] satisfies Node[] };
  state.pos = end + fence.length;
  return true;
}

/** Excludes prices: no blank inside the dollar signs, no digit after them, no escaped dollar sign. */
function isInlineTex(tex: string, after: number): boolean {
  const isDigit = after >= 48 && after <= 57;
  return tex !== '' && tex.trim() === tex && !tex.includes('\n') && !tex.endsWith('\\') && !isDigit;
}

/** Remembers where no closing sign was found, so that a text full of opening signs is not quadratic. */
interface FormulaEnv {
  noFormulaEnd?: { readonly from: number; readonly to: number };
}

function formulaOnLines(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const lineOf = (line: number) =>
    state.src.slice(state.bMarks[line]! + state.tShift[line]!, state.eMarks[line]).trimEnd();
  const first = lineOf(startLine);
  if (!first.startsWith('$$') || state.sCount[startLine]! - state.blkIndent >= 4) return false;
  let line = startLine;
  if (first.length < 4 || !first.endsWith('$$')) {
    line = endOfFormula(state, startLine, endLine, lineOf);
    if (line < 0) return false;
  }
  const lines = state.getLines(startLine, line + 1, state.blkIndent, false).trim();
  const tex = lines.slice(2, -2);
  if (tex.trim() === '' || tex.includes('$$')) return false;
  if (silent) return true;
  const token = state.push('tree', '', 0);
  token.block = true;
  token.map = [startLine, line + 1];
  token.meta = { nodes: [mathElement({ tex, display: true })] satisfies Node[] };
  state.line = line + 1;
  return true;
}

function endOfFormula(
  state: StateBlock,
  startLine: number,
  endLine: number,
  lineOf: (line: number) => string,
): number {
  const env = state.env as FormulaEnv;
  const known = env.noFormulaEnd;
  if (known && startLine >= known.from && startLine < known.to) return -1;
  let line = startLine + 1;
  for (; line < endLine && state.sCount[line]! >= state.blkIndent; line++) {
    const text = lineOf(line);
    if (text === '') break;
    if (text.endsWith('$$')) return line;
  }
  env.noFormulaEnd = { from: startLine, to: line };
  return -1;
}
