/** `> [!NOTE]` and its like: a quotation whose first line names a kind becomes an admonition of Trilium's. */
import type { MarkdownIt, Token } from 'markdown-it';
import { ADMONITIONS } from './admonition-kinds.ts';

const KIND = new RegExp(`^\\[!(${ADMONITIONS.join('|')})\\][ \\t]*(?:\\n|$)`, 'i');

export function admonitions(md: MarkdownIt): void {
  md.core.ruler.after('block', 'admonitions', ({ tokens }) => {
    const open: { token: Token; isAdmonition: boolean }[] = [];
    for (const [at, token] of tokens.entries()) {
      if (token.type === 'blockquote_open') {
        open.push({ token, isAdmonition: markAdmonition(token, tokens.slice(at + 1, at + 4)) });
      } else if (token.type === 'blockquote_close' && open.pop()?.isAdmonition) {
        token.tag = 'aside';
      }
    }
  });
}

function markAdmonition(quote: Token, [opening, inline, closing]: Token[]): boolean {
  const kind = opening?.type === 'paragraph_open' ? KIND.exec(inline?.content ?? '') : null;
  if (!kind || !opening || !inline || !closing) return false;
  quote.tag = 'aside';
  quote.attrSet('class', `admonition ${kind[1]!.toLowerCase()}`);
  inline.content = inline.content.slice(kind[0].length);
  if (inline.content === '') opening.hidden = closing.hidden = true;
  return true;
}
