/** Escapes text that would be read as markdown, and little else. */
import { fenceOfClass } from '../code-languages.ts';
import { type Element, hasExactly, isElement } from '../elements.ts';

export interface EscapeOptions {
  /** Inside link text, where a closing bracket counts and addresses do not become links. */
  readonly inLink: boolean;
  /** Whether dollar signs could pair up to a formula. */
  readonly dollars: boolean;
  /** Whether `](` or `][` occurs, which may make a link of any bracket before it. */
  readonly brackets: boolean;
}

/** A character and its neighbours, which are empty at the edges of a text. */
interface Place {
  readonly text: string;
  readonly at: number;
  readonly before: string;
  readonly after: string;
}

type Rule = (place: Place, options: EscapeOptions) => boolean;

const always: Rule = () => true;
const doubled: Rule = ({ text, at, before, after }) => before === text[at] || after === text[at];
/** A checkbox, a definition or the kind of an admonition. */
const FIRST_BRACKET = /^\[(?:[ x]\](?:\s|$)|!|[^\]]{0,999}\]:)/i;

const RULES: Readonly<Record<string, Rule>> = {
  '\\': ({ after }) => after === '' || after === '\n' || isAsciiPunctuation(after),
  '`': always,
  '*': ({ before, after }) => !(before === ' ' && after === ' '),
  _: ({ before, after }) => !(isWord(before) && isWord(after)),
  '[': ({ text, at, after }, { inLink, brackets }) =>
    inLink ||
    brackets ||
    after === '' ||
    after === '^' ||
    (after === '[' && !isWikilink(text, at)) ||
    (at === 0 && FIRST_BRACKET.test(text)),
  ']': (_, { inLink }) => inLink,
  '<': ({ after }) => /[a-z/!?]/i.test(after),
  '&': ({ text, at }) => /^&(?:#x?[\da-f]+|[a-z][\da-z]*);/i.test(text.slice(at, at + 40)),
  '~': doubled,
  '=': doubled,
  $: (_, { dollars }) => dollars,
  ':': ({ text, at }, { inLink }) =>
    !inLink && /(?:mailto|(?:https?|ftp)(?=:\/\/)):/i.test(text.slice(Math.max(0, at - 8), at + 3)),
};

/** `[[Title]]` in the text of a note is a link by title, and is not escaped. */
function isWikilink(text: string, at: number): boolean {
  WIKILINK.lastIndex = at;
  return WIKILINK.test(text);
}

const WIKILINK = /\[\[[^[\]\n]{1,1000}\]\]/y;

const MAY_MEAN_SOMETHING = /[\n\\`*_[\]<&~=$:]/;
const EACH_THAT_MAY = new RegExp(MAY_MEAN_SOMETHING, 'g');

/** Whether the text needs no escape in any context, except at its edges and at the start of a line. */
export function needsNoEscape(text: string): boolean {
  return !MAY_MEAN_SOMETHING.test(text);
}

export function escapeMarkdown(text: string, options: EscapeOptions): string {
  return text.replace(EACH_THAT_MAY, (char, at: number) => {
    const place = { text, at, before: text[at - 1] ?? '', after: text[at + 1] ?? '' };
    // A remaining line break, as in a formula, is significant.
    if (char === '\n') return '&#10;';
    return RULES[char]!(place, options) ? `\\${char}` : char;
  });
}

/** Escapes the start of a line that would begin a block. */
export function escapeLineStart(line: string): string {
  if (isLetter(line.charCodeAt(0))) return line;
  if (/^(?:#{1,6}|[-+*])(?:\s|$)|^>|^(?:[-=_*]\s*){2,}$|^~~~/.test(line)) return `\\${line}`;
  return line.replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');
}

/** In longer runs only the edges become entities, because a million of entities takes seconds to parse. */
const MOST_SHOWN = 100;

function encodeSpace(edge: string): string {
  // Parsers trim only edges, so space between two entities needs no escape.
  if (edge.length > MOST_SHOWN && ONLY_NO_BREAK_SPACE.test(edge)) return `&nbsp;${edge.slice(2)}&nbsp;`;
  return edge.replace(/[^ \n]/g, (char) => (char === '\u00a0' ? '&nbsp;' : `&#${char.codePointAt(0)};`));
}

const ONLY_NO_BREAK_SPACE = /^\u00a0+$/;

/** Escapes space at the edges, which HTML shows and markdown parsers trim. */
export function escapeEdges(text: string): string {
  if (isLetter(text.charCodeAt(0)) && isLetter(text.charCodeAt(text.length - 1))) return text;
  const start = /^\s+/.exec(text)?.[0] ?? '';
  if (start.length === text.length) return encodeSpace(text);
  let end = text.length;
  while (/\s/.test(text[end - 1]!)) end--;
  return encodeSpace(start) + text.slice(start.length, end) + encodeSpace(text.slice(end));
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

function isAsciiPunctuation(char: string): boolean {
  return /[!-/:-@[-`{-~]/.test(char);
}

function isWord(char: string): boolean {
  return /[\p{L}\p{N}]/u.test(char);
}

export function codeSpan(node: Element): string | undefined {
  const text = onlyText(node);
  if (!text || !hasExactly(node, { spellcheck: 'false' })) return undefined;
  const fence = '`'.repeat(longestRun(text) + 1);
  const isPadded = /^`|`$/.test(text) || (/^ .* $/.test(text) && text.trim() !== '');
  return isPadded ? `${fence} ${text} ${fence}` : `${fence}${text}${fence}`;
}

export function codeBlock(pre: Element): string | undefined {
  const [code, ...others] = pre.children;
  if (pre.attributes.size > 0 || others.length > 0 || !isElement(code, 'code')) return undefined;
  const className = code.attributes.get('class') ?? '';
  const info = hasExactly(code, { class: className }) ? fenceOfClass(className) : undefined;
  const text = onlyText(code);
  if (info === undefined || text === undefined) return undefined;
  const fence = '`'.repeat(Math.max(3, longestRun(text) + 1));
  return text === '' ? `${fence}${info}\n${fence}` : `${fence}${info}\n${text}\n${fence}`;
}

function onlyText({ children }: Element): string | undefined {
  const [text = '', ...others] = children;
  return typeof text === 'string' && others.length === 0 ? text : undefined;
}

function longestRun(text: string): number {
  let longest = 0;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return longest;
}
