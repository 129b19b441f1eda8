/** Inline rules. `==text==` is paired by the rules of emphasis. */
import type { Delimiter, MarkdownIt, StateInline } from 'markdown-it';
import { type Element, element, HIGHLIGHT_STYLE, type Node } from '../elements.ts';

const EQUALS = 61;

export function highlights(md: MarkdownIt): void {
  md.inline.ruler.before('emphasis', 'highlight', readSigns);
  md.inline.ruler2.before('emphasis', 'highlight', (state) => {
    pairSigns(state, state.delimiters);
    for (const meta of state.tokens_meta) if (meta?.delimiters) pairSigns(state, meta.delimiters);
    return true;
  });
}

function readSigns(state: StateInline, silent: boolean): boolean {
  if (silent || state.src.charCodeAt(state.pos) !== EQUALS) return false;
  const { can_open: open, can_close: close, length } = state.scanDelims(state.pos, true);
  if (length < 2) return false;
  if (length % 2 === 1) state.push('text', '', 0).content = '=';
  for (let at = 0; at + 1 < length; at += 2) {
    state.push('text', '', 0).content = '==';
    // Length 0 exempts the delimiter from the rule of three for emphasis.
    state.delimiters.push({
      marker: EQUALS,
      length: 0,
      token: state.tokens.length - 1,
      end: -1,
      open,
      close,
    });
  }
  state.pos += length;
  return true;
}

function pairSigns({ tokens }: StateInline, delimiters: readonly Delimiter[]): void {
  for (const opening of delimiters) {
    if (opening.marker !== EQUALS || opening.end === -1) continue;
    const start = tokens[opening.token]!;
    const end = tokens[delimiters[opening.end]!.token]!;
    Object.assign(start, { type: 'highlight_open', tag: 'span', nesting: 1, content: '' });
    start.attrSet('style', HIGHLIGHT_STYLE);
    Object.assign(end, { type: 'highlight_close', tag: 'span', nesting: -1, content: '' });
  }
}

export interface WikilinksEnv {
  /** Note ids by title. */
  readonly links?: ReadonlyMap<string, string> | undefined;
}

const MAX_LENGTH = 1000;

/**
 * `[[Title]]` becomes a reference link if a note has that title, else it stays text. `![[picture.png]]` is an
 * image, as Trilium writes it.
 */
export function wikilinks(md: MarkdownIt): void {
  md.inline.ruler.before('link', 'wikilink', readWikilink);
}

function readWikilink(state: StateInline, silent: boolean): boolean {
  const { src, pos } = state;
  const isPicture = src[pos] === '!';
  const start = isPicture ? pos + 3 : pos + 2;
  if (!src.startsWith(isPicture ? '![[' : '[[', pos)) return false;
  const length = src.slice(start, start + MAX_LENGTH).search(/[[\]\n]/);
  const end = start + length;
  if (length <= 0 || !src.startsWith(']]', end) || end + 2 > state.posMax) return false;
  const target = src.slice(start, end).trim();
  if (target === '') return false;
  const made = isPicture ? pictureOf(target) : linkTo(target, state.env as WikilinksEnv);
  if (made === undefined) return false;
  if (!silent) state.push('tree', '', 0).meta = { nodes: [made] satisfies Node[] };
  state.pos = end + 2;
  return true;
}

function pictureOf(target: string): Element {
  return element('img', { src: `/${target}` }, []);
}

function linkTo(title: string, { links }: WikilinksEnv): Element | undefined {
  const noteId = links?.get(title);
  if (noteId === undefined) return undefined;
  return element('a', { class: 'reference-link', href: `#root/${noteId}` }, [title]);
}
