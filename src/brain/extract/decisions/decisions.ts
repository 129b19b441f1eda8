/** The decisions of a note: a record of one, or what lines are marked, gathered or told as such. */
import { scanInlineTags } from '../../../notes/tags.ts';
import type { Span } from '../../types.ts';
import type { Block } from '../blocks.ts';
import { evidenceOf } from '../evidence.ts';
import { createIds } from '../ids.ts';
import { namesIn, personNamed } from '../meetings/people.ts';
import type { NoteFacts } from '../note-facts.ts';
import { plainHeading } from '../sections.ts';
import { shownText } from '../shown-text.ts';
import { CONFIDENCE, type Decision, type DecisionMethod, type DecisionStatus } from '../types.ts';
import { saysSomething, wordsOf } from '../words.ts';
import { alternativesIn, decisionPhrasesOf, rationaleIn } from './phrases.ts';
import { decisionRecordOf, statusNamed } from './record.ts';

interface Seen {
  readonly method: DecisionMethod;
  readonly confidence: number;
  readonly span: Span;
  readonly from: number;
  readonly status: DecisionStatus;
}

const MARKER =
  /^(?:\*\*|__)?(?:DECISION|DECIDED|AGREED|BESCHLUSS|ENTSCHEIDUNG|DÉCISION)(?: \(([^()]{1,30})\))?(?:\.(?=\*\*|__)|(?:\*\*|__)?\s*[:：])(?:\*\*|__)?\s*/iu;
const INSIDE = /(?<![\p{L}\d_/.-])(?:DECISION|DECIDED)(?: \(([^()]{1,30})\))?:\s+/u;
const TAG = /^(?:decision|decided|adr)$/i;
const MAX_DECISIONS = 2_000;
const BLOCKS_A_STEP = 100;

export function* decisionsOf(note: NoteFacts): Generator<undefined, Decision[]> {
  const nextId = createIds('dec');
  const record = decisionRecordOf(note);
  const found: Omit<Decision, 'id'>[] = record ? [record] : [];
  for (const [index, block] of note.blocks.entries()) {
    if (index % BLOCKS_A_STEP === BLOCKS_A_STEP - 1) yield;
    if (block.kind === 'heading' || found.length >= MAX_DECISIONS) continue;
    const isFirst = note.blocks[index - 1]?.kind === 'heading';
    for (const seen of see(block, { inRecord: record !== undefined, isFirst })) {
      const decision = describe(note, block, seen);
      if (saysSomething(decision.decision)) found.push(decision);
    }
  }
  return found.map((decision) => ({
    id: nextId({ ...decision.evidence, text: decision.decision }),
    ...decision,
  }));
}

/** In a record only what is marked is a decision of its own. */
function see(block: Block, { inRecord, isFirst }: { inRecord: boolean; isFirst: boolean }): Seen[] {
  const { text } = block;
  const first = MARKER.exec(text);
  const marker = first ?? INSIDE.exec(text);
  if (marker) {
    const said = marker[1] === undefined ? 'accepted' : statusNamed(marker[1]);
    const status = said === 'unknown' ? 'accepted' : said;
    const span = { start: marker.index, end: text.length };
    return [
      {
        method: 'marker',
        confidence: CONFIDENCE.marker,
        span,
        from: marker.index + marker[0].length,
        status,
      },
    ];
  }
  const whole = { span: { start: 0, end: text.length }, from: 0, status: 'accepted' as const };
  if (text.includes('#') && scanInlineTags(text).some(({ tag }) => TAG.test(tag)))
    return [{ ...whole, method: 'marker', confidence: CONFIDENCE.marker, from: boxEnd(text) }];
  if (inRecord) return [];
  if (isOfSection(block, isFirst))
    return [{ ...whole, method: 'section', confidence: CONFIDENCE.section, from: boxEnd(text) }];
  if (block.kind === 'row' || block.section === 'questions') return [];
  return decisionPhrasesOf(text).map(({ sentence, isSure }) => ({
    method: 'phrase',
    confidence: isSure ? CONFIDENCE.phrase : CONFIDENCE.weak,
    span: sentence,
    from: sentence.start + boxEnd(sentence.text),
    status: isSure ? 'accepted' : 'proposed',
  }));
}

/** Items under a heading of decisions, or the paragraph right below it. */
function isOfSection({ section, kind, text, indent }: Block, isFirst: boolean): boolean {
  if (section !== 'decisions' || kind === 'row' || text.trimEnd().endsWith('?')) return false;
  if (
    /\b(?:not|n['’]t) (?:yet )?(?:been )?decided\b|\bto be decided\b|\bpostponed\b|^(?:none|no decisions?|keine(?: entscheidungen)?)\W*$/i.test(
      text,
    )
  )
    return false;
  return kind === 'item' ? indent <= 4 : isFirst && text.length <= 400 && !text.endsWith(':');
}

function boxEnd(text: string): number {
  return /^\[[^[\]]\]\s+/.exec(text)?.[0].length ?? 0;
}

function describe(note: NoteFacts, block: Block, seen: Seen): Omit<Decision, 'id'> {
  const shown = shownText(note.text, block).slice(0, seen.span.end);
  const text = wordsOf(shown, seen.from);
  const rationale = rationaleIn(text);
  return {
    title: titleOf(text),
    decision: text,
    status: seen.status,
    ...(note.ownDay !== undefined && { date: note.ownDay }),
    deciders: decidersIn(text, note),
    ...(rationale !== undefined && { rationale }),
    alternatives: alternativesIn(text),
    consequences: [],
    method: seen.method,
    confidence: seen.confidence,
    evidence: evidenceOf(note, block, seen.span),
  };
}

const MAX_TITLE = 80;

function titleOf(text: string): string {
  const sentence = plainHeading(text.split(/(?<=[.!])\s/)[0] ?? text);
  return sentence.length <= MAX_TITLE ? sentence : `${sentence.slice(0, MAX_TITLE).replace(/\s+\S*$/, '')}…`;
}

/** `(Ana, Ben)` behind a decision, when they are known. */
function decidersIn(text: string, { people }: NoteFacts): string[] {
  const named = /\(([^()]{2,80})\)\s*\.?$/.exec(text)?.[1];
  return named === undefined ? [] : namesIn(named).flatMap((name) => personNamed(people, name) ?? []);
}
