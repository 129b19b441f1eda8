/**
 * Reads what follows a markdown link's text: `(destination "title")`, or the rest of a reference definition.
 * Every loop ends at the next sign of its own kind, so that a text full of broken links still costs linear time.
 */
import type { Range } from '../markdown/regions.ts';

interface Destination extends Range {
  readonly angle: boolean;
  /** Behind the closing parenthesis, or behind the definition's last character. */
  readonly after: number;
}

interface Bounds {
  readonly text: string;
  readonly end: number;
}

const MAX_NESTED_PARENTHESES = 32;

/** `at` is behind the opening parenthesis. */
export function readInlineDestination(bounds: Bounds, at: number): Destination | undefined {
  const found = readDestination(bounds, skipSpace(bounds, at));
  if (!found) return undefined;
  let close = skipSpace(bounds, found.after);
  if (close > found.after && bounds.text[close] !== ')') {
    const title = skipTitle(bounds, close);
    if (title === undefined) return undefined;
    close = skipSpace(bounds, title);
  }
  return close < bounds.end && bounds.text[close] === ')' ? { ...found, after: close + 1 } : undefined;
}

/** `at` is behind the colon. Nothing but a title may follow on the destination's line. */
export function readDefinitionDestination(bounds: Bounds, at: number): Destination | undefined {
  const found = readDestination(bounds, skipSpace(bounds, at));
  if (!found || found.start === found.end) return undefined;
  const titleAt = skipSpace(bounds, found.after);
  const title = titleAt > found.after ? skipTitle(bounds, titleAt) : undefined;
  if (title !== undefined && endsLine(bounds, title)) return { ...found, after: title };
  return endsLine(bounds, found.after) ? found : undefined;
}

function readDestination(bounds: Bounds, at: number): Destination | undefined {
  // `[text]([[Note]])` holds a wikilink, not a destination of that name.
  if (at >= bounds.end || bounds.text.startsWith('[[', at)) return undefined;
  return bounds.text[at] === '<' ? readAngle(bounds, at + 1) : readPlain(bounds, at);
}

function readAngle({ text, end }: Bounds, start: number): Destination | undefined {
  for (let at = start; at < end; at++) {
    const char = text[at];
    if (char === '>') return { start, end: at, angle: true, after: at + 1 };
    if (char === '<' || char === '\n') return undefined;
    if (char === '\\') at++;
  }
  return undefined;
}

function readPlain({ text, end }: Bounds, start: number): Destination | undefined {
  let depth = 0;
  let at = start;
  for (; at < end; at++) {
    const char = text.charCodeAt(at);
    if (char <= 32 || char === 127) break;
    if (char === 92 && isPunctuation(text.charCodeAt(at + 1)) && at + 1 < end) at++;
    else if (char === 40 && ++depth > MAX_NESTED_PARENTHESES) return undefined;
    else if (char === 41 && --depth < 0) break;
  }
  return depth > 0 ? undefined : { start, end: at, angle: false, after: at };
}

/** Behind the title that starts at `at`, or undefined when none does. */
function skipTitle(bounds: Bounds, at: number): number | undefined {
  const { text, end } = bounds;
  const open = text[at];
  if (open !== '"' && open !== "'" && open !== '(') return undefined;
  const close = open === '(' ? ')' : open;
  for (let i = at + 1; i < end; i++) {
    const char = text[i];
    if (char === close) return i + 1;
    if (char === '(' && open === '(') return undefined;
    if (char === '\\') i++;
    else if (char === '\n' && startsBlankLine(bounds, i + 1)) return undefined;
  }
  return undefined;
}

/** Over spaces and at most one line break. */
function skipSpace({ text, end }: Bounds, from: number): number {
  let breaks = 0;
  let at = from;
  for (; at < end; at++) {
    const char = text[at];
    if (char === '\n' && ++breaks > 1) break;
    if (char !== ' ' && char !== '\t' && char !== '\r' && char !== '\n') break;
  }
  return at;
}

function endsLine(bounds: Bounds, at: number): boolean {
  return at >= bounds.end || startsBlankLine(bounds, at);
}

/** Whether only white space stands between `from` and the end of its line. */
export function startsBlankLine({ text, end }: Bounds, from: number): boolean {
  for (let at = from; at < end; at++) {
    const char = text[at];
    if (char === '\n') return true;
    if (char !== ' ' && char !== '\t' && char !== '\r') return false;
  }
  return true;
}

function isPunctuation(char: number): boolean {
  return (
    (char >= 33 && char <= 47) ||
    (char >= 58 && char <= 64) ||
    (char >= 91 && char <= 96) ||
    (char >= 123 && char <= 126)
  );
}
