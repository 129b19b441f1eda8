/** The loose ends of a note. A block is at most one: what is written most plainly decides. */
import { scanInlineTags } from '../../../notes/tags.ts';
import type { Span } from '../../types.ts';
import { type Block, shownText } from '../blocks.ts';
import { dueAtEnd, findDue } from '../dates/due.ts';
import { evidenceOf } from '../evidence.ts';
import { createIds } from '../ids.ts';
import { personNamed } from '../meetings/people.ts';
import type { NoteFacts } from '../note-facts.ts';
import { findOwner } from '../owner.ts';
import { CONFIDENCE, type Loop, type LoopKind, type LoopStatus, type Priority } from '../types.ts';
import { saysSomething, wordsOf } from '../words.ts';
import { type Fields, readFields } from './fields.ts';
import { findMarker, kindOfTags } from './markers.ts';
import { loopPhraseOf } from './phrases.ts';
import { answersQuestion, sectionLoopOf } from './section-loops.ts';
import { taskMarkOf } from './tasks.ts';

/** What was seen in a block, before its words are read. */
export interface Seen {
  readonly kind: LoopKind;
  readonly status: LoopStatus;
  readonly confidence: number;
  /** The part of the block's text that is it. */
  readonly span: Span;
  /** Where its words begin. */
  readonly from: number;
  readonly created?: string;
  readonly priority?: Priority;
  readonly owner?: string;
  readonly todoTxt?: boolean;
}

export const MAX_LOOPS = 20_000;
const BLOCKS_A_STEP = 100;

export function* loopsOf(note: NoteFacts): Generator<undefined, Loop[]> {
  const nextId = createIds('loop');
  const loops: Loop[] = [];
  for (const [index, block] of note.blocks.entries()) {
    if (index % BLOCKS_A_STEP === BLOCKS_A_STEP - 1) yield;
    if (block.kind === 'heading' || loops.length >= MAX_LOOPS) continue;
    const tags = tagsOf(block.text);
    const seen = see(note, block, tags);
    if (!seen) continue;
    const isAnswered = seen.kind === 'question' && answersQuestion(note.blocks[index + 1]);
    const loop = describe(note, block, isAnswered ? { ...seen, status: 'done' } : seen, tags);
    if (saysSomething(loop.text)) loops.push({ id: nextId({ ...loop.evidence, text: loop.text }), ...loop });
  }
  return loops;
}

function tagsOf(text: string): { tag: string; start: number; end: number }[] {
  return text.includes('#') ? scanInlineTags(text) : [];
}

type Tags = ReturnType<typeof tagsOf>;

function see(note: NoteFacts, block: Block, tags: Tags): Seen | undefined {
  const { text } = block;
  const span = { start: 0, end: text.length };
  const task = taskMarkOf(block, note.todoTxt);
  const from = task?.from ?? 0;
  const marker = task?.todoTxt ? undefined : findMarker(text.slice(from), block.kind === 'item' && !task);
  const ofTags = kindOfTags(tags.map(({ tag }) => tag));
  if (task) {
    const marked = marker?.at === 0 ? marker : undefined;
    const kind = taskKind(marked?.kind ?? ofTags, task.isQuestion === true, block);
    const owner = marked?.owner;
    return {
      ...task,
      kind,
      span,
      from: from + (marked?.from ?? 0),
      confidence: CONFIDENCE.structured,
      ...(owner !== undefined && { owner }),
    };
  }
  if (marker) {
    const { at, ...rest } = marker;
    return { ...rest, confidence: CONFIDENCE.marker, span: { start: at, end: text.length } };
  }
  const isStruck = /^~~.*~~\W*$/.test(text);
  const status = isStruck ? 'done' : 'open';
  if (ofTags) return { kind: ofTags, status, confidence: CONFIDENCE.marker, span, from: 0 };
  const ofSection = sectionLoopOf(block);
  if (ofSection) return { kind: ofSection, status, confidence: CONFIDENCE.section, span, from: 0 };
  const phrase = loopPhraseOf(text);
  if (!phrase || isStruck || block.kind === 'row') return undefined;
  const { sentence } = phrase;
  return { kind: phrase.kind, status, confidence: CONFIDENCE.phrase, span: sentence, from: sentence.start };
}

/** A box says that it is a task; a mark, a tag or a section may say more. */
function taskKind(marked: LoopKind | undefined, isQuestion: boolean, { section, text }: Block): LoopKind {
  if (marked !== undefined && marked !== 'todo') return marked;
  if (isQuestion || (section === 'questions' && text.trimEnd().endsWith('?'))) return 'question';
  if (section === 'waiting') return 'waiting_for';
  if (section === 'follow_ups') return 'follow_up';
  return 'task';
}

function describe(note: NoteFacts, block: Block, seen: Seen, tags: Tags): Omit<Loop, 'id'> {
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
    ...(owner !== undefined && { owner }),
    ...due,
    ...(fields.scheduled !== undefined && { scheduled: fields.scheduled }),
    ...(created !== undefined && { created }),
    ...(priority && { priority }),
    tags: tags.map(({ tag }) => tag),
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
  seen: Seen,
  fields: Fields,
  { dates }: NoteFacts,
): Pick<Loop, 'due' | 'dueAmbiguous'> {
  if (fields.due !== undefined) return { due: fields.due, dueAmbiguous: fields.dueAmbiguous ?? false };
  if (seen.kind === 'question') return { dueAmbiguous: false };
  const due =
    findDue(words, dates) ?? (seen.confidence >= CONFIDENCE.section ? dueAtEnd(words, dates) : undefined);
  if (due?.day === undefined) return { dueAmbiguous: false };
  return { due: due.day, dueAmbiguous: due.ambiguous };
}

function ownerOf(words: string, seen: Seen, fields: Fields, people: readonly string[]): string | undefined {
  const said = fields.owner ?? seen.owner;
  if (said !== undefined) return personNamed(people, said) ?? said;
  return seen.todoTxt ? undefined : findOwner(words, people)?.owner;
}
