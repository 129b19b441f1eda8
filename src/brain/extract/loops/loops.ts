/** The loose ends of a note, each with what it says of itself. */

import type { Range } from '../../../notes/markdown/regions.ts';
import { scanInlineTags } from '../../../notes/tags.ts';
import type { Block } from '../blocks.ts';
import { dueAtEnd, dueOfValue, findDue } from '../dates/due.ts';
import type { DateReading } from '../dates/phrase.ts';
import { createIds, evidenceOf } from '../findings.ts';
import { type ActionRow, actionRows } from '../meetings/action-tables.ts';
import { personNamed } from '../meetings/people.ts';
import type { NoteFacts } from '../note-facts.ts';
import { findOwner } from '../owner.ts';
import { CONFIDENCE, type Loop, type LoopKind, type LoopStatus, type Priority } from '../types.ts';
import { saysSomething, shownText, wordsOf } from '../words.ts';
import { type Fields, readFields } from './fields.ts';
import { findMarker, kindOfTags, loopPhrasesOf, type Marker } from './markers.ts';
import { type TaskMark, taskMarkOf } from './tasks.ts';

/** What the section a block stands in makes of it. */

function sectionLoopOf(block: Block): LoopKind | undefined {
  const { kind, section, text } = block;
  if (section === 'questions') return isQuestion(block) ? 'question' : undefined;
  if (kind !== 'item') return undefined;
  if (section === 'waiting') return 'waiting_for';
  if (section === 'follow_ups') return 'follow_up';
  if (section === 'actions') return isDoneMark(text) ? undefined : 'todo';
  return undefined;
}

