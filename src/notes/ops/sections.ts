/** Reads and changes single sections and blocks of a note. */
import { AppError } from '../../shared/errors.ts';
import { createLineNumbers } from '../markdown/lines.ts';
import {
  type Block,
  blocksOf,
  findBlock,
  findSection,
  noSuchSection,
  type Section,
  sectionsOf,
} from '../markdown/sections.ts';
import type { NotePath } from '../path.ts';
import { editSection as edit, insertAtBlock, type SectionEdit, type SectionMode } from '../section-edit.ts';
import type { Note, Notebook } from '../store.ts';
import { textOf } from '../text/text.ts';
import { assertStillReadable, editText } from './update-note.ts';

export interface Outline {
  readonly note: Note;
  readonly text: string;
  readonly sections: readonly Section[];
  readonly blocks: readonly Block[];
}

export async function outlineNote({ notes }: Pick<Notebook, 'notes'>, path: NotePath): Promise<Outline> {
  const note = await notes.read(path);
  const text = textOf(note);
  return { note, text, sections: sectionsOf(text), blocks: blocksOf(text) };
}

/** Exactly one of `heading` and `block`. */
export interface WantedSection {
  readonly heading?: string;
  /** Of the heading, when several have this name. */
  readonly line?: number;
  readonly block?: string;
}

export interface ReadSection {
  readonly note: Note;
  readonly text: string;
  /** Of its first line. */
  readonly line: number;
  /** Absent for a block over the first heading. */
  readonly heading?: readonly string[];
}

/** A section with all below it, or a block, to the letter. */
export async function readSection(
  { notes, guard }: Pick<Notebook, 'notes' | 'guard'>,
  path: NotePath,
  wanted: WantedSection,
): Promise<ReadSection> {
  assertOne(wanted);
  const note = await notes.read(path);
  const text = textOf(note);
  const sections = sectionsOf(text);
  const {
    start,
    end,
    path: heading,
  } = wanted.block === undefined ? meant(sections, wanted) : blockIn(text, sections, wanted.block);
  void guard?.shownPart(note);
  return { note, text: text.slice(start, end), line: createLineNumbers(text)(start), heading };
}

function meant(sections: readonly Section[], { heading = '', line }: WantedSection): Section {
  const section = findSection(sections, heading, line);
  if (!section) throw noSuchSection(sections, heading);
  return section;
}

function blockIn(text: string, sections: readonly Section[], id: string) {
  const block = findBlock(text, id);
  return { ...block, path: sections.findLast(({ start }) => start <= block.start)?.path };
}

function assertOne({ heading, block }: WantedSection): void {
  if ((heading === undefined) !== (block === undefined)) return;
  throw new AppError('invalid_input', 'Give either heading or block');
}

export interface SectionChange extends WantedSection, Pick<SectionEdit, 'content' | 'create' | 'level'> {
  readonly mode: SectionMode | 'before' | 'after';
  /** The version of the note that the caller has seen. */
  readonly expectedVersion?: string;
}

export interface ChangedSection {
  readonly heading?: readonly string[];
  readonly created: boolean;
  readonly unchanged: boolean;
  readonly before: string;
  readonly after: string;
}

export async function changeSection(
  notebook: Notebook,
  path: NotePath,
  change: SectionChange,
  options: { readonly dryRun?: boolean; readonly signal?: AbortSignal },
): Promise<ChangedSection> {
  assertOne(change);
  let result: Pick<ChangedSection, 'heading' | 'created'> = { created: false };
  const { before, after } = await editText(
    notebook,
    path,
    async (text, note) => {
      // What is only added to need not have been read.
      if (change.mode === 'replace' || change.expectedVersion !== undefined)
        await notebook.guard?.assertSeen(path, note, change.expectedVersion);
      const edited = applied(text, change);
      result = edited;
      await assertStillReadable(path, text, edited.text);
      return edited.text;
    },
    options,
  );
  return { ...result, unchanged: before === after, before, after };
}

function applied(text: string, { mode, block, heading = '', ...change }: SectionChange) {
  if (block !== undefined) {
    if (mode !== 'before' && mode !== 'after')
      throw new AppError('invalid_input', 'mode must be before or after with a block');
    return { text: insertAtBlock(text, { block, side: mode, content: change.content }), created: false };
  }
  if (mode === 'before' || mode === 'after')
    throw new AppError('invalid_input', 'mode must be append, prepend or replace with a heading');
  const { path, ...edited } = edit(text, { ...change, heading, mode });
  return { ...edited, heading: path };
}
