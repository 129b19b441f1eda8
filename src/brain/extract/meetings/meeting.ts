/** Extracts a meeting from its notes: head, agenda, decisions, action items, risks, questions, follow-ups, summary. */
import { stemOf } from '../../../notes/path.ts';
import { scanInlineTags } from '../../../notes/tags.ts';
import { sentencesOf } from '../../../notes/text/sentences.ts';
import type { Block } from '../blocks.ts';
import { decisionsOf } from '../decisions/decisions.ts';
import type { SectionKind } from '../language/vocabulary.ts';
import { loopsOf } from '../loops/loops.ts';
import { gatherItems, type NoteFacts, textOfField } from '../note-facts.ts';
import { evidenceOf } from '../provenance.ts';
import { plainHeading } from '../sections.ts';
import {
  CONFIDENCE,
  LEAST_CONFIDENCE,
  type Loop,
  type LoopKind,
  type Meeting,
  type MeetingNotes,
  type Remark,
} from '../types.ts';
import { saysSomething, shownText, wordsOf } from '../words.ts';
import { actionItemsOf } from './action-items.ts';
import { personNamed, presentIn, type SpeakerTurn, turnsOf } from './people.ts';

interface RiskMatch {
  readonly confidence: number;
  readonly start: number;
  readonly end: number;
  readonly from: number;
}

const MARKER =
  /^(?:⚠️?\s*)?(?:\*\*|__)?(?:RISKS?|RISIKO)(?: \([^()]{1,30}\))?(?:\*\*|__)?\s*[:：](?:\*\*|__)?\s*/iu;
