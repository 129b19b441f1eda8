/**
 * Parts the lines of a YAML block into quoted strings and the rest, so that links in values are found and
 * respelled under the right quoting. Not a YAML parser: a quoted string over several lines counts as bare.
 */
import type { Range } from '../markdown/range.ts';
import type { Notation } from './notation.ts';

export interface Scalar extends Range {
  readonly quoting: Exclude<Notation['quoting'], 'none'>;
}

/** In text order; comments are left out. */
export function* yamlScalars(text: string, block: Range): Generator<Scalar> {
  for (let start = block.start; start < block.end; ) {
    const lineBreak = text.indexOf('\n', start);
    const end = lineBreak < 0 || lineBreak > block.end ? block.end : lineBreak;
    yield* scalarsOfLine(text, { start, end });
    start = end + 1;
  }
}

function* scalarsOfLine(text: string, line: Range): Generator<Scalar> {
  let bareStart = line.start;
  let mayOpenQuote = true;
  let unclosed = '';
  for (let at = line.start; at < line.end; at++) {
    const char = text[at]!;
    if (mayOpenQuote && (char === '"' || char === "'") && !unclosed.includes(char)) {
      const close = closingQuote(text, at + 1, line.end);
      if (close >= 0) {
        yield { start: bareStart, end: at, quoting: 'bare' };
        yield { start: at + 1, end: close, quoting: char === '"' ? 'double' : 'single' };
        at = close;
        bareStart = close + 1;
      } else {
        unclosed += char;
      }
      mayOpenQuote = false;
    } else if (char === '#' && (at === line.start || /\s/.test(text[at - 1]!))) {
      yield { start: bareStart, end: at, quoting: 'bare' };
      return;
    } else if (char !== ' ' && char !== '\t') {
      mayOpenQuote = ':-[,{'.includes(char);
    }
  }
  yield { start: bareStart, end: line.end, quoting: 'bare' };
}

/** The quote that closes the string whose content starts at `from`, or -1 when the line ends first. */
function closingQuote(text: string, from: number, end: number): number {
  const mark = text[from - 1];
  for (let at = from; at < end; at++) {
    const char = text[at];
    if (char === '\\' && mark === '"') at++;
    else if (char === mark) {
      if (mark === '"' || text[at + 1] !== "'") return at;
      at++;
    }
  }
  return -1;
}
