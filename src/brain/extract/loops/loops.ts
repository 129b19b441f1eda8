/** Open loops of a note. The most explicit notation decides: a task box, a marker, a tag, a section, a sentence. */

import type { Range } from '../../../notes/markdown/regions.ts';
import { scanInlineTags } from '../../../notes/tags.ts';
import type { Block } from '../blocks.ts';
import { dueAtEnd, dueOfValue, findDue } from '../dates/due.ts';
import type { DateReading } from '../dates/phrase.ts';
import { type ActionRow, actionRows } from '../meetings/action-tables.ts';
import { personNamed } from '../meetings/people.ts';
import { gatherItems, type NoteFacts } from '../note-facts.ts';
import { findOwner } from '../owner.ts';
import { createIds, evidenceOf } from '../provenance.ts';
import { CONFIDENCE, type Loop, type LoopKind, type LoopStatus, type Priority } from '../types.ts';
import { saysSomething, shownText, wordsOf } from '../words.ts';
import { closingOf, isDoneMark, isStruck } from './closing.ts';
import { dueOfFields, type Fields, readFields } from './fields.ts';
import { findMarker, kindOfTags, type Marker } from './markers.ts';
import { loopPhrasesOf } from './phrases.ts';
import { type TaskMark, taskMarkOf } from './tasks.ts';

function sectionLoopOf(block: Block, isBare: boolean): LoopKind | undefined {
  const { kind, section, text } = block;
  if (section === 'questions') return isQuestion(block) ? 'question' : undefined;
  if (section === 'actions' && isBare && isTaskLine(block)) return 'todo';
  if (kind !== 'item') return undefined;
  if (section === 'waiting') return 'waiting_for';
  if (section === 'follow_ups') return isDoneMark(text) ? undefined : 'follow_up';
  if (section === 'actions') return isDoneMark(text) ? undefined : 'todo';
  return undefined;
}

const LONGEST_TASK = 200;

