/**
 * `> [!NOTE]` and similar: a quotation whose first line names a kind becomes a Trilium admonition. The rest of that
 * line becomes its title, in a bold paragraph; a folding sign (`[!NOTE]-`) is ignored.
 */
import type { MarkdownIt, StateCore, Token } from 'markdown-it';

export const ADMONITIONS: readonly string[] = ['note', 'tip', 'important', 'caution', 'warning'];

const KIND = new RegExp(`^\\[!(${ADMONITIONS.join('|')})\\][-+]?(?:[ \\t]+([^\\n]*))?(?:\\n|$)`, 'i');

export function admonitions(md: MarkdownIt): void {
  md.core.ruler.after('block', 'admonitions', (state) => {
    if (!state.tokens.some(({ type }) => type === 'blockquote_open')) return;
    const isAdmonition: boolean[] = [];
    const result: Token[] = [];
    const { tokens } = state;
    for (let at = 0; at < tokens.length; at++) {
      const token = tokens[at]!;
      result.push(token);
      if (token.type === 'blockquote_open') {
        const title = markAdmonition(token, tokens, at + 1);
        isAdmonition.push(title !== undefined);
        if (title) result.push(...titleParagraph(state, title));
        else if (title === '' && isEmpty(tokens, at)) result.push(blank(state));
      } else if (token.type === 'blockquote_close' && isAdmonition.pop()) {
        token.tag = 'aside';
      }
    }
    state.tokens = result;
  });
}

/** The title, possibly empty; undefined for an ordinary quotation. */
function markAdmonition(quote: Token, tokens: readonly Token[], at: number): string | undefined {
  const [opening, inline, closing] = [tokens[at], tokens[at + 1], tokens[at + 2]];
  const kind = opening?.type === 'paragraph_open' ? KIND.exec(inline?.content ?? '') : null;
  if (!kind || !opening || !inline || !closing) return undefined;
  quote.tag = 'aside';
  quote.attrSet('class', `admonition ${kind[1]!.toLowerCase()}`);
  inline.content = inline.content.slice(kind[0].length);
  if (inline.content === '') opening.hidden = closing.hidden = true;
  return kind[2]?.trim() ?? '';
}

/** Whether the quotation holds only the line that names the kind. */
function isEmpty(tokens: readonly Token[], quoteAt: number): boolean {
  return tokens[quoteAt + 1]?.hidden === true && tokens[quoteAt + 4]?.type === 'blockquote_close';
}

function titleParagraph({ Token: Made }: StateCore, title: string): Token[] {
  const inline = new Made('inline', '', 0);
  inline.content = title;
  inline.children = [];
  return [
    new Made('paragraph_open', 'p', 1),
    new Made('strong_open', 'strong', 1),
    inline,
    new Made('strong_close', 'strong', -1),
    new Made('paragraph_close', 'p', -1),
  ];
}

/** An empty paragraph, without which the editor would not show the admonition. */
function blank({ Token: Made }: StateCore): Token {
  const token = new Made('tree', '', 0);
  token.meta = { nodes: ['\u00a0'] };
  return token;
}
