/** Adds text to a section of a note, or replaces it, in the note's line endings. The rest of the note is unchanged. */
import { AppError } from '../shared/errors.ts';
import {
  findBlock,
  findSection,
  headingPath,
  noSuchSection,
  type Section,
  sectionsOf,
} from './markdown/sections.ts';
import { applySplices, lineEndingOf, withLineEnding } from './text/text.ts';

export type SectionMode = 'append' | 'prepend' | 'replace';

export interface SectionEdit {
  /** The heading, or the headings on the way to it. */
  readonly heading: string;
  /** Of the heading, when several have this name. */
  readonly line?: number;
  readonly mode: SectionMode;
  readonly content: string;
  /** Makes a missing heading. */
  readonly create?: boolean;
  /** Of a heading that is made. Default: one below the heading over it, else 2. */
  readonly level?: number;
}

export interface SectionEdited {
  readonly text: string;
  readonly path: readonly string[];
  readonly created: boolean;
}

export function editSection(text: string, edit: SectionEdit): SectionEdited {
  const sections = sectionsOf(text);
  const section = findSection(sections, edit.heading, edit.line);
  if (section) return { text: intoSection(text, section, edit), path: section.path, created: false };
  if (edit.create !== true) throw noSuchSection(sections, edit.heading);
  return withNewSection(text, sections, edit);
}

function intoSection(text: string, section: Section, { mode, content }: SectionEdit): string {
  const isWhole = mode === 'replace' || (mode === 'append' && beginsWithHeading(content));
  const end = isWhole ? section.end : section.ownEnd;
  const piece = withLineEnding(content, lineEndingOf(text)).replace(/^[\r\n]+|[\r\n]+$/g, '');
  const body = text.slice(section.bodyStart, end);
  const after = joined(body, piece, mode, { ending: lineEndingOf(text), isLast: end === text.length });
  // A heading in the last line of a note may have no line break.
  const head = text.slice(0, section.bodyStart);
  const gap = head.endsWith('\n') || after === '' ? '' : lineEndingOf(text);
  return head + gap + after + text.slice(end);
}

/** Text that begins with a heading of its own is not meant to stand over the headings that are there. */
function beginsWithHeading(content: string): boolean {
  return (sectionsOf(content.trimStart())[0]?.start ?? -1) === 0;
}

function joined(
  body: string,
  piece: string,
  mode: SectionMode,
  { ending, isLast }: { readonly ending: string; readonly isLast: boolean },
): string {
  const lead = /^[ \t]*(?:\r?\n[ \t]*)*(?=\S|$)/.exec(body)![0].replace(/[ \t]+$/, '');
  const inner = body.slice(lead.length).trimEnd();
  const tail = body.slice(lead.length + inner.length);
  // Before a heading there is a blank line; a note ends as it did.
  const end =
    inner === '' ? (isLast ? ending : ending + ending) : tail === '' && isLast ? '' : tail || ending;
  if (piece === '') return mode === 'replace' ? (isLast ? lead.slice(0, ending.length) : ending) : body;
  if (inner === '') return (lead.includes('\n') ? ending : '') + piece + end;
  if (mode === 'replace') return lead + piece + end;
  const [first, second] = mode === 'append' ? [inner, piece] : [piece, inner];
  return lead + first + (areOneList(first, second) ? ending : ending + ending) + second + end;
}

const ITEM = /^[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]/;

/** Whether the last line of one text and the first of the other are items of a list. */
function areOneList(first: string, second: string): boolean {
  const last = first.slice(first.lastIndexOf('\n') + 1);
  return (ITEM.test(last) || /^[ \t]+\S/.test(last)) && ITEM.test(second);
}

/** At the end of the section over it, else of the note. */
function withNewSection(text: string, sections: readonly Section[], edit: SectionEdit): SectionEdited {
  // A slash or a number sign may be part of a heading that is not there yet; `A > B` can only be a path.
  const way = headingPath(edit.heading)[1] ?? [];
  const title = way.at(-1);
  if (title === undefined || /[\r\n]/.test(title))
    throw new AppError('invalid_input', 'heading must be one line that is not empty');
  const over = way.length > 1 ? way.slice(0, -1).join(' > ') : undefined;
  const parent = over === undefined ? undefined : findSection(sections, over);
  if (over !== undefined && !parent) throw noSuchSection(sections, over);
  const level = edit.level ?? Math.min(6, (parent?.level ?? 1) + 1);
  if (parent && level <= parent.level)
    throw new AppError('invalid_input', `level must be more than ${parent.level}, the level of "${over}"`);
  const ending = lineEndingOf(text);
  const at = parent?.end ?? text.length;
  const before = text.slice(0, at).trimEnd();
  const content = withLineEnding(edit.content, ending).replace(/^[\r\n]+|[\r\n]+$/g, '');
  const section = `${'#'.repeat(level)} ${title}${content === '' ? '' : ending + ending + content}${ending}`;
  const rest = text.slice(at);
  return {
    text: `${before}${before === '' ? '' : ending + ending}${section}${rest === '' ? '' : ending}${rest}`,
    path: [...(parent?.path ?? []), title],
    created: true,
  };
}

/** Puts text before or after the block with this id. */
export function insertAtBlock(
  text: string,
  { block: id, side, content }: { block: string; side: 'before' | 'after'; content: string },
): string {
  const { start, end } = findBlock(text, id);
  const ending = lineEndingOf(text);
  const piece = withLineEnding(content, ending).replace(/^[\r\n]+|[\r\n]+$/g, '');
  const block = text.slice(start, end).trimEnd();
  const indent = ITEM.test(block) && ITEM.test(piece) ? /^[ \t]*/.exec(block)![0] : '';
  const lines = indent === '' ? piece : piece.replace(/^(?=[^\r\n])/gm, indent);
  const [first, second] = side === 'before' ? [lines, block] : [block, lines];
  const gap = areOneList(first, second) ? ending : ending + ending;
  const tail = text.slice(start + block.length, end);
  // What follows stands apart from the text, unless it is the next item of the same list.
  const next = text.slice(end);
  const isApart = next.trim() === '' || /^[ \t]*\r?\n/.test(next) || areOneList(second, next);
  const after = tail + (isApart ? '' : ending);
  return applySplices(text, [{ start, end, text: first + gap + second + after }]);
}
