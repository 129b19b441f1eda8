/**
 * Converts markdown to the HTML of a text note as Trilium does. Active content is removed. Loads the markdown parser,
 * so import it dynamically: `await import('./to-html.ts')`.
 */
import type { Env, MarkdownIt, Token } from 'markdown-it';
import createMarkdownIt from 'markdown-it';
import { createTreeBuilder, type TreeBuilder } from './build.ts';
import { classOfFence } from './code-languages.ts';
import { type Element, element, isBlock, type Node, segments } from './elements.ts';
import { makeLean } from './lean-parser.ts';
import { liftBlocks } from './parse.ts';
import { admonitions } from './rules/admonitions.ts';
import {
  bounds,
  endTask,
  type HeadingsEnv,
  headingsBelowTitle,
  startTask,
  taskLists,
} from './rules/blocks.ts';
import { type FootnotesEnv, footnotes } from './rules/footnotes.ts';
import { formulas, onlyDisplayMath } from './rules/formulas.ts';
import { highlights, type WikilinksEnv, wikilinks } from './rules/inline.ts';
import { ACTIVE_ELEMENTS, ALLOWED_ELEMENTS, sanitize, UNWANTED_ELEMENTS } from './sanitize.ts';
import { serialize } from './serialize.ts';
import { type TagSink, tokenize } from './tokenize.ts';
import { trimBlocks } from './whitespace.ts';

/** The markdown parser with our own rules. */

const RULES = [
  bounds,
  admonitions,
  taskLists,
  formulas,
  highlights,
  wikilinks,
  footnotes,
  headingsBelowTitle,
];

function createMarkdownParser(): MarkdownIt {
  const md = createMarkdownIt({ html: true, linkify: true });
  md.use(makeLean);
  for (const rule of RULES) md.use(rule);
  // As in GitHub's markdown, an address needs a scheme to become a link.
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  md.linkify.add('//', null);
  // Addresses are checked in the tree, and stay as written.
  md.validateLink = () => true;
  md.normalizeLink = (url) => url;
  md.normalizeLinkText = (url) => url;
  return md;
}

const parser = createMarkdownParser();

/** As in Trilium's own conversion, the content of a script stays as text. */
const OPENED: ReadonlySet<string> = new Set(['script']);

interface MarkdownOptions {
  /** The note's title; a first heading that repeats it is dropped. */
  readonly title?: string | undefined;
  /** Note ids by title, for `[[Title]]`. */
  readonly links?: ReadonlyMap<string, string> | undefined;
}

function fromMarkdown(markdown: string, options: MarkdownOptions = {}): readonly Node[] {
  return readMarkdown(markdown, { ...options }).tree;
}

type ReadEnv = HeadingsEnv & FootnotesEnv & WikilinksEnv;

export interface MarkdownReading {
  readonly tree: readonly Node[];
  /**
   * Whether text appended to this one can be parsed on its own: nothing is open at the end, and nothing (a definition,
   * a first-level heading) affects other parts.
   */
  readonly isSelfContained: boolean;
}

/**
 * Parses markdown to a sanitized tree. HTML inside the markdown goes through the same tree builder, so that
 * tags opened in one place and closed in another belong together. Unknown tags (`Vec<T>`, `<your-token>`) are
 * text.
 */
export function readMarkdown(markdown: string, env: ReadEnv): MarkdownReading {
  const builder = createTreeBuilder();
  // Rules may store anything in the environment.
  const tokens = parser.parse(markdown, env as ReadEnv & Env);
  for (const token of tokens) put(token, builder);
  const lastType = tokens[tokens.length - 1]?.type ?? '';
  // Frees memory before the tree is sanitized: there may be millions of tokens.
  tokens.length = 0;
  const isClosed = builder.isClosed();
  const { children, unclosed, hasBlockInLine } = builder.finish();
  const clean = sanitize(children, { unclosed, opened: OPENED });
  const { references } = env as { references?: object };
  return {
    tree: inParagraphs(trimBlocks(hasBlockInLine ? liftBlocks(clean) : clean)),
    isSelfContained:
      isClosed &&
      env.hasFirstLevel !== true &&
      ENDS_TEXT.has(lastType) &&
      Object.keys(references ?? {}).length === 0,
  };
}

const ENDS_TEXT = new Set(['paragraph_close', 'heading_close']);

