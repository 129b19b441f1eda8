/** Canvases as the JSON Canvas 1.0 specification has them (jsoncanvas.org). Unknown keys are nobody's business here. */
import { AppError } from '../../shared/errors.ts';
import { isRecord } from '../../shared/records.ts';
import { type NotePath, nameOf } from '../path.ts';
import { BOM } from '../text/text.ts';

export interface CanvasNode extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly type: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface CanvasEdge extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly fromNode: string;
  readonly toNode: string;
}

export interface Canvas {
  readonly nodes: readonly CanvasNode[];
  readonly edges: readonly CanvasEdge[];
  /** What of the file is left out because it does not keep to the specification. */
  readonly problems: readonly string[];
}

const NODE_TYPES = ['text', 'file', 'link', 'group'] as const;
const SIDES: readonly unknown[] = ['top', 'right', 'bottom', 'left'];
const ENDS: readonly unknown[] = ['none', 'arrow'];
const STYLES: readonly unknown[] = ['cover', 'ratio', 'repeat'];

type Check = (value: unknown) => string | undefined;
const isText: Check = (value) => (typeof value === 'string' ? undefined : 'must be a text');
const isName: Check = (value) =>
  typeof value === 'string' && value !== '' ? undefined : 'must be a text that is not empty';
const isInteger: Check = (value) => (Number.isSafeInteger(value) ? undefined : 'must be a whole number');
const isSize: Check = (value) =>
  Number.isSafeInteger(value) && Number(value) > 0 ? undefined : 'must be a whole number above 0';
