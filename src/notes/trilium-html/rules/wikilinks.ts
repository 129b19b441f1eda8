/**
 * `[[Title]]` is a reference link if it is known which note has that title, and a text if not. `![[picture.png]]` is
 * a picture, as Trilium writes it.
 */
import type { MarkdownIt, StateInline } from 'markdown-it';
import { type Element, element, type Node } from '../tree.ts';

export interface WikilinksEnv {
  /** Ids of notes by their titles. */
  readonly links?: ReadonlyMap<string, string> | undefined;
}

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
