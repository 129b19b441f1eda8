/**
 * Speeds up the markdown parser without changing its results: the library defines every property of every token one by
 * one, scans texts character by character, and runs all rules on each table cell and list item. Avoiding that helps most
 * with a thread's first note, before V8 has compiled the code.
 */
import createMarkdownIt, {
  type Env,
  type MarkdownIt,
  type StateBlock,
  type StateInline,
  type Token,
} from 'markdown-it';

const {
  Token: LibraryToken,
  StateBlock: LibraryStateBlock,
  StateCore,
  StateInline: LibraryStateInline,
} = createMarkdownIt;

/** The library's token with plain properties. */
class LeanToken {
  level = 0;
  children: Token['children'] = null;
  content = '';
  markup = '';
  info = '';
  block = false;
  hidden = false;
  type: string;
  tag: string;
  attrs: Token['attrs'] = null;
  nesting: Token['nesting'];
  meta: Token['meta'] = null;

  constructor(type: string, tag: string, nesting: Token['nesting']) {
    this.type = type;
    this.tag = tag;
    this.nesting = nesting;
  }

  /** Source lines; unused, and not stored, because a note can have millions of tokens. */
  get map(): Token['map'] {
    return null;
  }

  set map(_: Token['map']) {}
}
// The methods are the library's own.
Object.setPrototypeOf(LeanToken.prototype, LibraryToken.prototype);

function createToken(type: string, tag: string, nesting: Token['nesting']): Token {
  return new LeanToken(type, tag, nesting) as Token;
}

/** For rules that create tokens. */
const Made = LeanToken as unknown as typeof Token;

class LeanStateCore extends StateCore {
  override Token = Made;
}

/** The library's block state with plain properties, which finds lines by searching for line breaks. */
class LeanStateBlock {
  bMarks: number[] = [];
  eMarks: number[] = [];
  tShift: number[] = [];
  sCount: number[] = [];
  bsCount: number[] = [];
  blkIndent = 0;
  line = 0;
  lineMax: number;
  tight = false;
  listIndent = -1;
  parentType: StateBlock['parentType'] = 'root';
  level = 0;
  Token = Made;
  src: string;
  md: MarkdownIt;
  env: Env;
  tokens: Token[];

  constructor(src: string, md: MarkdownIt, env: Env, tokens: Token[]) {
    this.src = src;
    this.md = md;
    this.env = env;
    this.tokens = tokens;
    for (let start = 0; start < src.length; start = this.addLine(start));
    this.lineMax = this.bMarks.length;
    this.mark(src.length, src.length, 0, 0);
  }

  /** Returns the start of the next line. */
  private addLine(start: number): number {
    const { src } = this;
    const lineBreak = src.indexOf('\n', start);
    const end = lineBreak < 0 ? src.length : lineBreak;
    let at = start;
    let indent = 0;
    for (; at < end; at++) {
      const code = src.charCodeAt(at);
      if (code === TAB) indent += 4 - (indent % 4);
      else if (code === SPACE) indent++;
      else break;
    }
    // The library does not count trailing blanks as a line.
    if (at < end || lineBreak >= 0) this.mark(start, end, at - start, indent);
    return end + 1;
  }

  private mark(start: number, end: number, shift: number, indent: number): void {
    this.bMarks.push(start);
    this.eMarks.push(end);
    this.tShift.push(shift);
    this.sCount.push(indent);
    this.bsCount.push(0);
  }

  push(type: string, tag: string, nesting: Token['nesting']): Token {
    const token = createToken(type, tag, nesting);
    token.block = true;
    if (nesting < 0) this.level--;
    token.level = this.level;
    if (nesting > 0) this.level++;
    this.tokens.push(token);
    return token;
  }
}
Object.setPrototypeOf(LeanStateBlock.prototype, LibraryStateBlock.prototype);

const TAB = 9;
const SPACE = 32;

