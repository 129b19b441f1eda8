/**
 * Makes the markdown parser lean, without changing what it finds: the library defines every property of every token
 * one by one, and reads each table cell and list item with all its rules even where there is nothing to find.
 */
import createMarkdownIt, { type Env, type MarkdownIt, type StateInline, type Token } from 'markdown-it';

const { Token: LibraryToken, StateBlock, StateCore, StateInline: LibraryStateInline } = createMarkdownIt;

/** The library's token with plain properties. */
class LeanToken {
  map: Token['map'] = null;
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

class LeanStateBlock extends StateBlock {
  override Token = Made;

  override push(type: string, tag: string, nesting: Token['nesting']): Token {
    const token = createToken(type, tag, nesting);
    token.block = true;
    if (nesting < 0) this.level--;
    token.level = this.level;
    if (nesting > 0) this.level++;
    this.tokens.push(token);
    return token;
  }
}

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

export function makeLean(md: MarkdownIt): void {
  md.core.State = LeanStateCore;
  md.block.State = LeanStateBlock;
  md.inline.State = LeanStateInline as unknown as typeof StateInline;
  md.core.ruler.at('inline', readLines);
  const { linkify } = md;
  const test = linkify.test.bind(linkify);
  // Every address that becomes a link by itself has a colon.
  linkify.test = (text: string) => text.includes(':') && test(text);
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
      token.children.push(text);
    }
  }
}
