/** What a format of configuration files must be able to do. Offsets are into the text without a byte order mark. */
import type { Entry } from '../client.ts';

/** Where an entry is: in the map or list at `servers`, under `name`. */
export interface EntryPlace {
  readonly servers: string;
  readonly isList?: true;
  readonly name: string;
}

/** A mistake in a file, for the person who will mend it. Lines count from 1. */
export interface Mistake {
  readonly line: number;
  readonly problem: string;
}

export interface FormatEditor {
  /** The whole file as a value; an empty file is an empty record. */
  readonly parse: (text: string) => unknown;
  /** The first thing that is wrong; undefined for a file that can be parsed. */
  readonly mistakeIn: (text: string) => Mistake | undefined;
  /** The text with the entry added, or its value replaced. All other bytes stay. Undefined for a shape that is not known. */
  readonly set: (text: string, place: EntryPlace, entry: Entry) => string | undefined;
  readonly remove: (text: string, place: EntryPlace) => string | undefined;
}

/** The text with pieces replaced, each given by its range in the original; pieces at one place keep their order. */
export function spliced(
  text: string,
  ...pieces: readonly (readonly [start: number, end: number, by: string])[]
): string {
  let result = '';
  let done = 0;
  for (const [start, end, by] of [...pieces].sort(([a], [b]) => a - b)) {
    result += text.slice(done, start) + by;
    done = Math.max(done, end);
  }
  return result + text.slice(done);
}

export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

export function lineStart(text: string, offset: number): number {
  return text.lastIndexOf('\n', offset - 1) + 1;
}

/** Before the line break; the end of the text for its last line. */
export function lineEnd(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  if (at < 0) return text.length;
  return text[at - 1] === '\r' && at > offset ? at - 1 : at;
}

/** Behind the line break. */
export function nextLine(text: string, offset: number): number {
  const at = text.indexOf('\n', offset);
  return at < 0 ? text.length : at + 1;
}

export function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(lineStart(text, offset)))?.[0] ?? '';
}
