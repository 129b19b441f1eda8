/** Markdown as it is read: one line without its signs, and without numbers in brackets, which would look like citations. */
import { printable } from '../../shared/printable.ts';

const SIGNS: readonly (readonly [RegExp, string])[] = [
  [/<!--[\s\S]{0,2000}?-->|%%[^%]{0,2000}%%/g, ' '],
  [/^[ \t]*(?:>[ \t]?)+/gm, ''],
  [/^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?/gm, ''],
  [/^[ \t]*#{1,6}[ \t]+/gm, ''],
  [/!?\[\[([^\][|]{0,300})\|([^\][]{0,300})\]\]/g, '$2'],
  [/!?\[\[([^\][]{0,300})\]\]/g, '$1'],
  [/!?\[([^\][]{0,300})\]\([^()\s]{0,1000}(?:[ \t]"[^"]{0,300}")?\)/g, '$1'],
  [/\[\^[^\][\s]{1,60}\]:?/g, ''],
  [/\[\d{1,4}(?:[,–-]\s?\d{1,4}){0,8}\]/g, ''],
  [/<\/?[a-zA-Z][^<>]{0,300}>/g, ' '],
  [/(\*\*|__|~~|==)(?=\S)([^\n]{1,2000}?)(?<=\S)\1/g, '$2'],
  [/(?<![\p{L}\p{N}*])\*(?=\S)([^*\n]{1,2000})(?<=\S)\*(?![\p{L}\p{N}*])/gu, '$1'],
  [/(?<![\p{L}\p{N}_])_(?=\S)([^_\n]{1,2000})(?<=\S)_(?![\p{L}\p{N}_])/gu, '$1'],
  [/`+([^`\n]{1,2000})`+/g, '$1'],
  [/[ \t]\^[A-Za-z\d-]{1,60}[ \t]*$/gm, ''],
  [/\\([!-/:-@[-`{-~])/g, '$1'],
];

export function readingText(markdown: string): string {
  let text = markdown;
  for (const [pattern, rest] of SIGNS) text = text.replace(pattern, rest);
  return printable(isTableRow(text) ? cellsOf(text) : text).replace(/ (?=[.,;:!?](?: |$))/g, '');
}

export function isTableRow(line: string): boolean {
  return /^\s*\|.*\|\s*$/s.test(line);
}

function cellsOf(row: string): string {
  const cells = row
    .trim()
    .replace(/^\||\|$/g, '')
    .split('|')
    .map((cell) => cell.trim())
    .filter((cell) => cell !== '');
  return cells.length === 2 ? cells.join(': ') : cells.join(', ');
}
