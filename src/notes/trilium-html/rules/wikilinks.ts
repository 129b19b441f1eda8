/** `[[Note]]` and `![[picture.png]]`, as Trilium writes them before an import resolves them. */
import type { MarkdownIt, StateInline } from 'markdown-it';
import { element, type Node } from '../tree.ts';

const MAX_LENGTH = 1000;

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
  if (!silent) state.push('tree', '', 0).meta = { nodes: [linkTo(target, isPicture)] satisfies Node[] };
  state.pos = end + 2;
  return true;
}

function linkTo(target: string, isPicture: boolean): Node {
  if (isPicture) return element('img', { src: `/${target}` }, []);
  return element('a', { class: 'reference-link', href: `/${target}` }, [target]);
}
