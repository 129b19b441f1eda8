/**
 * Finds a note's frontmatter block without reading its YAML.
 *
 * A block opens with a first line of just `---` and closes with a line of just `---` or `...`. A word after the
 * dashes (`---js`) never opens one. A note that merely starts with a horizontal rule has no block: the lines
 * between must look like a mapping, though a mapping with mistakes in it still counts, so that it is reported
 * and not taken for text.
 */
import { BOM } from '../text/text.ts';

export interface FrontmatterSpan {
  /** Whether the text starts with a byte order mark, which the block then follows. */
  readonly bom: boolean;
  /** Start of the first line after the opening `---`. */
  readonly yamlStart: number;
  /** Start of the closing line. */
  readonly yamlEnd: number;
  /** First character after the closing line and its line ending. */
  readonly bodyStart: number;
}

const OPENING = /---[ \t]*\r?\n/y;
const CLOSING = /^(?:---|\.\.\.)[ \t]*\r?$/;

export function splitFrontmatter(text: string): FrontmatterSpan | undefined {
  const bom = text.startsWith(BOM);
  OPENING.lastIndex = bom ? 1 : 0;
  if (!OPENING.test(text)) return undefined;
  const yamlStart = OPENING.lastIndex;
  const closing = findClosingLine(text, yamlStart);
  if (closing === undefined || !looksLikeMapping(text.slice(yamlStart, closing.start))) return undefined;
  return { bom, yamlStart, yamlEnd: closing.start, bodyStart: closing.end };
}

function findClosingLine(text: string, from: number): { start: number; end: number } | undefined {
  for (let start = from; start < text.length; ) {
    const newline = text.indexOf('\n', start);
    const end = newline < 0 ? text.length : newline + 1;
    const first = text[start];
    if ((first === '-' || first === '.') && CLOSING.test(text.slice(start, newline < 0 ? end : newline)))
      return { start, end };
    start = end;
  }
  return undefined;
}

const BLANK_OR_COMMENT = /^[ \t]*(?:#.*)?$/;
const SIMPLE_KEY = /^[A-Za-z_][\w-]*:(?:[ \t]|$)/;
const OPENS_WITH_SIMPLE_KEY = /^[A-Za-z_][\w-]*:(?:[ \t\r\n]|$)/;

function looksLikeMapping(yaml: string): boolean {
  // Almost all do, and this is asked about every note that is found.
  if (OPENS_WITH_SIMPLE_KEY.test(yaml)) return true;
  const lines = yaml.split(/\r?\n/);
  const significant = lines.filter((line) => !BLANK_OR_COMMENT.test(line));
  if (significant.length === 0) return true;
  const opener = significant.find((line) => withoutProperties(line) !== '') ?? '';
  if (opensMapping(withoutProperties(opener))) return true;
  // A mistake in the first line must not turn a whole block into text; a rule is followed by a blank line.
  return lines[0]?.trim() !== '' && significant.some((line) => SIMPLE_KEY.test(line));
}

/** The line without its indentation and without leading anchors and tags (`&name`, `!tag`, but not `![image]`). */
function withoutProperties(line: string): string {
  return line.replace(/^ *(?:(?:&[^\s[\]{},]+|!(?!\[)[^\s]*)(?:[ \t]+|$))*/, '');
}

const NEVER_PLAIN = /^(?:[\s,[\]{}#&*!|>'"%@`]|[-?:](?:[ \t]|$))/;
const QUOTED_KEY = /^(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')[ \t]*:(?:[ \t]|$)/;

function opensMapping(line: string): boolean {
  if (/^\?(?:[ \t]|$)/.test(line)) return true;
  // `{{` and `{%` open a template placeholder, not a YAML map.
  if (line.startsWith('{')) return !/^\{[{%]/.test(line);
  if (QUOTED_KEY.test(line)) return true;
  if (NEVER_PLAIN.test(line)) return false;
  const colon = line.search(/:(?:[ \t]|$)/);
  const comment = line.search(/[ \t]#/);
  return colon > 0 && (comment < 0 || colon < comment);
}

/** Where a note's text begins: after the frontmatter, or after the byte order mark. */
export function bodyStartOf(text: string): number {
  return splitFrontmatter(text)?.bodyStart ?? (text.startsWith(BOM) ? 1 : 0);
}

export function lineStart(source: string, offset: number): number {
  return source.lastIndexOf('\n', offset - 1) + 1;
}

/** The start of the line after the one that holds `offset`. */
export function nextLine(source: string, offset: number): number {
  const newline = source.indexOf('\n', offset);
  return newline < 0 ? source.length : newline + 1;
}

/** The start of the next line, or `offset` itself when content that ends with a line break ends there. */
export function afterLines(source: string, offset: number): number {
  return source[offset - 1] === '\n' ? offset : nextLine(source, offset);
}

export function joinLines(lines: readonly string[], ending: string): string {
  return lines.map((line) => line + ending).join('');
}

/** The block being edited, with what every edit of it needs to know. */
export interface EditedSource {
  readonly source: string;
  readonly lineEnding: string;
  /** How far the dashes of a new list stand in from its key. */
  readonly dashOffset: number;
  /** False where an indented comment follows, which a literal block would take for its own text. */
  readonly literalFitsAt: (offset: number) => boolean;
}

export function editedSource(source: string, lineEnding: string, dashOffset: number): EditedSource {
  return {
    source,
    lineEnding,
    dashOffset,
    literalFitsAt: (offset) => {
      const indentedComment = /(?:[ \t]*\r?\n)*[ \t]+#/y;
      indentedComment.lastIndex = offset;
      return !indentedComment.test(source);
    },
  };
}
