/** Serializes a tree to HTML as browsers and Trilium's editor do. */
import { type Element, KEEPS_SPACE, type Node, VOID_ELEMENTS } from './elements.ts';

interface SerializeOptions {
  /** Sorts attributes by name, for comparisons. */
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

/** Joins pieces in batches, because a string built by many concatenations is a long rope, which is slow to flatten. */
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
  // Parsers drop the first line break inside <pre>.
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
