/**
 * `text[^1]` with `[^1]: note`. The notes go to a section at the end, numbered as they are first referred to; those
 * nobody refers to follow, since dropping them would lose text. A reference without a note is text.
 */
import type { MarkdownIt, StateBlock, StateCore, StateInline, Token } from 'markdown-it';
import { backReferences, itemId, reference, SECTION_ATTRIBUTES, sectionHead } from '../footnotes.ts';

interface Note {
  readonly label: string;
  readonly tokens: Token[];
  /** Its place among those referred to, from 1; 0 if nobody refers to it. */
  number: number;
  /** How often it is referred to. */
  references: number;
}

interface FootnotesEnv {
  notes?: Map<string, Note>;
  referred?: Note[];
  text?: readonly Token[];
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

/** The rest of the first line and all that is indented below it, as blocks. */
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

/** Takes the notes out of the text before lines are read, so that references know which there are. */
function takeDefinitions(state: StateCore): void {
  const env = state.env as FootnotesEnv;
  const notes = new Map<string, Note>();
  const open: Token[][] = [];
  const text: Token[] = [];
  for (const token of state.tokens) {
    if (token.type === 'footnote_open') {
      const { label: written } = token.meta as { label: string };
      const label = notes.has(written) ? `${written}-${notes.size + 1}` : written;
      const note: Note = { label, tokens: [], number: 0, references: 0 };
      notes.set(label, note);
      open.push(note.tokens);
    } else if (token.type === 'footnote_close') {
      open.pop();
    } else {
      (open[open.length - 1] ?? text).push(token);
    }
  }
  Object.assign(env, { notes, referred: [], text });
  state.tokens = [...text, ...[...notes.values()].flatMap(({ tokens }) => tokens)];
}

function readReference(state: StateInline, silent: boolean): boolean {
  if (!state.src.startsWith('[^', state.pos)) return false;
  const { notes, referred } = state.env as FootnotesEnv;
  REFERENCE.lastIndex = state.pos;
  const found = REFERENCE.exec(state.src);
  const note = found ? notes?.get(found[1]!) : undefined;
  if (!found || !note || !referred || state.pos + found[0].length > state.posMax) return false;
  if (!silent) {
    if (note.number === 0) note.number = referred.push(note);
    note.references++;
    state.push('tree', '', 0).meta = { nodes: [reference(note, note.references)] };
  }
  state.pos += found[0].length;
  return true;
}

function appendSection(state: StateCore): void {
  const { notes, referred = [], text = state.tokens } = state.env as FootnotesEnv;
  if (!notes || notes.size === 0) return;
  const unreferred = [...notes.values()].filter(({ number }) => number === 0);
  const { Token: Made } = state;
  const head = new Made('tree', '', 0);
  head.meta = { nodes: [sectionHead()] };
  const section = new Made('footnotes_open', 'section', 1);
  section.attrs = [...SECTION_ATTRIBUTES].map(([name, value]): [string, string] => [name, value]);
  const items = [...referred, ...unreferred].flatMap((note) => itemOf(note, Made));
  const list = [
    new Made('footnotes_list_open', 'ol', 1),
    ...items,
    new Made('footnotes_list_close', 'ol', -1),
  ];
  state.tokens = [...text, section, head, ...list, new Made('footnotes_close', 'section', -1)];
}

function itemOf(note: Note, Made: StateCore['Token']): Token[] {
  const item = new Made('footnote_item_open', 'li', 1);
  item.attrSet('id', itemId(note.label));
  const end = new Made('footnote_item_close', 'li', -1);
  if (note.references === 0) return [item, ...note.tokens, end];
  const back = new Made('tree', '', 0);
  back.meta = { nodes: backReferences(note, note.references) };
  const last = note.tokens[note.tokens.length - 1];
  if (last?.type === 'paragraph_close' && !last.hidden)
    return [item, ...note.tokens.slice(0, -1), back, last, end];
  const paragraph = [new Made('paragraph_open', 'p', 1), back, new Made('paragraph_close', 'p', -1)];
  return [item, ...note.tokens, ...paragraph, end];
}
