/**
 * Trilium has no first-level headings in a note: the title is the first level. A first heading that repeats the title
 * goes, and if another of its level is left, all headings move down by one.
 */
import type { MarkdownIt, Token } from 'markdown-it';

export interface HeadingsEnv {
  readonly title?: string | undefined;
  /** Set when a heading of the first level has moved all others. */
  hasFirstLevel?: boolean;
}

export function headingsBelowTitle(md: MarkdownIt): void {
  md.core.ruler.after('inline', 'headings_below_title', (state) => {
    const env = state.env as HeadingsEnv;
    dropTitle(state.tokens, env.title);
    const headings = state.tokens.filter(({ type }) => type === 'heading_open' || type === 'heading_close');
    if (!headings.some(({ tag }) => tag === 'h1')) return;
    env.hasFirstLevel = true;
    for (const heading of headings) heading.tag = `h${Math.min(6, Number(heading.tag[1]) + 1)}`;
  });
}

function dropTitle(tokens: Token[], title: string | undefined): void {
  if (title === undefined) return;
  const at = tokens.findIndex(({ type, tag }) => type === 'heading_open' && tag === 'h1');
  const inline = tokens[at + 1];
  if (at < 0 || !inline) return;
  const shown = (inline.children ?? []).map(({ content }) => content).join('');
  if ([inline.content, shown].some((text) => text.trim() === title.trim())) tokens.splice(at, 3);
}
