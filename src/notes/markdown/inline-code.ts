/**
 * Code spans, comments and `$$` mathematics inside running text. Linear: an opener that nothing closes is
 * known as such without searching for its partner again.
 */
import type { Report } from './blocks.ts';

const BACKTICK = 96;
const BACKSLASH = 92;
const LESS_THAN = 60;
const DOLLAR = 36;

/** The scanner reports what lies between `start` and `end`; calls must come in text order. */
export function createInlineScanner(text: string, report: Report): Report {
  const nextCommentEnd = searchForward(text, '-->');
  const nextMath = searchForward(text, '$$');

  return (start, end) => {
    let lastRuns: Map<number, number> | undefined;
    for (let at = start; at < end; ) {
      const char = text.charCodeAt(at);
      if (char === BACKSLASH) {
        at += 2;
      } else if (char === BACKTICK) {
        const length = backtickRun(text, at, end);
        lastRuns ??= lastBacktickRuns(text, at, end);
        if ((lastRuns.get(length) ?? -1) > at) {
          const close = closingRun(text, at + length, length);
          report(at, close);
          at = close;
        } else {
          at += length;
        }
      } else if (char === LESS_THAN && text.startsWith('<!--', at)) {
        const close = nextCommentEnd(at + 2) + 3;
        if (close <= end) report(at, close);
        at = close <= end ? close : at + 4;
      } else if (char === DOLLAR && text.charCodeAt(at + 1) === DOLLAR) {
        const close = nextMath(at + 2) + 2;
        if (close <= end) report(at, close);
        at = close <= end ? close : at + 2;
      } else {
        at++;
      }
    }
  };
}

/** Where `needle` stands at or after an offset; Infinity for nowhere. Offsets must not go down. */
function searchForward(text: string, needle: string): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      found = text.indexOf(needle, from);
      if (found < 0) found = Number.POSITIVE_INFINITY;
    }
    return found;
  };
}

function lastBacktickRuns(text: string, from: number, to: number): Map<number, number> {
  const last = new Map<number, number>();
  for (let at = from; at < to; ) {
    if (text.charCodeAt(at) !== BACKTICK) {
      at++;
      continue;
    }
    const length = backtickRun(text, at, to);
    last.set(length, at);
    at += length;
  }
  return last;
}

/** The end of the next run of exactly `length` backticks; the caller knows that there is one. */
function closingRun(text: string, from: number, length: number): number {
  for (let at = text.indexOf('`', from); at >= 0; ) {
    const run = backtickRun(text, at, text.length);
    if (run === length) return at + run;
    at = text.indexOf('`', at + run);
  }
  return text.length;
}

function backtickRun(text: string, at: number, end: number): number {
  let length = 1;
  while (at + length < end && text.charCodeAt(at + length) === BACKTICK) length++;
  return length;
}
