/**
 * `text[^1]` with `[^1]: note`. Footnotes go to a section at the end, numbered by first reference; unreferenced ones
 * follow, so that no text is lost. A reference without a footnote is text.
 */
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it';
import { backReferences, itemId, reference, SECTION_ATTRIBUTES, sectionHead } from '../footnotes.ts';

interface Note {
  readonly label: string;
  /** Undefined until the definition is read. */
  tokens: Token[] | undefined;
  /** Position among the referenced footnotes, from 1; 0 if unreferenced. */
  number: number;
  /** Number of references. */
  references: number;
}

/** Footnotes of a text. A text read in several parts has all labels defined before the first part is read. */
export interface FootnoteTable {
  readonly notes: Map<string, Note>;
  /** In the order of first references. */
  readonly referred: Note[];
}

export interface FootnotesEnv {
  table?: FootnoteTable | undefined;
  /** The part's tokens without definitions; undefined if it has no definitions. */
  text?: readonly Token[];
}

export function footnoteTable(labels: Iterable<string>): FootnoteTable {
  return { notes: new Map([...labels].map((label) => [label, newNote(label)])), referred: [] };
}

function newNote(label: string): Note {
  return { label, tokens: undefined, number: 0, references: 0 };
}

const DEFINITION = /^\[\^([^\s\]]{1,100})\]:[ \t]*/;
const REFERENCE = /\[\^([^\s\]]{1,100})\]/y;

export function footnotes(md: MarkdownIt): void {
  md.block.ruler.before('reference', 'footnote', readDefinition, { alt: ['paragraph', 'reference'] });
  md.core.ruler.before('inline', 'footnotes_apart', takeDefinitions);
  md.inline.ruler.before('link', 'footnote', readReference);
  md.core.ruler.after('inline', 'footnotes', appendSection);
}

function readDefinition(state: StateBlock, startLine: number, endLine: number, silent: boolean): boolean {
  const start = state.bMarks[startLine]! + state.tShift[startLine]!;
  if (state.sCount[startLine]! - state.blkIndent >= 4 || !state.src.startsWith('[^', start)) return false;
  const line = state.src.slice(start, Math.min(start + 200, state.eMarks[startLine]!));
  const head = DEFINITION.exec(line);
  if (!head) return false;
  if (silent) return true;
  state.push('footnote_open', '', 1).meta = { label: head[1] };
  readIndented(state, startLine, endLine, start + head[0].length);
  state.push('footnote_close', '', -1);
  return true;
}

/** Parses the rest of the first line and the indented lines below it as blocks. */
function readIndented(state: StateBlock, startLine: number, endLine: number, contentStart: number): void {
  const saved = [state.bMarks[startLine]!, state.tShift[startLine]!, state.sCount[startLine]!] as const;
  const { blkIndent, parentType } = state;
  state.bMarks[startLine] = contentStart;
  state.tShift[startLine] = 0;
  state.blkIndent += 4;
  state.sCount[startLine] = state.blkIndent;
  state.md.block.tokenize(state, startLine, endLine);
  [state.bMarks[startLine], state.tShift[startLine], state.sCount[startLine]] = saved;
  state.blkIndent = blkIndent;
  state.parentType = parentType;
  if (state.line === startLine) state.line = startLine + 1;
}

/** Removes the definitions before inline parsing, so that references know the labels. */
function takeDefinitions(state: StateCore): void {
  if (!state.tokens.some(({ type }) => type === 'footnote_open')) return;
  const env = state.env as FootnotesEnv;
  env.table ??= footnoteTable([]);
  const { notes } = env.table;
  const defined: Token[][] = [];
  const open: Token[][] = [];
  const text: Token[] = [];
  for (const token of state.tokens) {
    if (token.type === 'footnote_open') {
      const note = define(notes, (token.meta as { label: string }).label);
      note.tokens = [];
      defined.push(note.tokens);
      open.push(note.tokens);
    } else if (token.type === 'footnote_close') {
      open.pop();
    } else {
      (open[open.length - 1] ?? text).push(token);
    }
  }
  env.text = text;
  state.tokens = [...text, ...defined.flat()];
}

/** A repeated label gets another name. */
function define(notes: Map<string, Note>, label: string): Note {
  const known = notes.get(label);
  if (known && known.tokens === undefined) return known;
  let free = label;
  for (let number = notes.size + 1; notes.has(free); number++) free = `${label}-${number}`;
  const note = newNote(free);
  notes.set(free, note);
  return note;
}

function readReference(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith('[^', state.pos)) return false;
  const { table } = state.env as FootnotesEnv;
  REFERENCE.lastIndex = state.pos;
  const found = REFERENCE.exec(state.src);
  const note = found ? table?.notes.get(found[1]!) : undefined;
  if (!found || !note || !table || state.pos + found[0].length > state.posMax) return false;
  if (!silent) {
    if (note.number === 0) note.number = table.referred.push(note);
    note.references++;
    state.push('tree', '', 0).meta = { nodes: [reference(note, note.references)] };
  }
  state.pos += found[0].length;
  return true;
}

function appendSection(state: StateCore): void {
  const { table, text } = state.env as FootnotesEnv;
  if (!table || !text) return;
  const { notes, referred } = table;
  const unreferred = [...notes.values()].filter(({ number }) => number === 0);
  const { Token: Made } = state;
  const head = new Made('tree', '', 0);
  head.meta = { nodes: [sectionHead()] };
  const section = new Made('footnotes_open', 'section', 1);
  section.attrs = [...SECTION_ATTRIBUTES].map(([name, value]): [string, string] => [name, value]);
  const tokens = [...text, section, head, new Made('footnotes_list_open', 'ol', 1)];
  for (const note of referred) pushItem(note, tokens, Made);
  for (const note of unreferred) pushItem(note, tokens, Made);
  tokens.push(new Made('footnotes_list_close', 'ol', -1), new Made('footnotes_close', 'section', -1));
  state.tokens = tokens;
}

function pushItem({ label, references, tokens = [] }: Note, list: Token[], Made: StateCore['Token']): void {
  const item = new Made('footnote_item_open', 'li', 1);
  item.attrs = [['id', itemId(label)]];
  list.push(item);
  const last = tokens[tokens.length - 1];
  const endsWithText = references > 0 && last?.type === 'paragraph_close' && !last.hidden;
  for (const token of tokens) if (token !== last || !endsWithText) list.push(token);
  if (references > 0) {
    const back = new Made('tree', '', 0);
    back.meta = { nodes: backReferences(label, references) };
    if (endsWithText) list.push(back, last);
    else list.push(new Made('paragraph_open', 'p', 1), back, new Made('paragraph_close', 'p', -1));
  }
  list.push(new Made('footnote_item_close', 'li', -1));
}
