/** Decisions of a note: a decision record, marked lines, items under a heading, and sentences such as "we agreed to". */

import type { Range } from '../../../notes/markdown/regions.ts';
import { scanInlineTags } from '../../../notes/tags.ts';
import type { Block } from '../blocks.ts';
import { wordsFor } from '../language/languages.ts';
import { BEFORE_MARKER } from '../loops/markers.ts';
import { type ActionRow, decisionRows } from '../meetings/action-tables.ts';
import { namesIn, personNamed } from '../meetings/people.ts';
import { gatherItems, type NoteFacts } from '../note-facts.ts';
import { createIds, evidenceOf } from '../provenance.ts';
import { plainHeading } from '../sections.ts';
import { CONFIDENCE, type Decision, type DecisionMethod, type DecisionStatus } from '../types.ts';
import { saysSomething, shownText, tidy } from '../words.ts';
import { isReason, rationaleOf } from './rationale.ts';
import { decisionRecordOf, statusNamed } from './record.ts';
import { deniesDecision, isNoneYet, statedDecisions } from './stated.ts';

const OVER =
  /\b(?:over|instead of|rather than|statt|anstatt)\s+([^.,;()]{1,80}?)(?=\s+(?:because|since|for|due to|as|so that|weil)\b|[.,;(]|$)/i;

/** The options not chosen, as in "A over B". */
function alternativesIn(text: string): string[] {
  const over = OVER.exec(text)?.[1]?.trim();
  return over === undefined || over === '' ? [] : over.split(/,\s*| or | and /).filter((one) => one !== '');
}

interface DecisionMatch {
  readonly method: DecisionMethod;
  readonly confidence: number;
  readonly span: Range;
  readonly from: number;
  readonly status: DecisionStatus;
  /** Who decided, as the text names them. */
  readonly deciders?: string;
}

const NUMBER = '(?: (?:#|n[ºo°.] ?)?\\d[\\d./-]{0,12})?';
const AFTER = `${NUMBER}(?: ?\\(([^()]{1,30})\\))?(?:\\.(?=\\*\\*|__)|(?:\\*\\*|__)?\\s?[:：]|(?:\\*\\*|__)?\\s[–—-]\\s)(?:\\*\\*|__)?\\s*`;
const RARE = wordsFor(({ markers }) => markers.decision?.rare);
const COMMON = wordsFor(({ markers }) => markers.decision?.common);
const FIRST = new RegExp(`^${BEFORE_MARKER}(?:${RARE})${AFTER}`, 'iu');
const FIRST_IN_RECORD = new RegExp(`^${BEFORE_MARKER}(?:${COMMON})${AFTER}`, 'iu');
/** Behind a comma or in brackets these are mentioned: "agenda, decisions: see below". */
const LISTS = '(?:decisions|entscheidungen|beschlüsse|décisions|decisiones|decisões|acuerdos)';
/** Behind the end of a sentence, a comma, a colon, a bracket, a dash or an arrow; in capitals anywhere. */
const INSIDE = new RegExp(
  `(?:(?<=[,:] |(?<!\\[)[([])(?!${LISTS}\\b)|(?<=[.!?;)] |[–—>→|]\\s?| - |[\\p{Extended_Pictographic}]\\uFE0F? ?))(?:\\*\\*|__)?(?:${RARE})${AFTER}`,
  'iu',
);
const IN_CAPITALS = /(?<![\p{L}\d_/.-])(?:DECISION|DECIDED|RESOLVED|AGREED)(?: \(([^()]{1,30})\))?:\s+/u;
const TAG = /^(?:decision|decided|adr)$/i;
const MAX_DECISIONS = 2_000;

export function* decisionsOf(note: NoteFacts): Generator<undefined, Decision[]> {
  const nextId = createIds('dec');
  const record = decisionRecordOf(note);
  const rows = new Map([...decisionRows(note.blocks)].map((row) => [row.block, row]));
  const others = yield* gatherItems(note, MAX_DECISIONS, (block, index) => {
    const isFirst = note.blocks[index - 1]?.kind === 'heading';
    const row = rows.get(block);
    if (row && !record) return describe(note, index, ofRow(row));
    return matchesIn(block, {
      inDecisionRecord: record !== undefined,
      isRecord: note.isRecord,
      isOurs: note.isRecord || note.sourcePath === '',
      isFirst,
    }).flatMap((match) => describe(note, index, match));
  });
  return [...(record ? [record] : []), ...others].map((decision) => ({
    id: nextId({ ...decision.evidence, text: decision.decision }),
    ...decision,
  }));
}

function ofRow({ action }: ActionRow): DecisionMatch {
  return {
    method: 'section',
    confidence: CONFIDENCE.section,
    span: action,
    from: action.start,
    status: 'accepted',
  };
}

function findMarker(text: string, isRecord: boolean): RegExpExecArray | null {
  if (!/[:：]|\s[–—-]\s|\.\*\*/.test(text)) return null;
  return (
    FIRST.exec(text) ??
    (isRecord ? FIRST_IN_RECORD.exec(text) : null) ??
    INSIDE.exec(text) ??
    IN_CAPITALS.exec(text)
  );
}

interface DecisionContext {
  /** In a decision record only marked lines are further decisions. */
  readonly inDecisionRecord: boolean;
  readonly isRecord: boolean;
  /** In a record, or in a text that is given to be looked through. */
  readonly isOurs: boolean;
  readonly isFirst: boolean;
}

function matchesIn(
  block: Block,
  { inDecisionRecord, isRecord, isOurs, isFirst }: DecisionContext,
): DecisionMatch[] {
  const { text } = block;
  const marker = findMarker(text, isRecord);
  if (marker) {
    const said = marker[1] === undefined ? 'accepted' : statusNamed(marker[1]);
    const status = said === 'unknown' ? 'accepted' : said;
    const span = { start: marker.index, end: endOf(text, marker.index) };
    const from = marker.index + marker[0].length;
    if (span.end < from) return [];
    return [{ method: 'marker', confidence: CONFIDENCE.marker, span, from, status }];
  }
  const whole = { span: { start: 0, end: text.length }, from: 0, status: 'accepted' as const };
  if (text.includes('#') && scanInlineTags(text).some(({ tag }) => TAG.test(tag)))
    return [{ ...whole, method: 'marker', confidence: CONFIDENCE.marker, from: boxEnd(text) }];
  if (inDecisionRecord) return [];
  if (isOfSection(block, isFirst))
    return [{ ...whole, method: 'section', confidence: CONFIDENCE.section, from: boxEnd(text) }];
  if (block.kind === 'row' || block.section === 'questions') return [];
  return statedDecisions(text, { isRecord, isOurs }).map(({ sentence, isSure, isMade, deciders }) => ({
    method: 'phrase',
    confidence: isSure ? CONFIDENCE.phrase : CONFIDENCE.weak,
    span: sentence,
    from: sentence.start + boxEnd(sentence.text),
    status: isMade ? 'accepted' : 'proposed',
    deciders,
  }));
}

/** A marker in brackets counts up to their end. */
function endOf(text: string, start: number): number {
  const close = { '(': ')', '[': ']' }[text[start - 1] ?? ''];
  const end = close === undefined ? -1 : text.indexOf(close, start);
  return end < 0 ? text.length : end;
}

/** Items under a heading of decisions, and the paragraph right below it. */
function isOfSection({ section, kind, text, indent }: Block, isFirst: boolean): boolean {
  if (section !== 'decisions' || kind === 'row' || text.trimEnd().endsWith('?')) return false;
  if (
    /\b(?:not|n['’]t) (?:yet )?(?:been )?decided\b|\bto be decided\b|\bpostponed\b|^(?:none|no decisions?|keine(?: entscheidungen)?)\W*$/i.test(
      text,
    )
  )
    return false;
  if (deniesDecision(text) || isReason(text)) return false;
  return kind === 'item' ? indent <= 4 : isFirst && text.length <= 400 && !text.endsWith(':');
}

function boxEnd(text: string): number {
  return /^\[[^[\]]\]\s+/.exec(text)?.[0].length ?? 0;
}

/** Empty where the words are struck through, or say that nothing is decided. */
function describe(note: NoteFacts, index: number, match: DecisionMatch): Omit<Decision, 'id'>[] {
  const block = note.blocks[index]!;
  const shown = shownText(note.text, block).slice(0, match.span.end);
  const said = shown.slice(match.from);
  const words = said.replace(REPLACED, ' ');
  const text = tidy(words);
  const isStruck = isAllStruck(said) || isAllStruck(shown.slice(match.span.start));
  if (isStruck || !saysSomething(text) || isNoneYet(words)) return [];
  return [
    {
      title: titleOf(text),
      decision: text,
      status: match.status,
      date: note.ownDay,
      deciders: match.deciders === undefined ? decidersIn(text, note) : namesIn(match.deciders),
      rationale: rationaleOf(note, { index, start: match.from, end: match.span.end }),
      alternatives: alternativesIn(text),
      consequences: [],
      method: match.method,
      confidence: match.confidence,
      evidence: evidenceOf(note, block, match.span),
    },
  ];
}

/** `~~Monday~~ → Tuesday` */
const REPLACED = /~~[^~]+~~(?:\s*(?:→|->))?/g;

function isAllStruck(text: string): boolean {
  return /^\W*~~/.test(text) && !/\p{L}/u.test(text.replace(REPLACED, ' ').replace(/\([^()]*\)|#\S+/g, ' '));
}

const MAX_TITLE = 80;

function titleOf(text: string): string {
  const sentence = plainHeading(text.split(/(?<=[.!])\s/)[0] ?? text);
  return sentence.length <= MAX_TITLE ? sentence : `${sentence.slice(0, MAX_TITLE).replace(/\s+\S*$/, '')}…`;
}

/** Known people in parentheses after a decision: `(Ana, Ben)`. */
function decidersIn(text: string, { people }: NoteFacts): string[] {
  const named = /\(([^()]{2,80})\)\s*\.?$/.exec(text)?.[1];
  return named === undefined ? [] : namesIn(named).flatMap((name) => personNamed(people, name) ?? []);
}