/** A short line below a heading of tasks, where others would have a list. */
function isTaskLine({ kind, text }: Block): boolean {
  if (kind !== 'paragraph' || text.length > LONGEST_TASK || isDoneMark(text)) return false;
  return !/[:?]\s*$|^[_*(<!:[]/u.test(text);
}

const ASSIGNED =
  /\((?:owner|assignee|responsible|verantwortlich|zuständig|responsable|responsável): ?(?:\[\[|@)?\p{L}[^()]*\)\W*$|^@[\p{L}\d_.-]+[,:]? (?:please|can you|could you|bitte|por favor|merci de) /iu;

/** An item with somebody asked to do it: `send the invoice (owner: Ana)`, `@ben please update the wiki`. */
function isAssigned({ kind, section, text }: Block): boolean {
  return kind === 'item' && section !== 'decisions' && ASSIGNED.test(text) && !isDoneMark(text);
}

/** Whether the text ends in a question mark, perhaps with a remark in parentheses or tags after it. */
function isQuestion({ kind, text }: Block): boolean {
  return kind !== 'row' && /\?["'”’)*_\s]*(?:\([^()]*\)|#\S+|\s)*$/u.test(text);
}

/** Whether the block after a question answers it: `A: …`. */
function answersQuestion(next: Block | undefined): boolean {
  return (
    next !== undefined &&
    /^(?:\*\*|__)?(?:A|Answer|Antwort|Resolved|→)(?:\*\*|__)?\s*[:→]?(?:\*\*|__)?\s*(?<=[:→]\s*(?:\*\*|__)?\s*)\S/iu.test(
      next.text,
    )
  );
}

/** `Question: where does it run? In the container.` */
function answersItself(text: string): boolean {
  return /^\W*(?:question|q|frage|pregunta|pergunta|dúvida)\W{0,4}[:：][^?]{3,300}\?\s+\p{L}+ \p{L}+ \p{L}+/iu.test(
    text,
  );
}

/** An open loop found in a block, before its text is parsed. */
interface LoopMatch {
  readonly kind: LoopKind;
  readonly status: LoopStatus;
  readonly confidence: number;
  /** Range of the loop in the block's text. */
  readonly span: Range;
  /** Start of its words. */
  readonly from: number;
  readonly created?: string;
  readonly priority?: Priority;
  readonly owner?: string;
  readonly todoTxt?: boolean;
  /** Cells of a row in a table of actions. */
  readonly cells?: Pick<ActionRow, 'owner' | 'due'>;
}

interface LoopContext {
  readonly tags: readonly string[];
  readonly row: ActionRow | undefined;
  /** Whether there is no list between it and the heading over it. */
  readonly isBare: boolean;
  readonly isEnglish: boolean;
}

/** At most one loop, or one for each sentence that states one. */
function findLoops(
  note: NoteFacts,
  block: Block,
  { tags, row, isBare, isEnglish }: LoopContext,
): LoopMatch[] {
  if (row) return [ofRow(row)];
  const { text } = block;
  const task = taskMarkOf(block, note.todoTxt);
  const from = task?.from ?? 0;
  const marker = task?.todoTxt
    ? undefined
    : findMarker(text.slice(from), {
        isItem: block.kind === 'item' && !task,
        isRecord: note.isRecord,
      });
  const ofTags = kindOfTags(tags);
  if (task) return [ofTask(block, task, marker?.at === 0 ? marker : undefined, ofTags)];
  if (marker) {
    const { at, ...rest } = marker;
    return [{ ...rest, confidence: CONFIDENCE.marker, span: { start: at, end: text.length } }];
  }
  const struck = isStruck(text);
  const whole = { status: 'open', span: { start: 0, end: text.length }, from: 0 } as const;
  if (ofTags) return [{ ...whole, kind: ofTags, confidence: CONFIDENCE.marker }];
  const ofSection = sectionLoopOf(block, isBare && note.isRecord);
  if (ofSection) return [{ ...whole, kind: ofSection, confidence: CONFIDENCE.section }];
  if (!struck && note.isRecord && isAssigned(block))
    return [{ ...whole, kind: 'todo', confidence: CONFIDENCE.phrase }];
  const stated = struck || block.kind === 'row' ? [] : ofSentences(block, note, isEnglish);
  return stated.length > 0 && isDoneMark(text) ? [] : stated;
}

function ofSentences(
  { text, section }: Block,
  { isRecord, people }: NoteFacts,
  isEnglish: boolean,
): LoopMatch[] {
  return loopPhrasesOf(text, { isRecord: isRecord && section !== 'decisions', people, isEnglish }).map(
    ({ kind, sentence }) => ({
      kind,
      status: 'open',
      confidence: CONFIDENCE.phrase,
      span: sentence,
      from: sentence.start,
    }),
  );
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

/** A task box makes it a task, unless a marker, a tag or a section is more specific. */
function taskKind(marked: LoopKind | undefined, isQuestion: boolean, { section, text }: Block): LoopKind {
  if (marked !== undefined && marked !== 'todo') return marked;
  if (isQuestion || (section === 'questions' && text.trimEnd().endsWith('?'))) return 'question';
  if (section === 'waiting') return 'waiting_for';
  if (section === 'follow_ups') return 'follow_up';
  return 'task';
}

/** Called with the indices of blocks in their order. */
function createBareness(blocks: readonly Block[]): (index: number) => boolean {
  let isBare = false;
  return (index) => {
    const before = blocks[index - 1]?.kind;
    if (before !== 'paragraph') isBare = before === 'heading';
    return isBare;
  };
}

const LOOK_AT = 4_000;

/** Whether the words of other languages need not be looked for. */
function isEnglishText(text: string): boolean {
  return text.includes(' the ') && !/[à-öø-ÿÀ-ÖØ-Ý]/.test(text);
}

export const MAX_LOOPS = 5_000;

export function loopsOf(note: NoteFacts): Generator<undefined, Loop[]> {
  const nextId = createIds('loop');
  const rows = new Map([...actionRows(note.blocks)].map((row) => [row.block, row]));
  const isBare = createBareness(note.blocks);
  const isEnglish = isEnglishText(note.text.slice(0, LOOK_AT));
  return gatherItems(note, MAX_LOOPS, (block, index) => {
    const tags = block.text.includes('#') ? scanInlineTags(block.text).map(({ tag }) => tag) : [];
    return findLoops(note, block, { tags, row: rows.get(block), isBare: isBare(index), isEnglish })
      .map((match) => {
        const isAnswered =
          match.kind === 'question' && (answersItself(block.text) || answersQuestion(note.blocks[index + 1]));
        return describe(note, block, isAnswered ? { ...match, status: 'done' } : match, tags);
      })
      .filter(({ text }) => saysSomething(text))
      .map((loop) => ({ id: nextId({ ...loop.evidence, text: loop.text }), ...loop }));
  });
}

function describe(
  note: NoteFacts,
  block: Block,
  match: LoopMatch,
  tags: readonly string[],
): Omit<Loop, 'id'> {
  const text = block.text.slice(0, match.span.end);
  const fields = readFields(text, note.dates);
  const due = dueOf(text.slice(match.from), match, fields, note);
  const owner = ownerOf(text.slice(match.from), match, fields, note.people);
  const priority = fields.priority ?? match.priority ?? (URGENT.test(text) ? 'highest' : undefined);
  const created = match.created ?? fields.created;
  const task = { text, start: match.span.start, from: match.from, fields: fields.spans };
  const closing = match.status === 'open' ? closingOf(task) : undefined;
  const spans = closing ? [...fields.spans, closing.span] : fields.spans;
  return {
    kind: match.kind,
    text: wordsOf(shownText(note.text, block).slice(0, match.span.end), match.from, spans),
    status: closing?.status ?? statusOf(match.status, fields),
    owner,
    ...due,
    scheduled: fields.scheduled,
    created,
    priority,
    tags,
    confidence: match.confidence,
    evidence: evidenceOf(note, block, match.span),
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
  match: LoopMatch,
  fields: Fields,
  { dates }: NoteFacts,
): Pick<Loop, 'due' | 'dueAmbiguous'> {
  const due = dueOfFields(fields) ?? dueInText(words, match, dates);
  return due?.day === undefined ? { dueAmbiguous: false } : { due: due.day, dueAmbiguous: due.ambiguous };
}

function dueInText(words: string, { kind, cells, confidence }: LoopMatch, dates: DateReading) {
  if (kind === 'question') return undefined;
  if (cells) return dueOfValue(cells.due ?? '', dates);
  return findDue(words, dates) ?? (confidence >= CONFIDENCE.section ? dueAtEnd(words, dates) : undefined);
}

function ownerOf(
  words: string,
  match: LoopMatch,
  fields: Fields,
  people: readonly string[],
): string | undefined {
  const said = fields.owner ?? match.owner;
  if (said !== undefined) return personNamed(people, said) ?? said;
  if (match.cells)
    return match.cells.owner === undefined ? undefined : findOwner(`${match.cells.owner}: `, people)?.owner;
  return match.todoTxt ? undefined : findOwner(words, people)?.owner;
}
