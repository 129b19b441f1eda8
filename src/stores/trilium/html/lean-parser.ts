/**
 * Makes the markdown parser lean, without changing what it finds: the library defines every property of every token
 * one by one, goes through texts character by character, and reads each table cell and list item with all its rules
 * even where there is nothing to find. Without all that, a thread's first note, for which the engine has not compiled
 * anything yet, takes less time.
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

  /** Where it stood. Nobody asks, and kept it would be a pair of numbers in memory for each of millions of tokens. */
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

/** For the rules that make tokens themselves. */
const Made = LeanToken as unknown as typeof Token;

class LeanStateCore extends StateCore {
  override Token = Made;
}

/** The library's state among blocks, with plain properties, which finds lines by their ends. */
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

  /** Says where the next one starts. */
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
    // To the library, blanks at the very end are no line.
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

/** The library's state inside a line, of which there is one per line, with plain properties. */
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

/** What any rule inside a line begins with; a text without it is a text. */
const BEGINS_SOMETHING = /[\n$&*:<=[\\_`~]/;
/** A bracket is begun by an exclamation mark for a picture, and ended by one. */
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
  // Every address that becomes a link by itself has a colon.
  linkify.test = (text: string) => text.includes(':') && test(text);
}

/** As the library does it, without going through a text in which there is nothing to change. */
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

/** Up to the next character that any rule begins with. */
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
