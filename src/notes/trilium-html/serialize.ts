/** A tree as HTML, the way browsers and Trilium's editor write it. */
import { type Element, KEEPS_SPACE, type Node, VOID_ELEMENTS } from './tree.ts';

export interface SerializeOptions {
  /** Attributes in the order of their names, for comparing. */
  readonly sorted?: boolean;
}

export function serialize(children: readonly Node[], options: SerializeOptions = {}): string {
  let html = '';
  for (const child of children)
    html += typeof child === 'string' ? escapeText(child) : tagged(child, options);
  return html;
}

function tagged(element: Element, options: SerializeOptions): string {
  const { name, children } = element;
  if (VOID_ELEMENTS.has(name)) return openTag(element, options);
  const first = children[0];
  // The first line break inside <pre> is dropped by whoever reads it.
  const spare = KEEPS_SPACE.has(name) && typeof first === 'string' && first.startsWith('\n') ? '\n' : '';
  return `${openTag(element, options)}${spare}${serialize(children, options)}</${name}>`;
}

export function openTag({ name, attributes }: Element, { sorted = false }: SerializeOptions = {}): string {
  if (attributes.size === 0) return `<${name}>`;
  const entries = [...attributes];
  if (sorted) entries.sort(([one], [other]) => (one < other ? -1 : 1));
  return `<${name}${entries.map(([key, value]) => ` ${key}="${escapeValue(value)}"`).join('')}>`;
}

export function escapeText(text: string): string {
  return text.replace(/[&<>\u00a0]/g, (char) => ESCAPES[char]!);
}

function escapeValue(value: string): string {
  return value.replace(/[&"\u00a0]/g, (char) => ESCAPES[char]!);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\u00a0': '&nbsp;',
};
