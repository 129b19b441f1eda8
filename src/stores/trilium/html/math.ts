/** Trilium's formulas: `<span class="math-tex">` around `\(…\)` inside a line, `\[…\]` on lines of its own. */
import { type Element, element, isElement, type Node } from './elements.ts';

export function isMath(node: Node): boolean {
  return isElement(node, 'span') && node.attributes.size > 0 && node.attributes.get('class') === 'math-tex';
}

interface Formula {
  readonly tex: string;
  readonly display: boolean;
}

/** Missing for a span that holds anything but one formula. */
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

/** The formulas of a run of text that holds nothing but displayed ones; missing for any other. */
export function onlyDisplayMath(run: readonly Node[]): Node[] | undefined {
  // Most runs begin with a word, and need no closer look.
  if (typeof run[0] === 'string' && run[0].trim() !== '') return undefined;
  const shown = run.filter((node) => typeof node !== 'string' || node.trim() !== '');
  return shown.length > 0 && shown.every(isDisplayMath) ? shown : undefined;
}

export function mathElement({ tex, display }: Formula): Element {
  return element('span', { class: 'math-tex' }, [display ? `\\[${tex}\\]` : `\\(${tex}\\)`]);
}
