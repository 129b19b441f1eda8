/** Action items of a meeting: task boxes, items under a heading, marked lines, table rows, promises in sentences. */
import type { Range } from '../../../notes/markdown/regions.ts';
import { sentencesOf } from '../../../notes/text/sentences.ts';
import type { Block } from '../blocks.ts';
import { dueAtEnd, dueOfValue, findDue } from '../dates/due.ts';
import { closingOf, isDoneMark, isStruck } from '../loops/closing.ts';
import { dueOfFields, type Fields, readFields } from '../loops/fields.ts';
import { findMarker } from '../loops/markers.ts';
import { taskMarkOf } from '../loops/tasks.ts';
import { gatherItems, type NoteFacts } from '../note-facts.ts';
import { findOwner } from '../owner.ts';
import { evidenceOf } from '../provenance.ts';
import { type ActionItem, CONFIDENCE, type LoopStatus } from '../types.ts';
import { saysSomething, shownText, wordsOf } from '../words.ts';
import { type ActionRow, actionRows } from './action-tables.ts';
import { beginsWithLink, personNamed, type SpeakerTurn, withLinkedNames } from './people.ts';

/** A sentence such as "Ana will send the draft", or "I'll send it" where the speaker is known. */
interface PromiseMatch {
  readonly span: Range;
  readonly from: number;
  readonly owner: string;
}

