/** List items with everything that belongs to them. */
import type { Range } from './regions.ts';

const MARKER = /^((?:[ \t]*>)*)([ \t]*)(?:[-*+]|\d{1,9}[.)])[ \t]/;

/** The item that begins in the line at `lineStart`, with the deeper lines below it; undefined where none begins. */
export function itemAt(text: string, lineStart: number): Range | undefined {
  const first = MARKER.exec(lineAt(text, lineStart));
  if (!first) return undefined;
  const [, quote = '', indent = ''] = first;
  const width = columnsOf(indent);
  let end = lineEnd(text, lineStart);
  for (let at = end; at < text.length; at = lineEnd(text, at)) {
    const line = lineAt(text, at);
    const rest = withoutQuote(line, quote);
    if (rest === undefined) break;
    // Blank lines belong to it only when more of it follows.
    if (rest.trim() === '') continue;
    if (columnsOf(/^[ \t]*/.exec(rest)![0]) <= width) break;
    end = lineEnd(text, at);
  }
  return { start: lineStart, end };
}

/** The lines of an item as they are at the beginning of a line, without the signs of a quote around it. */
export function unindented(item: string): string {
  const [, quote = '', indent = ''] = MARKER.exec(item) ?? [];
  const width = columnsOf(indent);
  return item
    .split('\n')
    .map((line) => cutColumns(withoutQuote(line, quote) ?? line, width))
    .join('\n');
}

/** Where the line around `at` begins. */
export function lineStart(text: string, at: number): number {
  return text.lastIndexOf('\n', at - 1) + 1;
}

/** Behind the line break of the line around `at`. */
export function lineEnd(text: string, at: number): number {
  const newline = text.indexOf('\n', at);
  return newline < 0 ? text.length : newline + 1;
}

function lineAt(text: string, start: number): string {
  return text.slice(start, lineEnd(text, start));
}

function withoutQuote(line: string, quote: string): string | undefined {
  const depth = quote.split('>').length - 1;
  const signs = new RegExp(`^(?:[ \\t]*>){${depth}}`).exec(line);
  return signs ? line.slice(signs[0].length) : undefined;
}

function columnsOf(indent: string): number {
  let columns = 0;
  for (const char of indent) columns += char === '\t' ? 4 - (columns % 4) : 1;
  return columns;
}

function cutColumns(line: string, columns: number): string {
  let [at, seen] = [0, 0];
  while (seen < columns && (line[at] === ' ' || line[at] === '\t')) {
    seen += line[at] === '\t' ? 4 - (seen % 4) : 1;
    at++;
  }
  return ' '.repeat(Math.max(0, seen - columns)) + line.slice(at);
}