/** The library's inline state, created for each line, with plain properties. */
class LeanStateInline {
  pos = 0;
  level = 0;
  pending = '';
  pendingLevel = 0;
  cache: StateInline['cache'] = {};
  backticks: StateInline['backticks'] = {};
  backticksScanned = false;
  skipHtmlSpecial = false;
  linkLevel = 0;
  delimiters: StateInline['delimiters'] = [];
  _prev_delimiters: StateInline['_prev_delimiters'] = [];
  Token = Made;
  src: string;
  env: Env;
  md: MarkdownIt;
  tokens: Token[];
  tokens_meta: StateInline['tokens_meta'];
  posMax: number;

  constructor(src: string, md: MarkdownIt, env: Env, tokens: Token[]) {
    this.src = src;
    this.env = env;
    this.md = md;
    this.tokens = tokens;
    this.tokens_meta = Array(tokens.length);
    this.posMax = src.length;
  }

  pushPending(): Token {
    const token = createToken('text', '', 0);
    token.content = this.pending;
    token.level = this.pendingLevel;
    this.tokens.push(token);
    this.pending = '';
    return token;
  }

  push(type: string, tag: string, nesting: Token['nesting']): Token {
    if (this.pending !== '') this.pushPending();
    const token = createToken(type, tag, nesting);
    if (nesting < 0) {
      this.level--;
      this.delimiters = this._prev_delimiters.pop()!;
    }
    token.level = this.level;
    if (nesting > 0) {
      this.level++;
      this._prev_delimiters.push(this.delimiters);
      this.delimiters = [];
    }
    this.pendingLevel = this.level;
    this.tokens.push(token);
    this.tokens_meta.push(nesting > 0 ? { delimiters: this.delimiters } : undefined);
    return token;
  }
}
Object.setPrototypeOf(LeanStateInline.prototype, LibraryStateInline.prototype);

/** First characters of all inline rules; a text without any of them is plain text. */
const BEGINS_SOMETHING = /[\n$&*:<=[\\_`~]/;
/** The same characters, the `!` before an image, and the closing bracket. */
const NEXT_THAT_MAY = /[\n$&*:<=[\\_`~!\]]/g;

export function makeLean(md: MarkdownIt): void {
  md.core.State = LeanStateCore;
  md.block.State = LeanStateBlock as unknown as typeof StateBlock;
  md.inline.State = LeanStateInline as unknown as typeof StateInline;
  md.core.ruler.at('normalize', normalize);
  md.core.ruler.at('inline', readLines);
  md.inline.ruler.at('text', readText);
  const { linkify } = md;
  const test = linkify.test.bind(linkify);
  // Every automatic link contains a colon.
  linkify.test = (text: string) => text.includes(':') && test(text);
}

/** Line ends and NUL, as the library does it, but without a copy of texts in which nothing changes. */
function normalize(state: LeanStateCore): void {
  if (state.src.includes('\r')) state.src = state.src.replace(/\r\n?/g, '\n');
  if (state.src.includes('\0')) state.src = state.src.replaceAll('\0', '\ufffd');
}

function readLines({ md, env, tokens }: LeanStateCore): void {
  for (const token of tokens) {
    if (token.type !== 'inline') continue;
    token.children ??= [];
    if (BEGINS_SOMETHING.test(token.content)) {
      md.inline.parse(token.content, md, env, token.children);
    } else if (token.content !== '') {
      const text = createToken('text', '', 0);
      text.content = token.content;
      token.children = [text];
    }
  }
}

/** Consumes text up to the next character that may start a rule. */
function readText(state: StateInline, silent: boolean): boolean {
  const { src, pos, posMax } = state;
  NEXT_THAT_MAY.lastIndex = pos;
  const next = NEXT_THAT_MAY.test(src) ? NEXT_THAT_MAY.lastIndex - 1 : posMax;
  const end = Math.min(next, posMax);
  if (end === pos) return false;
  if (!silent) state.pending += src.slice(pos, end);
  state.pos = end;
  return true;
}
