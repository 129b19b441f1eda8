/** The HTML tags of a text, with their attributes; `<style>` and `<script>` elements as a whole. */
import type { Range } from './range.ts';

/** Sorted and without overlap. An angle bracket that no tag follows is text. */
export function htmlTagRanges(text: string): readonly Range[] {
  const ranges: Range[] = [];
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at + 1)) {
    const end = tagEnd(text, at);
    if (end < 0) continue;
    const range = { start: at, end: elementEnd(text, at, end) };
    ranges.push(range);
    at = range.end - 1;
  }
  return ranges;
}

function tagEnd(text: string, start: number): number {
  const nameAt = text[start + 1] === '/' ? start + 2 : start + 1;
  if (!isLetter(text.charCodeAt(nameAt))) return -1;
  let quote = '';
  for (let at = nameAt; at < text.length; at++) {
    const char = text[at]!;
    if (char === '\n' && isBlankLine(text, at + 1)) return -1;
    if (quote !== '') {
      if (char === quote) quote = '';
    } else if (char === '>') {
      return at + 1;
    } else if (char === '<') {
      return -1;
    } else if ((char === '"' || char === "'") && text[at - 1] === '=') {
      quote = char;
    }
  }
  return -1;
}

function elementEnd(text: string, start: number, openEnd: number): number {
  const raw = /^<(style|script)\b/i.exec(text.slice(start, start + 8))?.[1];
  if (raw === undefined) return openEnd;
  const closing = new RegExp(`</${raw}`, 'gi');
  closing.lastIndex = openEnd;
  return closing.exec(text)?.index ?? text.length;
}

function isBlankLine(text: string, from: number): boolean {
  for (let at = from; at < text.length; at++) {
    const char = text[at];
    if (char === '\n') return true;
    if (char !== ' ' && char !== '\t' && char !== '\r') return false;
  }
  return true;
}

function isLetter(char: number): boolean {
  return (char >= 65 && char <= 90) || (char >= 97 && char <= 122);
}
