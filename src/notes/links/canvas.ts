/**
 * Keeps an Obsidian canvas true when files move: the files it shows, and the links inside its text cards.
 * Only characters inside the affected JSON strings change. What is not JSON comes back as it was.
 */
import { BOM } from '../text.ts';
import { decodeJsonString, encodeJsonString, type JsonString, jsonStrings } from './json-strings.ts';
import { applyEdits, type LinkEdit, planLinkEdits, type RewriteContext, type Rewritten } from './rewrite.ts';

/** Which string of a node of each type speaks of files. File paths are always full, from the root. */
const NODE_KEYS: Readonly<Record<string, string>> = { file: 'file', group: 'background', text: 'text' };

export function rewriteCanvas(json: string, context: RewriteContext): Rewritten {
  const types = nodeTypes(json);
  if (!types) return { text: json, count: 0, stale: 0 };
  const edits: LinkEdit[] = [];
  let stale = 0;
  for (const string of jsonStrings(json)) {
    const [list, index, key] = string.path;
    if (list !== 'nodes' || string.path.length !== 3 || typeof index !== 'number') continue;
    const type = types[index];
    if (type === undefined || NODE_KEYS[type] !== key) continue;
    const planned = type === 'text' ? textEdits(json, string, context) : fileEdits(json, string, context);
    edits.push(...planned.edits);
    stale += planned.stale;
  }
  return { text: applyEdits(json, edits), count: edits.length, stale };
}

function fileEdits(json: string, { inside }: JsonString, context: RewriteContext) {
  const { value } = decodeJsonString(json, inside);
  const path = context.before.at(value);
  const expected = path && context.moved(path);
  if (expected === undefined || expected === path) return { edits: [], stale: 0 };
  return { edits: [{ ...inside, insert: encodeJsonString(expected) }], stale: 0 };
}

function textEdits(json: string, { inside }: JsonString, context: RewriteContext) {
  const { value, offsets } = decodeJsonString(json, inside);
  const { edits, stale } = planLinkEdits(value, context);
  const inJson = edits.map(({ start, end, insert }) => ({
    start: offsets[start]!,
    end: offsets[end]!,
    insert: encodeJsonString(insert),
  }));
  return { edits: inJson, stale };
}

/** The types of the canvas's nodes by index, or undefined when this is no canvas. */
function nodeTypes(json: string): (string | undefined)[] | undefined {
  let canvas: unknown;
  try {
    canvas = JSON.parse(json.startsWith(BOM) ? json.slice(1) : json);
  } catch {
    return undefined;
  }
  if (!isRecord(canvas) || !Array.isArray(canvas.nodes)) return undefined;
  return canvas.nodes.map((node: unknown) =>
    isRecord(node) && typeof node.type === 'string' ? node.type : undefined,
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
