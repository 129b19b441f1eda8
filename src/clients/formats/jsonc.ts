/** JSON with comments and trailing commas, edited by splicing at the places of its syntax tree. */
import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser';
import type { Entry } from '../client.ts';
import {
  type EntryPlace,
  type FormatEditor,
  indentAt,
  lineAt,
  lineEnd,
  lineStart,
  nextLine,
  spliced,
} from './format.ts';
import { flowText, jsonText, styleOf, type TextStyle } from './render.ts';

const LENIENT = { allowTrailingComma: true, allowEmptyContent: true };

export const jsonc: FormatEditor = {
  parse(text) {
    const tree = parseTree(text, [], LENIENT);
    return tree ? plainValue(tree) : {};
  },
  mistakeIn(text) {
    const errors: ParseError[] = [];
    const tree = parseTree(text, errors, LENIENT);
    const [first] = errors;
    if (first)
      return { line: lineAt(text, first.offset), problem: wordsOf(printParseErrorCode(first.error)) };
    return tree && tree.type !== 'object'
      ? { line: lineAt(text, tree.offset), problem: 'an object is expected here' }
      : undefined;
  },
  set: setEntry,
  remove: removeEntry,
};

function setEntry(text: string, { servers, name }: EntryPlace, entry: Entry): string | undefined {
  const style = styleOf(text);
  const root = parseTree(text, [], LENIENT);
  if (!root) return `${jsonText({ [servers]: { [name]: entry } }, style)}${style.eol}`;
  const map = propertyOf(root, servers);
  if (!map) return withProperty(text, root, servers, { [name]: entry });
  const holder = map.children?.[1];
  if (holder?.type !== 'object') return undefined;
  const before = propertyOf(holder, name)?.children?.[1];
  if (!before) return withProperty(text, holder, name, entry);
  const isOneLine = lineAt(text, holder.offset) === lineAt(text, endOf(holder));
  const after = isOneLine ? flowText(entry) : jsonText(entry, style, indentAt(text, before.offset));
  return spliced(text, [before.offset, endOf(before), after]);
}

function removeEntry(text: string, { servers, name }: EntryPlace): string | undefined {
  const root = parseTree(text, [], LENIENT);
  const holder = root && propertyOf(root, servers)?.children?.[1];
  const property = holder && propertyOf(holder, name);
  if (!property || !holder?.children) return undefined;
  const at = holder.children.indexOf(property);
  const previous = holder.children[at - 1];
  const isLast = at === holder.children.length - 1;
  const comma = commaAfter(
    text,
    endOf(property),
    isLast ? endOf(holder) - 1 : (holder.children[at + 1]?.offset ?? 0),
  );
  const end = comma === undefined ? endOf(property) : comma + 1;
  if (!isLast || !previous || comma !== undefined)
    return spliced(text, wholeLines(text, property.offset, end));
  const before = commaAfter(text, endOf(previous), property.offset);
  if (before === undefined) return undefined;
  if (text.slice(before + 1, property.offset).trim() === '') return spliced(text, [before, end, '']);
  return spliced(text, [before, before + 1, ''], wholeLines(text, property.offset, end));
}

/** An object with one more property, in the style of those it has. */
function withProperty(text: string, object: Node, key: string, value: unknown): string {
  const style = styleOf(text);
  const last = object.children?.at(-1);
  const open = object.offset + 1;
  const close = endOf(object) - 1;
  const base = indentAt(text, object.offset);
  if (!last) {
    const blank = text.slice(open, close);
    const at = open + blank.trimEnd().length;
    const tail = text.slice(at, close).includes('\n') ? '' : style.eol + base;
    return spliced(text, [at, at, style.eol + propertyText(key, value, style, base + style.unit) + tail]);
  }
  const comma = commaAfter(text, endOf(last), close);
  const from = comma === undefined ? endOf(last) : comma + 1;
  const missing: [number, number, string] = [endOf(last), endOf(last), comma === undefined ? ',' : ''];
  const trailing = comma === undefined ? '' : ',';
  if (!text.slice(open, close).includes('\n'))
    return spliced(text, missing, [from, from, ` ${JSON.stringify(key)}: ${flowText(value)}${trailing}`]);
  const end = lineEnd(text, from);
  const isRestComment = /^\s*(?:\/\*.*\*\/\s*)?(?:\/\/.*)?$/.test(text.slice(from, end));
  const at = end < close && isRestComment ? end : from;
  const added = style.eol + propertyText(key, value, style, indentAt(text, last.offset)) + trailing;
  return spliced(text, missing, [at, at, added]);
}

function propertyText(key: string, value: unknown, style: TextStyle, indent: string): string {
  return `${indent}${JSON.stringify(key)}: ${jsonText(value, style, indent)}`;
}

/** The range and its lines, where nothing else is on them. */
function wholeLines(text: string, start: number, end: number): [number, number, string] {
  const first = lineStart(text, start);
  const isAlone = text.slice(first, start).trim() === '' && text.slice(end, lineEnd(text, end)).trim() === '';
  if (isAlone) return [first, nextLine(text, end), ''];
  const spaces = /^[ \t]*/.exec(text.slice(end))?.[0].length ?? 0;
  return [start, end + spaces, ''];
}

/** The first comma between two offsets that is in no comment. */
function commaAfter(text: string, from: number, to: number): number | undefined {
  const between = text
    .slice(from, to)
    .replace(/\/\/.*|\/\*[\s\S]*?\*\//g, (comment) => ' '.repeat(comment.length));
  const at = between.indexOf(',');
  return at < 0 ? undefined : from + at;
}

/** The last of its name, as `JSON.parse` takes it. */
function propertyOf(object: Node, key: string): Node | undefined {
  return object.type === 'object'
    ? object.children?.findLast(({ children }) => children?.[0]?.value === key)
    : undefined;
}

function endOf({ offset, length }: Node): number {
  return offset + length;
}

/** Own code, because the library's loses a key named `__proto__`. */
function plainValue({ type, children = [], value }: Node): unknown {
  if (type === 'array') return children.map(plainValue);
  if (type !== 'object') return value;
  return Object.fromEntries(
    children.flatMap(({ children: pair }) =>
      pair?.[0] && pair[1] ? [[pair[0].value, plainValue(pair[1])]] : [],
    ),
  );
}

/** `CommaExpected` as words. */
function wordsOf(code: string): string {
  return code.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}
