/** YAML, edited by splicing at the ranges of its nodes: block and flow style, maps and lists. */
import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  type Pair,
  parseDocument,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import type { Entry } from '../client.ts';
import {
  type EntryPlace,
  type FormatEditor,
  lineAt,
  lineEnd,
  lineStart,
  type Mistake,
  nextLine,
  spliced,
} from './format.ts';
import { flowText, styleOf, yamlScalar, yamlText } from './render.ts';

export const yaml: FormatEditor = {
  parse: (text) => documentOf(text).toJS() ?? {},
  mistakeIn(text) {
    const document = documentOf(text);
    const [error] = document.errors;
    if (error)
      return {
        line: lineAt(text, error.pos[0]),
        problem: error.message.split(/ at line \d+|\n/)[0] ?? 'not YAML',
      };
    const { contents } = document;
    const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
    if (!isEmpty && !isMap(contents))
      return { line: lineAt(text, contents.range?.[0] ?? 0), problem: 'a mapping is expected here' };
    return aliasMistake(document);
  },
  set: setEntry,
  remove: removeEntry,
};

function documentOf(text: string): Document.Parsed {
  return parseDocument(text, { keepSourceTokens: true });
}

/** Aliases are looked up when the values are made. */
function aliasMistake(document: Document.Parsed): Mistake | undefined {
  try {
    document.toJS();
    return undefined;
  } catch (error) {
    return { line: 1, problem: error instanceof Error ? error.message : String(error) };
  }
}

function setEntry(text: string, place: EntryPlace, entry: Entry): string | undefined {
  const { servers, name, isList } = place;
  const { contents } = documentOf(text);
  const { eol } = styleOf(text);
  const fresh = itemText(place, entry, eol, '  ');
  if (!isMap(contents)) return `${ended(text, eol)}${servers}:${eol}${fresh}${eol}`;
  const holder = pairOf(contents, servers);
  if (!holder) {
    if (contents.flow)
      return withFlowItem(
        text,
        contents,
        `${yamlScalar(servers)}: ${flowText(isList ? [entry] : { [name]: entry })}`,
      );
    return `${ended(text, eol)}${servers}:${eol}${fresh}${eol}`;
  }
  const items = holder.value;
  if (items === null || (isScalar(items) && items.value === null)) {
    const at = lineEnd(text, rangeOf(holder.key)?.[1] ?? 0);
    return spliced(text, [at, at, eol + fresh]);
  }
  if (!isMap(items) && !isSeq(items)) return undefined;
  if (isSeq(items) !== (isList === true)) return undefined;
  const old = itemOf(items, name);
  if (items.flow) {
    const flow = isList ? flowText(entry) : `${yamlScalar(name)}: ${flowText(entry)}`;
    const range = itemRange(text, items, old);
    return range ? spliced(text, [range[0], range[1], flow]) : withFlowItem(text, items, flow);
  }
  const indent = ' '.repeat(columnOf(text, items));
  const block = itemText(place, entry, eol, indent);
  if (old) {
    const range = itemRange(text, items, old);
    return range && spliced(text, [range[0], range[1], block.slice(indent.length)]);
  }
  const last = items.items.at(-1);
  const range = itemRange(text, items, last);
  if (!range) return undefined;
  const at = lineEnd(text, range[1]);
  return spliced(text, [at, at, eol + block]);
}

function removeEntry(text: string, { servers, name }: EntryPlace): string | undefined {
  const { contents } = documentOf(text);
  const holder = isMap(contents) ? pairOf(contents, servers) : undefined;
  const items = holder?.value;
  if (!isMap(items) && !isSeq(items)) return undefined;
  const old = itemOf(items, name);
  const range = itemRange(text, items, old);
  if (!range) return undefined;
  const all: unknown[] = items.items;
  const at = all.indexOf(old);
  if (items.flow) {
    const following = itemRange(text, items, all[at + 1]);
    if (following) return spliced(text, [range[0], following[0], '']);
    const preceding = itemRange(text, items, all[at - 1]);
    if (preceding) return spliced(text, [preceding[1], range[1], '']);
    const comma = /^\s*,/.exec(text.slice(range[1]))?.[0].length ?? 0;
    return spliced(text, [range[0], range[1] + comma, '']);
  }
  const end = nextLine(text, range[1]);
  // A file without a line break at its end keeps none.
  const hasEnd = end > 0 && text[end - 1] === '\n';
  const start = lineStart(text, range[0]);
  const lines: [number, number, string] = [
    hasEnd ? start : lineEnd(text, lineStart(text, start - 1)),
    end,
    '',
  ];
  if (all.length > 1) return spliced(text, lines);
  // Without its last item, the key would hold nothing at all, which is not the same as an empty map or list.
  const colon = text.indexOf(':', rangeOf(holder?.key)?.[1] ?? 0) + 1;
  return spliced(text, [colon, colon, isSeq(items) ? ' []' : ' {}'], lines);
}

/** Lines of a block item, indented from the first on. */
function itemText({ name, isList }: EntryPlace, entry: Entry, eol: string, indent: string): string {
  const inner = `${indent}  `;
  if (isList) return `${indent}- ${yamlText(entry, { eol }, inner)}`;
  return `${indent}${yamlScalar(name)}:${eol}${inner}${yamlText(entry, { eol }, inner)}`;
}

function withFlowItem(text: string, items: YAMLMap | YAMLSeq, item: string): string | undefined {
  const last = items.items.at(-1);
  const range = itemRange(text, items, last);
  if (range) return spliced(text, [range[1], range[1], `, ${item}`]);
  const at = (items.range?.[0] ?? 0) + 1;
  return spliced(text, [at, at, item]);
}

/** From the start of an item (of `-` in a block list) to behind its last character. */
function itemRange(
  text: string,
  items: YAMLMap | YAMLSeq,
  item: unknown,
): readonly [number, number] | undefined {
  if (item === undefined) return undefined;
  const first = rangeOf(isPair(item) ? item.key : item);
  const value = isPair(item) ? rangeOf(item.value) : first;
  if (!first) return undefined;
  const stop = Math.max(first[1], value?.[1] ?? 0);
  const isDash = isSeq(items) && !items.flow;
  const start = isDash ? text.lastIndexOf('-', first[0] - 1) : first[0];
  return [start, withoutComments(text, first[0], stop)];
}

/** The end of what is not blank or a comment on lines of its own. */
function withoutComments(text: string, from: number, to: number): number {
  let end = to;
  for (;;) {
    end = from + text.slice(from, end).trimEnd().length;
    const start = lineStart(text, end);
    if (start <= from || !/^\s*#/.test(text.slice(start, end))) return end;
    end = start;
  }
}

function rangeOf(node: unknown): readonly [number, number, number] | undefined {
  if (typeof node !== 'object' || node === null || !('range' in node)) return undefined;
  return (node.range as [number, number, number] | null) ?? undefined;
}

function pairOf(map: YAMLMap, key: string): Pair | undefined {
  return map.items.find((pair) => isScalar(pair.key) && pair.key.value === key);
}

function itemOf(items: YAMLMap | YAMLSeq, name: string): unknown {
  if (isMap(items)) return pairOf(items, name);
  return items.items.find((item) => isMap(item) && item.get('name') === name);
}

/** The column at which the items of a block start. */
function columnOf(text: string, items: YAMLMap | YAMLSeq): number {
  const [first] = items.items;
  const range = itemRange(text, items, first);
  return range ? range[0] - lineStart(text, range[0]) : 2;
}

function ended(text: string, eol: string): string {
  return text === '' || text.endsWith('\n') ? text : text + eol;
}
