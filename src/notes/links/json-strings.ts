/** Finds string values inside a JSON text by where they stand, so that one can be changed and all else kept. */
import type { Range } from '../markdown/range.ts';

export interface JsonString {
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
export function* jsonStrings(json: string): Generator<JsonString> {
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
export function decodeJsonString(
  json: string,
  { start, end }: Range,
): { value: string; offsets: Uint32Array } {
  const offsets = new Uint32Array(end - start + 1);
  let length = 0;
  for (let at = start; at < end; length++) {
    offsets[length] = at;
    at += json[at] !== '\\' ? 1 : json[at + 1] === 'u' ? 6 : 2;
  }
  offsets[length] = end;
  return { value: JSON.parse(`"${json.slice(start, end)}"`) as string, offsets };
}

export function encodeJsonString(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

function closingQuote(json: string, from: number): number {
  let at = from;
  while (json[at] !== '"') at += json[at] === '\\' ? 2 : 1;
  return at;
}