const OF_NAME =
  /^(?:(?:so|then|and|also|finally|ok|okay),? )?(?:\*\*)?(\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?(?:(?:,| and| und| &) \p{Lu}[\p{L}'’-]*)*)(?:\*\*)? (?:will|is going to|are going to|agreed to|promised to|offered to|volunteered to|takes? care of|has to|needs to|to|wird|soll|kümmert sich um|übernimmt)\s+(?=\p{L})/u;
const OF_SPEAKER =
  /^(?:(?:so|then|and|also|yes|yeah|ok|okay|sure|right|fine|great|alright|good|thanks)[,.!]? )*(?:I['’]ll|I will|I am going to|I['’]m going to|let me|I can take|I take|I['’]ll take care of|ich werde|ich übernehme|ich kümmere mich um)\s+(?=\p{L})/iu;
/** Verbs of being, feeling or attending, which are no actions. */
const NO_ACTION =
  /^(?:be(?! (?:sending|writing|preparing|responsible))|not|never|have|probably|likely|maybe|always|still|need|want|know|see|think|love|like|miss|join|attend|arrive|leave|return|turn|retire|remember|wait|admit|say|agree|hear|pass|go first|start by saying|nicht|sein)\b/iu;

function promisesIn(
  text: string,
  { people, turn }: { people: readonly string[]; turn: SpeakerTurn | undefined },
): PromiseMatch[] {
  const start = turn?.from ?? 0;
  return sentencesOf(text.slice(start)).flatMap((sentence) => {
    if (sentence.text.endsWith('?')) return [];
    const span = { start: sentence.start + start, end: sentence.end + start };
    const owner = ownerIn(sentence.text, people, turn);
    return owner === undefined ? [] : [{ span, from: span.start, owner }];
  });
}

function ownerIn(
  sentence: string,
  people: readonly string[],
  turn: SpeakerTurn | undefined,
): string | undefined {
  if (/\b(?:if|unless|would|could)\b/i.test(sentence.slice(0, 30))) return undefined;
  const spoken = turn ? OF_SPEAKER.exec(sentence) : null;
  if (turn && spoken) return NO_ACTION.test(sentence.slice(spoken[0].length)) ? undefined : turn.speaker;
  const plain = withLinkedNames(sentence);
  const isLinked = beginsWithLink(sentence);
  const named = OF_NAME.exec(plain);
  if (!named?.[1] || NO_ACTION.test(plain.slice(named[0].length))) return undefined;
  const names = named[1]
    .split(/,? and |,? und | & |, /u)
    .map((name) => personNamed(people, name) ?? (isLinked ? name : undefined));
  return names.every((name) => name !== undefined) ? names.join(', ') : undefined;
}

interface ActionMatch {
  readonly block: Block;
  readonly span: Range;
  readonly from: number;
  readonly status: LoopStatus;
  readonly confidence: number;
  /** The speaker, or the person in the heading. */
  readonly owner?: string;
}

const MARKER =
  /^(?:\*\*|__)?(?:ACTION(?: ITEM)?|AI|AKTION|AUFGABE)(?:\*\*|__)?\s*(?:\(([^()]{1,40})\))?\s*[:：](?:\*\*|__)?\s*/iu;
const MAX_ACTIONS = 2_000;

export function* actionItemsOf(
  note: NoteFacts,
  turns: readonly SpeakerTurn[],
): Generator<undefined, ActionItem[]> {
  const people = withSpeakers(note.people, turns);
  const speakerOf = new Map(turns.map((turn) => [turn.block, turn]));
  const isNested = createNesting();
  const ofRows = [...actionRows(note.blocks)].map((row) => ofRow(note, row, people));
  const others = yield* gatherItems(note, MAX_ACTIONS - ofRows.length, (block) => {
    if (block.kind === 'row') return [];
    const found = matchesIn(block, {
      people,
      turn: speakerOf.get(block),
      isRemark: isNested(block),
      isRecord: note.isRecord,
    });
    return found.map((one) => describe(note, one, people)).filter(({ text }) => saysSomething(text));
  });
  return [...ofRows, ...others].sort((a, b) => a.evidence.span.start - b.evidence.span.start);
}

function withSpeakers(people: readonly string[], turns: readonly SpeakerTurn[]): string[] {
  const speakers = [...new Set(turns.map(({ speaker }) => speaker))];
  return [...people, ...speakers.filter((speaker) => personNamed(people, speaker) === undefined)];
}

interface ActionContext {
  readonly people: readonly string[];
  readonly turn: SpeakerTurn | undefined;
  readonly isRemark: boolean;
  readonly isRecord: boolean;
}

function matchesIn(block: Block, { people, turn, isRemark, isRecord }: ActionContext): ActionMatch[] {
  const { text, section } = block;
  const whole = { block, span: { start: 0, end: text.length } };
  const task = taskMarkOf(block, false);
  const owner = personNamed(people, block.headings.at(-1) ?? '');
  if (task && section !== 'attendees' && section !== 'agenda' && section !== 'questions')
    return [{ ...whole, from: task.from, status: task.status, confidence: CONFIDENCE.structured, owner }];
  const marker = MARKER.exec(text);
  if (marker) {
    const named = personNamed(people, (marker[1] ?? '').replace(/^@/, ''));
    const from = marker[0].length;
    return [{ ...whole, from, status: 'open', confidence: CONFIDENCE.marker, owner: named }];
  }
  const todo = findMarker(text, { isItem: block.kind === 'item', isRecord });
  if (todo && (todo.kind === 'todo' || todo.kind === 'openloop')) {
    const { from, status, at } = todo;
    const named = todo.owner && (personNamed(people, todo.owner) ?? todo.owner);
    const span = { start: at, end: text.length };
    return [{ block, span, from, status, confidence: CONFIDENCE.marker, owner: named }];
  }
  if (section === 'actions' && block.kind === 'item' && !isRemark) {
    const status = isStruck(text) || isDoneMark(text) ? 'done' : 'open';
    return [{ ...whole, from: 0, status, confidence: CONFIDENCE.section, owner }];
  }
  if (section !== undefined && section !== 'notes' && section !== 'decisions' && section !== 'agenda')
    return [];
  return promisesIn(text, { people, turn }).map((promise) => ({
    block,
    status: 'open',
    confidence: CONFIDENCE.phrase,
    ...promise,
  }));
}

/** Whether an item is nested below an action, and so only a remark on it. */
function createNesting(): (block: Block) => boolean {
  const above: Block[] = [];
  return (block) => {
    while (above.length > 0 && above.at(-1)!.indent >= block.indent) above.pop();
    const parent = above.at(-1);
    if (block.kind === 'item') above.push(block);
    return block.kind === 'item' && parent?.section === 'actions';
  };
}

function describe(note: NoteFacts, one: ActionMatch, people: readonly string[]): ActionItem {
  const text = one.block.text.slice(0, one.span.end);
  const words = text.slice(one.from);
  const fields = readFields(text, note.dates);
  const owner = ownerOf(words, one, fields, people);
  const due = dueOfFields(fields) ?? findDue(words, note.dates) ?? dueAtEnd(words, note.dates);
  const leftOut = owner.span ? [{ start: owner.span.start + one.from, end: owner.span.end + one.from }] : [];
  const task = { text, start: one.span.start, from: one.from, fields: fields.spans };
  const closing = closingOf(task);
  if (closing) leftOut.push(closing.span);
  return {
    text: wordsOf(shownText(note.text, one.block).slice(0, one.span.end), one.from, [
      ...fields.spans,
      ...leftOut,
    ]),
    owner: owner.owner,
    ownerText: owner.text,
    due: due?.day,
    dueText: due?.text,
    dueAmbiguous: due?.ambiguous ?? false,
    status: one.status === 'open' ? (closing?.status ?? statusOfFields(fields)) : one.status,
    confidence: one.confidence,
    evidence: evidenceOf(note, one.block, one.span),
  };
}

function statusOfFields({ completed }: Fields): LoopStatus {
  return completed === undefined ? 'open' : 'done';
}

interface OwnerMatch {
  readonly owner?: string;
  readonly text?: string;
  /** Range of a name that is not part of the sentence. */
  readonly span?: Range;
}

function ownerOf(words: string, one: ActionMatch, fields: Fields, people: readonly string[]): OwnerMatch {
  if (fields.owner !== undefined) return { owner: personNamed(people, fields.owner), text: fields.owner };
  const found = findOwner(words, people);
  if (found) {
    const isApart = /[:)\]]\s*$|^\s*[–—-]|^[@(]/u.test(words.slice(found.start, found.end));
    return { ...found, span: isApart ? found : undefined };
  }
  return { owner: one.owner, text: one.owner };
}

function ofRow(note: NoteFacts, row: ActionRow, people: readonly string[]): ActionItem {
  const name = row.owner?.replace(/^@|\[\[|\]\]/g, '');
  const owner =
    name === undefined
      ? undefined
      : (personNamed(people, name) ?? (row.owner?.startsWith('@') ? name : undefined));
  const due = row.due === undefined ? undefined : dueOfValue(row.due, note.dates);
  const { start, end } = row.action;
  const closing = closingOf({ text: row.block.text.slice(0, end), start, from: start, fields: [] });
  return {
    text: wordsOf(shownText(note.text, row.block).slice(0, end), start, closing ? [closing.span] : []),
    owner,
    ownerText: name,
    due: due?.day,
    dueText: row.due,
    dueAmbiguous: due?.ambiguous ?? false,
    status: closing?.status ?? (row.done ? 'done' : 'open'),
    confidence: CONFIDENCE.structured,
    evidence: evidenceOf(note, row.block),
  };
}