const isColor: Check = (value) =>
  typeof value === 'string' && /^(?:[1-6]|#[0-9a-f]{3}|#[0-9a-f]{6})$/i.test(value)
    ? undefined
    : 'must be "1" to "6" or a hex color such as "#FF8800"';
const isSubpath: Check = (value) =>
  typeof value === 'string' && value.startsWith('#') ? undefined : 'must start with #';
const oneOf =
  (words: readonly unknown[]): Check =>
  (value) =>
    words.includes(value) ? undefined : `must be one of ${words.join(', ')}`;

interface Shape {
  readonly required: Readonly<Record<string, Check>>;
  readonly optional: Readonly<Record<string, Check>>;
}

const PLACE = { id: isName, x: isInteger, y: isInteger, width: isSize, height: isSize };

const NODE_SHAPES: Readonly<Record<(typeof NODE_TYPES)[number], Shape>> = {
  text: { required: { ...PLACE, text: isText }, optional: { color: isColor } },
  file: { required: { ...PLACE, file: isName }, optional: { color: isColor, subpath: isSubpath } },
  link: { required: { ...PLACE, url: isName }, optional: { color: isColor } },
  group: {
    required: PLACE,
    optional: { color: isColor, label: isText, background: isText, backgroundStyle: oneOf(STYLES) },
  },
};

const EDGE_SHAPE: Shape = {
  required: { id: isName, fromNode: isName, toNode: isName },
  optional: {
    fromSide: oneOf(SIDES),
    toSide: oneOf(SIDES),
    fromEnd: oneOf(ENDS),
    toEnd: oneOf(ENDS),
    color: isColor,
    label: isText,
  },
};

/** Keys that belong to nodes of some type. */
const NODE_KEYS = new Set(
  Object.values(NODE_SHAPES).flatMap(({ required, optional }) => [
    ...Object.keys(required),
    ...Object.keys(optional),
  ]),
);

/** What the specification does not allow; undefined when there is nothing. */
export function nodeProblem(node: Readonly<Record<string, unknown>>): string | undefined {
  const shape = NODE_SHAPES[node.type as keyof typeof NODE_SHAPES];
  if (!Object.hasOwn(NODE_SHAPES, String(node.type))) return `type must be one of ${NODE_TYPES.join(', ')}`;
  const foreign = Object.keys(node).find(
    (key) => NODE_KEYS.has(key) && !Object.hasOwn({ ...shape.required, ...shape.optional }, key),
  );
  if (foreign !== undefined) return `${foreign} does not belong to a node of type ${node.type}`;
  return problemIn(node, shape);
}

export function edgeProblem(edge: Readonly<Record<string, unknown>>): string | undefined {
  return problemIn(edge, EDGE_SHAPE);
}

function problemIn(entry: Readonly<Record<string, unknown>>, shape: Shape): string | undefined {
  for (const [key, check] of Object.entries(shape.required)) {
    if (entry[key] === undefined) return `${key} is missing`;
    const problem = check(entry[key]);
    if (problem !== undefined) return `${key} ${problem}`;
  }
  for (const [key, check] of Object.entries(shape.optional)) {
    const problem = entry[key] === undefined ? undefined : check(entry[key]);
    if (problem !== undefined) return `${key} ${problem}`;
  }
  return undefined;
}

/** The text without the mark that some programs put in front; an empty file is an empty canvas. */
export function canvasJson(text: string): string {
  const json = text.startsWith(BOM) ? text.slice(1) : text;
  return json.trim() === '' ? '{}' : json;
}

export function parseCanvas(path: NotePath, text: string): Canvas {
  const refuse = (problem: string) =>
    new AppError('unsupported', 'Not a canvas', {
      subject: path,
      hint: `${problem} Nothing was changed. A canvas is a JSON object with lists of nodes and edges.`,
    });
  let canvas: unknown;
  try {
    canvas = JSON.parse(canvasJson(text));
  } catch (error) {
    throw refuse(`${nameOf(path)} is not valid JSON: ${(error as SyntaxError).message}.`);
  }
  if (!isRecord(canvas)) throw refuse('It is JSON, but not an object.');
  const problems: string[] = [];
  const listOf = (key: 'nodes' | 'edges') => {
    const list = canvas[key] ?? [];
    if (!Array.isArray(list)) throw refuse(`"${key}" is not a list.`);
    return list as readonly unknown[];
  };
  const nodes = listOf('nodes').filter((node, at): node is CanvasNode => {
    const problem = readProblem(node, ['id', 'type'], ['x', 'y', 'width', 'height']);
    if (problem !== undefined) problems.push(`nodes[${at}]: ${problem}`);
    return problem === undefined;
  });
  const ids = new Set(nodes.map(({ id }) => id));
  const edges = listOf('edges').filter((edge, at): edge is CanvasEdge => {
    const problem =
      readProblem(edge, ['id', 'fromNode', 'toNode'], []) ?? danglingProblem(edge as CanvasEdge, ids);
    if (problem !== undefined) problems.push(`edges[${at}]: ${problem}`);
    return problem === undefined;
  });
  return { nodes, edges, problems };
}

/** What cannot be read at all; what is merely unusual can. */
function readProblem(
  entry: unknown,
  texts: readonly string[],
  numbers: readonly string[],
): string | undefined {
  if (!isRecord(entry)) return 'not an object';
  const text = texts.find((key) => typeof entry[key] !== 'string');
  if (text !== undefined) return `${text} is missing or no text`;
  const number = numbers.find((key) => !Number.isFinite(entry[key]));
  return number === undefined ? undefined : `${number} is missing or no number`;
}

export function danglingProblem(edge: CanvasEdge, ids: ReadonlySet<string>): string | undefined {
  const end = (['fromNode', 'toNode'] as const).find((key) => !ids.has(edge[key]));
  return end === undefined ? undefined : `${end} "${edge[end].slice(0, 80)}" is no node`;
}

/** The smallest group that lies around each node, by its place alone, as Obsidian has it. */
export function groupsAround(nodes: readonly CanvasNode[]): ReadonlyMap<string, string> {
  const area = ({ width, height }: CanvasNode) => width * height;
  const groups = nodes.filter(({ type }) => type === 'group').sort((a, b) => area(a) - area(b));
  const around = new Map<string, string>();
  for (const node of nodes) {
    const group = groups.find(
      (one) => one.id !== node.id && contains(one, node) && !(area(one) === area(node) && one.id > node.id),
    );
    if (group) around.set(node.id, group.id);
  }
  return around;
}

function contains(group: CanvasNode, node: CanvasNode): boolean {
  return (
    group.x <= node.x &&
    group.y <= node.y &&
    group.x + group.width >= node.x + node.width &&
    group.y + group.height >= node.y + node.height
  );
}

/** `a -> b (label)`; the arrow shows which ends have a tip. */
export function edgeText({ fromNode, toNode, fromEnd = 'none', toEnd = 'arrow', label }: CanvasEdge): string {
  const line = `${fromEnd === 'arrow' ? '<' : ''}-${toEnd === 'arrow' ? '>' : '-'}`;
  const arrow = line === '<--' ? '<-' : line;
  return `${fromNode} ${arrow} ${toNode}${typeof label === 'string' && label !== '' ? ` (${label})` : ''}`;
}
