/**
 * Keeps an Obsidian canvas true when files move: the files it shows, and the links inside its text cards.
 * Only characters inside the affected JSON strings change. What is not JSON comes back as it was.
 */

import { isRecord } from '../../shared/records.ts';
import type { Range } from '../markdown/regions.ts';
import { applySplices, BOM, type Splice } from '../text/text.ts';
import { planLinkEdits, type RewriteContext, type RewriteResult } from './rewrite.ts';
import { scanLinks } from './scan.ts';

/** A string value inside a JSON text, by its place, so that it can be changed alone. */
interface JsonString {
  /** Keys and array indexes from the top, for example `['nodes', 3, 'file']`. */
  readonly path: readonly (string | number)[];
  /** Between the quotes. */
  readonly inside: Range;
}

interface Level {
  readonly isArray: boolean;
  key: string | number;
}

/** Every string value in text order. The caller has checked that `json` is valid. */
function* jsonStrings(json: string): Generator<JsonString> {
  const levels: Level[] = [];
  let expectsKey = false;
  for (let at = 0; at < json.length; at++) {
    const char = json[at];
    const level = levels.at(-1);
    if (char === '{' || char === '[') {
      levels.push({ isArray: char === '[', key: 0 });
      expectsKey = char === '{';
    } else if (char === '}' || char === ']') {
      levels.pop();
    } else if (char === ',' && level) {
      expectsKey = !level.isArray;
      if (level.isArray) level.key = Number(level.key) + 1;
    } else if (char === '"') {
      const inside = { start: at + 1, end: closingQuote(json, at + 1) };
      if (level && expectsKey) level.key = JSON.parse(json.slice(at, inside.end + 1)) as string;
      else yield { path: levels.map(({ key }) => key), inside };
      expectsKey = false;
      at = inside.end;
    }
  }
}

/**
 * Decodes the inside of a JSON string. `offsets[i]` is where character `i` of the value begins in the JSON
 * text, and the last entry is the string's end.
 */
function decodeJsonString(json: string, { start, end }: Range): { value: string; offsets: Uint32Array } {
  const offsets = new Uint32Array(end - start + 1);
  let length = 0;
  for (let at = start; at < end; length++) {
    offsets[length] = at;
    at += json[at] !== '\\' ? 1 : json[at + 1] === 'u' ? 6 : 2;
  }
  offsets[length] = end;
  return { value: JSON.parse(`"${json.slice(start, end)}"`) as string, offsets };
}

function encodeJsonString(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function closingQuote(json: string, from: number): number {
  let at = from;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}

/** The key with a file name, by type of node. File paths are always full, from the root. */
const NODE_KEYS: Readonly<Record<string, string>> = { file: 'file', group: 'background', text: 'text' };

export function rewriteCanvas(json: string, context: RewriteContext): RewriteResult {
  const types = nodeTypes(json);
  if (!types) return { text: json, count: 0, stale: 0 };
  const edits: Splice[] = [];
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
  return { text: applySplices(json, edits), count: edits.length, stale };
}

/** The files that a canvas shows, and the targets of links in its cards. */
export function canvasLinks(json: string): { readonly files: string[]; readonly links: string[] } {
  const files: string[] = [];
  const links: string[] = [];
  const types = nodeTypes(json) ?? [];
  for (const { path, inside } of types.length > 0 ? jsonStrings(json) : []) {
    const [list, index, key] = path;
    const type = list === 'nodes' && path.length === 3 ? types[Number(index)] : undefined;
    if (type === undefined || NODE_KEYS[type] !== key) continue;
    const { value } = decodeJsonString(json, inside);
    if (type === 'text') links.push(...scanLinks(value).map(({ target }) => target));
    else files.push(value);
  }
  return { files, links };
}

function fileEdits(json: string, { inside }: JsonString, context: RewriteContext) {
  const { value } = decodeJsonString(json, inside);
  const path = context.before.at(value);
  const expected = path && context.moved(path);
  if (expected === undefined || expected === path) return { edits: [], stale: 0 };
  return { edits: [{ ...inside, text: encodeJsonString(expected) }], stale: 0 };
}

function textEdits(json: string, { inside }: JsonString, context: RewriteContext) {
  const { value, offsets } = decodeJsonString(json, inside);
  const { edits, stale } = planLinkEdits(value, context);
  const inJson = edits.map(({ start, end, text }) => ({
    start: offsets[start]!,
    end: offsets[end]!,
    text: encodeJsonString(text),
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
