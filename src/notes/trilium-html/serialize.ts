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
  let tag = `<${name}`;
  for (const [key, value] of sorted ? inOrder(attributes) : attributes)
    tag += ` ${key}="${escapeValue(value)}"`;
  return `${tag}>`;
}

function inOrder(attributes: ReadonlyMap<string, string>): [string, string][] {
  return [...attributes].sort(([one], [other]) => (one < other ? -1 : 1));
}

export function escapeText(text: string): string {
  return IN_TEXT.test(text) ? text.replace(EACH_IN_TEXT, (char) => ESCAPES[char]!) : text;
}

function escapeValue(value: string): string {
  return IN_VALUE.test(value) ? value.replace(EACH_IN_VALUE, (char) => ESCAPES[char]!) : value;
}

const IN_TEXT = /[&<>\u00a0]/;
const EACH_IN_TEXT = new RegExp(IN_TEXT, 'g');
const IN_VALUE = /[&"\u00a0]/;
const EACH_IN_VALUE = new RegExp(IN_VALUE, 'g');

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\u00a0': '&nbsp;',
};