const PHRASE =
  /\b(?:there(?:['’]s| is) (?:a|some|the|still a|also a) (?:\p{L}+ )?risk (?:that|of)|the (?:main |biggest |real |only )?risk (?:is|here is)|(?:we|it) risks? \p{L}+ing|at risk of|es besteht (?:das|ein) risiko)\b/iu;
const NO_RISK = /\b(?:no|without|low|not a|little|kein) (?:\p{L}+ )?risk\b|\bno longer at risk\b|\?\s*$/iu;
const MAX_RISKS = 500;

/** Risks: marked lines, items under a heading, and sentences that state one. */
function risksOf(note: NoteFacts): Generator<undefined, Remark[]> {
  return gatherItems(note, MAX_RISKS, (block) =>
    risksIn(block)
      .map((match) => ({
        text: wordsOf(shownText(note.text, block).slice(0, match.end), match.from),
        confidence: match.confidence,
        evidence: evidenceOf(note, block, match),
      }))
      .filter(({ text }) => saysSomething(text)),
  );
}

function risksIn({ text, section, kind }: Block): RiskMatch[] {
  if (kind === 'row') return [];
  const whole = { start: 0, end: text.length, from: 0 };
  const marker = MARKER.exec(text);
  if (marker) return [{ ...whole, confidence: CONFIDENCE.marker, from: marker[0].length }];
  if (text.includes('#') && scanInlineTags(text).some(({ tag }) => /^risk$/i.test(tag)))
    return [{ ...whole, confidence: CONFIDENCE.marker }];
  if (section === 'risks' && kind === 'item' && !NO_RISK.test(text))
    return [{ ...whole, confidence: CONFIDENCE.section, from: /^\[.\]\s+/.exec(text)?.[0].length ?? 0 }];
  const stated = sentencesOf(text).filter((one) => PHRASE.test(one.text) && !NO_RISK.test(one.text));
  return stated.map(({ start, end }) => ({ confidence: CONFIDENCE.phrase, start, end, from: start }));
}

const MAX_AGENDA = 100;
const MAX_SUMMARY = 10;

export function* meetingOf(note: NoteFacts): Generator<undefined, MeetingNotes> {
  const turns = turnsOf(note.blocks);
  const loops = yield* loopsOf(note);
  const decisions = (yield* decisionsOf(note)).filter(({ confidence }) => confidence >= LEAST_CONFIDENCE);
  const actionItems = yield* actionItemsOf(note, turns);
  const risks = yield* risksOf(note);
  const isAction = new Set(actionItems.map(({ evidence }) => evidence.span.start));
  const remarks = (kind: LoopKind) =>
    loops.filter((loop) => loop.kind === kind && !isAction.has(loop.evidence.span.start)).map(remarkOf);
  const questions = remarks('question');
  const followUps = [
    ...remarks('follow_up'),
    ...itemsUnder(note, 'parking', ({ text }) => !/^\[.\]\s/.test(text)),
  ];
  const taken = new Set(
    [...actionItems, ...decisions, ...risks, ...questions, ...followUps, ...loops].map(
      ({ evidence }) => evidence.lineStart,
    ),
  );
  return {
    meeting: headOf(note, turns),
    agenda: itemsUnder(note, 'agenda').slice(0, MAX_AGENDA),
    notesSummary: summaryOf(note, taken),
    decisions,
    actionItems,
    risks,
    questions,
    followUps,
  };
}

function remarkOf({ text, confidence, evidence }: Loop): Remark {
  return { text, confidence, evidence };
}

function headOf(note: NoteFacts, turns: readonly SpeakerTurn[]): Meeting {
  const { attendees, absent } = presentIn(note.data, note.blocks);
  const speakers = [...new Set(turns.map(({ speaker }) => speaker))];
  const others = speakers.filter((speaker) => personNamed([...attendees, ...absent], speaker) === undefined);
  return {
    title: headline(note),
    date: note.ownDay,
    ...timesOf(note),
    attendees: [...attendees, ...others],
    absent,
  };
}

function headline({ sourcePath, data, blocks }: NoteFacts): string {
  const heading = blocks.find(({ kind, level }) => kind === 'heading' && level <= 2);
  const title = textOfField(data, 'title');
  return (
    title ?? (heading && heading.section === undefined ? plainHeading(heading.text) : stemOf(sourcePath))
  );
}

const TIME_LINE = /^[*_]*(?:time|when|date|zeit|uhrzeit|wann|datum|hora)[*_]*\s*:/iu;
const TIME =
  /(?<![\d:-])(\d{1,2})[:.h](\d{2})\s*(am|pm)?(?:\s*(?:[-–—]|to|bis|until)\s*(\d{1,2})[:.h](\d{2})\s*(am|pm)?)?/iu;

function timesOf({ data, blocks }: NoteFacts): Pick<Meeting, 'start' | 'end'> {
  const start = textOfField(data, 'start', 'start_time', 'time');
  const line =
    start ??
    blocks
      .slice(0, 12)
      .find(({ text }) => TIME_LINE.test(text) && TIME.test(text.replace(TIME_LINE, '')))
      ?.text.replace(TIME_LINE, '');
  const match = line === undefined ? null : TIME.exec(line.replace(/\d{1,2}\.\d{1,2}\.\d{4}/g, ' '));
  const begin = match ? clock(match[1], match[2], match[3] ?? match[6]) : undefined;
  const said = TIME.exec(textOfField(data, 'end', 'end_time') ?? '');
  const end = said
    ? clock(said[1], said[2], said[3])
    : match?.[4] === undefined
      ? undefined
      : clock(match[4], match[5], match[6]);
  return { start: begin, end };
}

function clock(hour = '', minute = '', half?: string): string | undefined {
  const shift = half?.toLowerCase() === 'pm' ? 12 : 0;
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + shift;
  return hours < 24 && Number(minute) < 60 ? `${String(hours).padStart(2, '0')}:${minute}` : undefined;
}

function itemsUnder(note: NoteFacts, wanted: SectionKind, accepts = (_: Block) => true): Remark[] {
  return note.blocks
    .filter((block) => block.section === wanted && block.kind === 'item' && accepts(block))
    .map((block) => {
      const text = wordsOf(shownText(note.text, block).replace(/^\[[^[\]]\]\s+/, ''));
      return { text, confidence: CONFIDENCE.section, evidence: evidenceOf(note, block) };
    });
}

/** First sentences of the blocks that are nothing else. */
function summaryOf(note: NoteFacts, taken: ReadonlySet<number>): Remark[] {
  const inNotes = note.blocks.some(({ section, kind }) => section === 'notes' && kind !== 'heading');
  const summary: Remark[] = [];
  for (const block of note.blocks) {
    if (summary.length >= MAX_SUMMARY) break;
    const belongs = inNotes ? block.section === 'notes' : block.section === undefined;
    if (!belongs || block.kind === 'heading' || block.kind === 'row' || taken.has(block.line)) continue;
    const first = sentencesOf(block.text)[0];
    if (!first || !saysSomething(first.text) || isHeadLine(block)) continue;
    const text = wordsOf(shownText(note.text, block).slice(0, first.end), first.start);
    summary.push({ text, confidence: CONFIDENCE.section, evidence: evidenceOf(note, block, first) });
  }
  return summary;
}

function isHeadLine({ text }: Block): boolean {
  return /^[*_]*(?:date|time|when|where|location|room|attendees?|participants?|present|absent|apologies|datum|zeit|ort|anwesend|teilnehmer)[*_]*\s*:/iu.test(
    text,
  );
}
