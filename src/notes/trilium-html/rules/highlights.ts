/** `==text==`, paired by the rules of emphasis. */
import type { Delimiter, MarkdownIt, StateInline } from 'markdown-it';
import { HIGHLIGHT_STYLE } from '../highlight.ts';

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
    // Length 0 keeps the library's rule of three for emphasis out of the pairing.
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
