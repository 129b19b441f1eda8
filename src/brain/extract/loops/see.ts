/** Which loose ends a block is. What is written most plainly decides: a box, a mark, a tag, a section, a sentence. */
import type { Span } from '../../types.ts';
import type { Block } from '../blocks.ts';
import type { ActionRow } from '../meetings/action-tables.ts';
import type { NoteFacts } from '../note-facts.ts';
import { CONFIDENCE, type LoopKind, type LoopStatus, type Priority } from '../types.ts';
import { findMarker, kindOfTags, type Marker } from './markers.ts';
import { loopPhrasesOf } from './phrases.ts';
import { sectionLoopOf } from './section-loops.ts';
import { type TaskMark, taskMarkOf } from './tasks.ts';

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
  /** Of a row in a table of actions. */
  readonly cells?: Pick<ActionRow, 'owner' | 'due'>;
}

interface Beside {
  readonly tags: readonly string[];
  readonly row: ActionRow | undefined;
}

/** One, or as many as there are sentences that tell of one. */
export function loopsSeen(note: NoteFacts, block: Block, { tags, row }: Beside): Seen[] {
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

function told(text: string): Seen[] {
  return loopPhrasesOf(text).map(({ kind, sentence }) => ({
    kind,
    status: 'open',
    confidence: CONFIDENCE.phrase,
    span: sentence,
    from: sentence.start,
  }));
}

function ofRow({ action, done, owner, due }: ActionRow): Seen {
  return {
    kind: 'todo',
    status: done ? 'done' : 'open',
    confidence: CONFIDENCE.structured,
    span: action,
    from: action.start,
    cells: { ...(owner !== undefined && { owner }), ...(due !== undefined && { due }) },
  };
}

function ofTask(
  block: Block,
  task: TaskMark,
  marker: Marker | undefined,
  ofTags: LoopKind | undefined,
): Seen {
  return {
    ...task,
    kind: taskKind(marker?.kind ?? ofTags, task.isQuestion === true, block),
    span: { start: 0, end: block.text.length },
    from: task.from + (marker?.from ?? 0),
    confidence: CONFIDENCE.structured,
    ...(marker?.owner !== undefined && { owner: marker.owner }),
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