function put(token: Token, builder: TreeBuilder): void {
  const handle = BY_TYPE[token.type] ?? putTag;
  handle(token, builder);
}

const BY_TYPE: Readonly<Record<string, (token: Token, builder: TreeBuilder) => void>> = {
  inline: ({ children }, builder) => {
    for (const child of children ?? []) put(child, builder);
  },
  text: ({ content }, builder) => builder.text(content),
  softbreak: (_, builder) => builder.text('\n'),
  code_inline: ({ content }, builder) => builder.add(element('code', INLINE_CODE, [content])),
  code_block: (token, builder) => builder.add(codeBlock(token)),
  fence: (token, builder) => builder.add(codeBlock(token)),
  image: (token, builder) => builder.add(imageOf(token)),
  html_inline: ({ content }, builder) => tokenize(content, htmlInto(content, builder)),
  html_block: ({ content }, builder) => tokenize(content, htmlInto(content, builder)),
  task_start: startTask,
  task_end: endTask,
  tree: ({ meta }, builder) => {
    for (const node of (meta as { nodes: Node[] }).nodes)
      if (typeof node === 'string') builder.text(node);
      else builder.add(node);
  },
};

function putTag(token: Token, builder: TreeBuilder): void {
  if (token.hidden || token.tag === '') return;
  const name = token.tag === 's' ? 'del' : token.tag;
  if (token.type === 'table_open') builder.open('figure', TABLE_FIGURE);
  if (token.nesting < 0) builder.close(name);
  else builder.open(name, attributesOf(token));
  if (token.type === 'table_close') builder.close('figure');
}

const NO_ATTRIBUTES: ReadonlyMap<string, string> = new Map();
const INLINE_CODE: ReadonlyMap<string, string> = new Map([['spellcheck', 'false']]);
const TABLE_FIGURE: ReadonlyMap<string, string> = new Map([['class', 'table']]);

/** The parser aligns table cells by style, Trilium by attribute. */
function attributesOf({ attrs }: Token): ReadonlyMap<string, string> {
  if (!attrs) return NO_ATTRIBUTES;
  const attributes = new Map<string, string>();
  for (const [name, given] of attrs) {
    const value = String(given);
    const isAlignment = name === 'style' && value.startsWith('text-align:');
    if (isAlignment) attributes.set('align', value.slice('text-align:'.length));
    else attributes.set(name, value);
  }
  return attributes;
}

function codeBlock({ info, content }: Token): Element {
  const text = content.endsWith('\n') ? content.slice(0, -1) : content;
  return element('pre', {}, [element('code', { class: classOfFence(info) }, text === '' ? [] : [text])]);
}

function imageOf(token: Token): Element {
  const attributes = new Map(attributesOf(token));
  const alt = (token.children ?? []).map(shownBy).join('');
  attributes.delete('alt');
  const title = attributes.get('title');
  attributes.delete('title');
  if (alt !== '') attributes.set('alt', alt);
  if (title !== undefined) attributes.set('title', title);
  return element('img', attributes, []);
}

function shownBy({ type, content, children }: Token): string {
  if (type === 'image') return (children ?? []).map(shownBy).join('');
  if (type === 'softbreak' || type === 'hardbreak') return '\n';
  return type === 'text' || type === 'code_inline' ? content : '';
}

function htmlInto(html: string, builder: TreeBuilder): TagSink {
  const isKnown = (name: string) =>
    ALLOWED_ELEMENTS.has(name) || ACTIVE_ELEMENTS.has(name) || UNWANTED_ELEMENTS.has(name);
  return {
    text: builder.text,
    open: (name, attributes, start, end) =>
      isKnown(name) ? builder.open(name, attributes) : builder.text(html.slice(start, end)),
    close: (name, start, end) => (isKnown(name) ? builder.close(name) : builder.text(html.slice(start, end))),
  };
}

/** Wraps inline content outside any block in paragraphs, as the editor does; block formulas stay as they are. */
function inParagraphs(children: readonly Node[]): readonly Node[] {
  if (children.every(isBlock)) return children;
  return segments(children).flatMap((segment): Node[] => {
    if (!Array.isArray(segment)) return [segment];
    return onlyDisplayMath(segment) ?? [element('p', {}, segment)];
  });
}

export function toHtml(markdown: string, options: MarkdownOptions = {}): string {
  return serialize(fromMarkdown(markdown, options));
}