/** Under a heading of questions: what ends in a question mark, perhaps with a note in parentheses behind it. */
function isQuestion({ kind, text }: Block): boolean {
  return kind !== 'row' && /\?["'”’)*_\s]*(?:\([^()]*\)|#\S+|\s)*$/u.test(text);
}

function isDoneMark(text: string): boolean {
  return /^(?:✅|✔|☑|done:?\s)/iu.test(text);
}

/** `A: …` right below a question. */
function answersQuestion(next: Block | undefined): boolean {
  return (
    next !== undefined &&
    /^(?:\*\*|__)?(?:A|Answer|Antwort|Resolved|→)(?:\*\*|__)?\s*[:→]?(?:\*\*|__)?\s*(?<=[:→]\s*(?:\*\*|__)?\s*)\S/iu.test(
      next.text,
    )
  );
}

/** Which loose ends a block is. What is written most plainly decides: a box, a mark, a tag, a section, a sentence. */

/** What was seen in a block, before its words are read. */
interface LoopMatch {
  readonly kind: LoopKind;
  readonly status: LoopStatus;
  readonly confidence: number;
  /** The part of the block's text that is it. */
  readonly span: Range;
  /** Where its words begin. */
  readonly from: number;
  readonly created?: string;
  readonly priority?: Priority;
  readonly owner?: string;
  readonly todoTxt?: boolean;
  /** Of a row in a table of actions. */
  readonly cells?: Pick<ActionRow, 'owner' | 'due'>;
}

interface LoopContext {
  readonly tags: readonly string[];
  readonly row: ActionRow | undefined;
}

/** One, or as many as there are sentences that tell of one. */
function findLoops(note: NoteFacts, block: Block, { tags, row }: LoopContext): LoopMatch[] {
  if (row) return [ofRow(row)];
  const { text } = block;
  const task = taskMarkOf(block, note.todoTxt);
  const from = task?.from ?? 0;
  const marker = task?.todoTxt ? undefined : findMarker(text.slice(from), block.kind === 'item' && !task);
  const ofTags = kindOfTags(tags);
  if (task) return [ofTask(block, task, marker?.at === 0 ? marker : undefined, ofTags)];
  if (marker) {
    const { at, ...rest } = marker;
    return [{ ...rest, confidence: CONFIDENCE.marker, span: { start: at, end: text.length } }];
  }
  const isStruck = /^~~.*~~\W*$/.test(text);
  const whole = {
    status: isStruck ? 'done' : 'open',
    span: { start: 0, end: text.length },
    from: 0,
  } as const;
  if (ofTags) return [{ ...whole, kind: ofTags, confidence: CONFIDENCE.marker }];
  const ofSection = sectionLoopOf(block);
  if (ofSection) return [{ ...whole, kind: ofSection, confidence: CONFIDENCE.section }];
  return isStruck || block.kind === 'row' ? [] : told(text);
}

function told(text: string): LoopMatch[] {
  return loopPhrasesOf(text).map(({ kind, sentence }) => ({
    kind,
    status: 'open',
    confidence: CONFIDENCE.phrase,
    span: sentence,
    from: sentence.start,
  }));
}

function ofRow({ action, done, owner, due }: ActionRow): LoopMatch {
  return {
    kind: 'todo',
    status: done ? 'done' : 'open',
    confidence: CONFIDENCE.structured,
    span: action,
    from: action.start,
    cells: { owner, due },
  };
}

function ofTask(
  block: Block,
  task: TaskMark,
  marker: Marker | undefined,
  ofTags: LoopKind | undefined,
): LoopMatch {
  return {
    ...task,
    kind: taskKind(marker?.kind ?? ofTags, task.isQuestion === true, block),
    span: { start: 0, end: block.text.length },
    from: task.from + (marker?.from ?? 0),
    confidence: CONFIDENCE.structured,
    owner: marker?.owner,
  };
}

/** A box says that it is a task; a mark, a tag or a section may say more. */
function taskKind(marked: LoopKind | undefined, isQuestion: boolean, { section, text }: Block): LoopKind {
  if (marked !== undefined && marked !== 'todo') return marked;
  if (isQuestion || (section === 'questions' && text.trimEnd().endsWith('?'))) return 'question';
  if (section === 'waiting') return 'waiting_for';
  if (section === 'follow_ups') return 'follow_up';
  return 'task';
}

export const MAX_LOOPS = 5_000;
const BLOCKS_A_STEP = 100;

export function* loopsOf(note: NoteFacts): Generator<undefined, Loop[]> {
  const nextId = createIds('loop');
  const loops: Loop[] = [];
  const rows = new Map([...actionRows(note.blocks)].map((row) => [row.block, row]));
  for (const [index, block] of note.blocks.entries()) {
    if (index % BLOCKS_A_STEP === BLOCKS_A_STEP - 1) yield;
    if (block.kind === 'heading' || loops.length >= MAX_LOOPS) continue;
    const tags = block.text.includes('#') ? scanInlineTags(block.text).map(({ tag }) => tag) : [];
    for (const seen of findLoops(note, block, { tags, row: rows.get(block) })) {
      const isAnswered = seen.kind === 'question' && answersQuestion(note.blocks[index + 1]);
      const loop = describe(note, block, isAnswered ? { ...seen, status: 'done' } : seen, tags);
      if (saysSomething(loop.text))
        loops.push({ id: nextId({ ...loop.evidence, text: loop.text }), ...loop });
    }
  }
  return loops;
}

function describe(note: NoteFacts, block: Block, seen: LoopMatch, tags: readonly string[]): Omit<Loop, 'id'> {
  const text = block.text.slice(0, seen.span.end);
  const fields = readFields(text, note.dates);
  const due = dueOf(text.slice(seen.from), seen, fields, note);
  const owner = ownerOf(text.slice(seen.from), seen, fields, note.people);
  const priority = fields.priority ?? seen.priority ?? (URGENT.test(text) ? 'highest' : undefined);
  const created = seen.created ?? fields.created;
  return {
    kind: seen.kind,
    text: wordsOf(shownText(note.text, block).slice(0, seen.span.end), seen.from, fields.spans),
    status: statusOf(seen.status, fields),
    owner,
    ...due,
    scheduled: fields.scheduled,
    created,
    priority,
    tags,
    confidence: seen.confidence,
    evidence: evidenceOf(note, block, seen.span),
  };
}

const URGENT = /\bASAP\b|\b(?:as soon as possible|urgent(?:ly)?|dringend|so bald wie möglich)\b/i;

function statusOf(status: LoopStatus, fields: Fields): LoopStatus {
  if (status !== 'open') return status;
  if (fields.completed !== undefined) return 'done';
  return fields.cancelled === undefined ? 'open' : 'cancelled';
}

function dueOf(
  words: string,
  seen: LoopMatch,
  fields: Fields,
  { dates }: NoteFacts,
): Pick<Loop, 'due' | 'dueAmbiguous'> {
  if (fields.due !== undefined) return { due: fields.due, dueAmbiguous: fields.dueAmbiguous ?? false };
  if (seen.kind === 'question') return { dueAmbiguous: false };
  if (seen.cells) return dueOfCell(seen.cells.due, dates);
  const due =
    findDue(words, dates) ?? (seen.confidence >= CONFIDENCE.section ? dueAtEnd(words, dates) : undefined);
  if (due?.day === undefined) return { dueAmbiguous: false };
  return { due: due.day, dueAmbiguous: due.ambiguous };
}

function dueOfCell(cell: string | undefined, dates: DateReading): Pick<Loop, 'due' | 'dueAmbiguous'> {
  const due = cell === undefined ? undefined : dueOfValue(cell, dates);
  return { due: due?.day, dueAmbiguous: due?.ambiguous ?? false };
}

function ownerOf(
  words: string,
  seen: LoopMatch,
  fields: Fields,
  people: readonly string[],
): string | undefined {
  const said = fields.owner ?? seen.owner;
  if (said !== undefined) return personNamed(people, said) ?? said;
  if (seen.cells)
    return seen.cells.owner === undefined ? undefined : findOwner(`${seen.cells.owner}: `, people)?.owner;
  return seen.todoTxt ? undefined : findOwner(words, people)?.owner;
}
