/** The loose ends of a note, each with what it says of itself. */
import { scanInlineTags } from '../../../notes/tags.ts';
import type { Block } from '../blocks.ts';
import { dueAtEnd, dueOfValue, findDue } from '../dates/due.ts';
import type { DateReading } from '../dates/phrase.ts';
import { evidenceOf } from '../evidence.ts';
import { createIds } from '../ids.ts';
import { actionRows } from '../meetings/action-tables.ts';
import { personNamed } from '../meetings/people.ts';
import type { NoteFacts } from '../note-facts.ts';
import { findOwner } from '../owner.ts';
import { shownText } from '../shown-text.ts';
import { CONFIDENCE, type Loop, type LoopStatus } from '../types.ts';
import { saysSomething, wordsOf } from '../words.ts';
import { type Fields, readFields } from './fields.ts';
import { answersQuestion } from './section-loops.ts';
import { loopsSeen, type Seen } from './see.ts';

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
    for (const seen of loopsSeen(note, block, { tags, row: rows.get(block) })) {
      const isAnswered = seen.kind === 'question' && answersQuestion(note.blocks[index + 1]);
      const loop = describe(note, block, isAnswered ? { ...seen, status: 'done' } : seen, tags);
      if (saysSomething(loop.text))
        loops.push({ id: nextId({ ...loop.evidence, text: loop.text }), ...loop });
    }
  }
  return loops;
}

function describe(note: NoteFacts, block: Block, seen: Seen, tags: readonly string[]): Omit<Loop, 'id'> {
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
  seen: Seen,
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
  return { ...(due?.day !== undefined && { due: due.day }), dueAmbiguous: due?.ambiguous ?? false };
}

function ownerOf(words: string, seen: Seen, fields: Fields, people: readonly string[]): string | undefined {
  const said = fields.owner ?? seen.owner;
  if (said !== undefined) return personNamed(people, said) ?? said;
  if (seen.cells)
    return seen.cells.owner === undefined ? undefined : findOwner(`${seen.cells.owner}: `, people)?.owner;
  return seen.todoTxt ? undefined : findOwner(words, people)?.owner;
}
