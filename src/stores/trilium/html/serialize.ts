/** A tree as HTML, the way browsers and Trilium's editor write it. */
import { type Element, KEEPS_SPACE, type Node, VOID_ELEMENTS } from './elements.ts';

interface SerializeOptions {
  /** Attributes in the order of their names, for comparing. */
  readonly sorted?: boolean;
}

export function serialize(children: readonly Node[], options: SerializeOptions = {}): string {
  const writer = createWriter();
  writeNodes(children, writer, options);
  return writer.finish();
}

interface Writer {
  write(text: string): void;
  finish(): string;
}

const PIECES_OF_A_CHUNK = 4_096;

/** Puts pieces together some at a time: a text grown by additions is a chain of them all, which is slow to collect. */
function createWriter(): Writer {
  const chunks: string[] = [];
  let pieces: string[] = [];
  return {
    write(text) {
      if (pieces.push(text) < PIECES_OF_A_CHUNK) return;
      chunks.push(pieces.join(''));
      pieces = [];
    },
    finish: () => chunks.join('') + pieces.join(''),
  };
}

function writeNodes(children: readonly Node[], writer: Writer, options: SerializeOptions): void {
  for (const child of children)
    if (typeof child === 'string') writer.write(escapeText(child));
    else writeElement(child, writer, options);
}

function writeElement(element: Element, writer: Writer, options: SerializeOptions): void {
  const { name, children } = element;
  writer.write(openTag(element, options));
  if (VOID_ELEMENTS.has(name)) return;
  const first = children[0];
  // The first line break inside <pre> is dropped by whoever reads it.
  if (KEEPS_SPACE.has(name) && typeof first === 'string' && first.startsWith('\n')) writer.write('\n');
  writeNodes(children, writer, options);
  writer.write(`</${name}>`);
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

function escapeText(text: string): string {
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
