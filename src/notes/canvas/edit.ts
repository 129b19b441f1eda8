/**
 * Changes nodes and edges of a canvas. Only the characters of what changes are replaced: unknown keys, the order of
 * entries and the way the file is laid out stay.
 */
import { randomBytes } from 'node:crypto';
import { type Node, parseTree } from 'jsonc-parser';
import { AppError } from '../../shared/errors.ts';
import type { NotePath } from '../path.ts';
import { BOM } from '../text/text.ts';
import {
  type Canvas,
  type CanvasEdge,
  type CanvasNode,
  canvasJson,
  danglingProblem,
  edgeProblem,
  nodeProblem,
  parseCanvas,
} from './canvas.ts';

type Entry = Readonly<Record<string, unknown>>;

export interface CanvasEdit {
  /** Known ids are changed, others are added. An empty text takes an optional key away. */
  readonly setNodes: readonly Entry[];
  readonly setEdges: readonly Entry[];
  /** Ids of nodes and edges; the edges of a node go with it. */
  readonly remove: readonly string[];
}

export interface EditedCanvas {
  readonly text: string;
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

export function editCanvas(path: NotePath, source: string, edit: CanvasEdit): EditedCanvas {
  let json = canvasJson(source);
  const added: string[] = [];
  const changed: string[] = [];
  const removed: string[] = [];
  const read = () => parseCanvas(path, json);

  const removeId = (id: string) => {
    const canvas = read();
    const isNode = canvas.nodes.some((node) => node.id === id);
    if (!isNode && !canvas.edges.some((edge) => edge.id === id)) throw unknownId(canvas, id);
    const attached = canvas.edges.filter(
      ({ fromNode, toNode }) => isNode && (fromNode === id || toNode === id),
    );
    for (const edge of attached) json = withoutItem(json, 'edges', edge.id);
    json = withoutItem(json, isNode ? 'nodes' : 'edges', id);
    removed.push(...attached.map((edge) => edge.id), id);
  };
  const set = (list: 'nodes' | 'edges', given: Entry) => {
    const canvas = read();
    const known = (canvas[list] as readonly Entry[]).find(({ id }) => id === given.id);
    if (!known && given.id !== undefined && isTaken(canvas, given.id))
      throw wrongKind(list, String(given.id));
    const entry = known ? merged(known, given) : newEntry(list, canvas, given);
    assertValid(list, entry, canvas);
    if (known) json = withEntry(json, list, known, entry);
    else json = withItem(json, list, entry);
    (known ? changed : added).push(String(entry.id));
  };

  for (const id of edit.remove) if (!removed.includes(id)) removeId(id);
  for (const node of edit.setNodes) set('nodes', node);
  for (const edge of edit.setEdges) set('edges', edge);
  const text = source.startsWith(BOM) ? BOM + json : json;
  return { text: json === canvasJson(source) ? source : text, added, changed, removed };
}

function isTaken({ nodes, edges }: Canvas, id: unknown): boolean {
  return [...nodes, ...edges].some((entry) => entry.id === id);
}

function unknownId({ nodes }: Canvas, id: string): AppError {
  return new AppError('not_found', 'No node or edge of this id', {
    subject: id.slice(0, 80),
    hint: `Nothing was changed. read_canvas shows the ids${nodes.length === 0 ? '; this canvas is empty' : ''}.`,
  });
}

function wrongKind(list: 'nodes' | 'edges', id: string): AppError {
  const kind = list === 'nodes' ? 'an edge' : 'a node';
  return invalid(id, `this id is that of ${kind}`);
}

function invalid(id: string, problem: string): AppError {
  return new AppError('invalid_input', 'Not allowed in a canvas', {
    subject: `${id.slice(0, 80)}: ${problem}`,
    hint: 'Nothing was changed.',
  });
}

function merged(known: Entry, given: Entry): Entry {
  const entry: Record<string, unknown> = { ...known, ...given };
  for (const key of ['color', 'label', 'subpath', 'background', 'backgroundStyle', 'fromSide', 'toSide'])
    if (given[key] === '') delete entry[key];
  return entry;
}

function newEntry(list: 'nodes' | 'edges', canvas: Canvas, given: Entry): Entry {
  if (list === 'nodes' && given.type === undefined)
    throw given.id === undefined
      ? invalid('new node', 'type is missing')
      : unknownId(canvas, String(given.id));
  const { id = freshId(canvas), ...rest } = merged({}, given);
  if (list === 'edges') return { id, ...rest };
  const { type, ...content } = rest as Entry;
  return { id, type, ...freePlace(canvas.nodes), ...(SIZES[String(type)] ?? SIZES.text), ...content };
}

const SIZES: Readonly<Record<string, { readonly width: number; readonly height: number }>> = {
  text: { width: 260, height: 120 },
  file: { width: 400, height: 400 },
  link: { width: 400, height: 300 },
  group: { width: 600, height: 400 },
};

const GAP = 40;

/** Below everything, at the left edge: nothing is there, whatever its size. */
function freePlace(nodes: readonly CanvasNode[]): { readonly x: number; readonly y: number } {
  if (nodes.length === 0) return { x: 0, y: 0 };
  const x = Math.min(...nodes.map((node) => node.x));
  const y = Math.max(...nodes.map((node) => node.y + node.height));
  return { x: Math.round(x), y: Math.round(y) + GAP };
}

/** 16 hex digits, as Obsidian makes them. */
function freshId(canvas: Canvas): string {
  for (;;) {
    const id = randomBytes(8).toString('hex');
    if (!isTaken(canvas, id)) return id;
  }
}

function assertValid(list: 'nodes' | 'edges', entry: Entry, canvas: Canvas): void {
  const ids = new Set(canvas.nodes.map(({ id }) => id));
  const problem =
    list === 'nodes' ? nodeProblem(entry) : (edgeProblem(entry) ?? danglingProblem(entry as CanvasEdge, ids));
  if (problem !== undefined) throw invalid(String(entry.id), problem);
}

function splice(json: string, start: number, end: number, text: string): string {
  return json.slice(0, start) + text + json.slice(end);
}

const endOf = ({ offset, length }: Node) => offset + length;

function rootOf(json: string): Node {
  // The canvas has been parsed as JSON before.
  return parseTree(json)!;
}

function memberOf(object: Node, key: string): Node | undefined {
  return object.children?.findLast(({ children }) => children?.[0]?.value === key);
}

function itemOf(array: Node | undefined, id: string): Node | undefined {
  return array?.children?.find((item) => memberOf(item, 'id')?.children?.[1]?.value === id);
}

function listIn(json: string, list: string): Node | undefined {
  return memberOf(rootOf(json), list)?.children?.[1];
}

/** Takes an item of a list, or a member of an object, out with one comma and the space around it. */
function withoutChild(json: string, parent: Node, child: Node): string {
  const all = parent.children ?? [];
  const at = all.indexOf(child);
  const [before, after] = [all[at - 1], all[at + 1]];
  if (before) return splice(json, endOf(before), endOf(child), '');
  if (after) return splice(json, child.offset, after.offset, '');
  return splice(json, parent.offset + 1, endOf(parent) - 1, '');
}

function withoutItem(json: string, list: string, id: string): string {
  const array = listIn(json, list);
  const item = itemOf(array, id);
  return array && item ? withoutChild(json, array, item) : json;
}

/** Between two neighbours, as they are written elsewhere in the same parent. */
function separatorIn(json: string, { offset, children = [] }: Node): string {
  const [first, second] = children.slice(-2);
  if (first && second) return json.slice(endOf(first), second.offset);
  return first ? `,${json.slice(offset + 1, first.offset)}` : '';
}

function colonIn(json: string, member: Node | undefined): string {
  const [key, value] = member?.children ?? [];
  return key && value ? json.slice(endOf(key), value.offset) : ':';
}

function withItem(json: string, list: 'nodes' | 'edges', entry: Entry): string {
  const array = listIn(json, list);
  if (!array) return withMember(json, rootOf(json), list, `[${entryText(json, entry)}]`);
  const last = array.children?.at(-1);
  if (last)
    return splice(json, endOf(last), endOf(last), separatorIn(json, array) + entryText(json, entry, last));
  const [, indent = ''] = /\n([ \t]*)[^\n]*$/.exec(json.slice(0, array.offset)) ?? [];
  const eol = json.includes('\r\n') ? '\r\n' : '\n';
  const text = entryText(json, entry);
  const isLaidOut = /\n/.test(json);
  const inside = isLaidOut ? `${eol}${indent}${indent || '\t'}${text}${eol}${indent}` : text;
  return splice(json, array.offset + 1, endOf(array) - 1, inside);
}

/** On one line, as Obsidian writes it, unless the entry beside it has several. */
function entryText(json: string, entry: Entry, sibling?: Node): string {
  const members = sibling?.children ?? [];
  const colon = colonIn(json, members[0]);
  const comma = members.length > 1 ? separatorIn(json, sibling!) : ',';
  const [open, close] =
    members.length > 0
      ? [
          json.slice(sibling!.offset + 1, members[0]!.offset),
          json.slice(endOf(members.at(-1)!), endOf(sibling!) - 1),
        ]
      : ['', ''];
  const written = Object.entries(entry).map(
    ([key, value]) => JSON.stringify(key) + colon + JSON.stringify(value),
  );
  return `{${open}${written.join(comma)}${close}}`;
}

function withMember(json: string, object: Node, key: string, value: string): string {
  const last = object.children?.at(-1);
  const member = JSON.stringify(key) + colonIn(json, last) + value;
  if (!last) return splice(json, object.offset + 1, endOf(object) - 1, `\n\t${member}\n`);
  return splice(json, endOf(last), endOf(last), separatorIn(json, object) + member);
}

/** Replaces the values that differ. */
function withEntry(json: string, list: 'nodes' | 'edges', before: Entry, after: Entry): string {
  const id = String(before.id);
  const item = (text: string) => itemOf(listIn(text, list), id)!;
  let text = json;
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const [was, is] = [JSON.stringify(before[key]), JSON.stringify(after[key])];
    if (was === is) continue;
    const object = item(text);
    const member = memberOf(object, key);
    const value = member?.children?.[1];
    if (is === undefined) text = member ? withoutChild(text, object, member) : text;
    else if (value) text = splice(text, value.offset, endOf(value), is);
    else text = withMember(text, object, key, is);
  }
  return text;
}
