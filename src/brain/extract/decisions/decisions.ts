/** Decisions of a note: a decision record, marked lines, items under a heading, and sentences such as "we agreed to". */

import type { Range } from '../../../notes/markdown/regions.ts';
import { scanInlineTags } from '../../../notes/tags.ts';
import { type Sentence, sentencesOf } from '../../../notes/text/sentences.ts';
import type { Block } from '../blocks.ts';
import { phrasePattern, wordsFor } from '../language/languages.ts';
import { BEFORE_MARKER } from '../loops/markers.ts';
import { type ActionRow, decisionRows } from '../meetings/action-tables.ts';
import { namesIn, personNamed } from '../meetings/people.ts';
import { gatherItems, type NoteFacts } from '../note-facts.ts';
import { createIds, evidenceOf } from '../provenance.ts';
import { plainHeading } from '../sections.ts';
import { CONFIDENCE, type Decision, type DecisionMethod, type DecisionStatus } from '../types.ts';
import { saysSomething, shownText, wordsOf } from '../words.ts';
import { decisionRecordOf, statusNamed } from './record.ts';

/** The speaker before a line of a transcript. */
const SPEAKER = /^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)?(?:\*\*|__)?:(?:\*\*|__)?\s+/u;
const DECIDED = phrasePattern('decided');
/** Words that count only in notes where people record what they agreed. */
const SETTLED = phrasePattern('settled');
const NEVER = phrasePattern('notDecided');
/** Fast path: most blocks have none of these words. */
const HINT =
  /deci|agree|resol|going with|went with|settled|chose|picked|opted|won['’]t|will not|not going to|motion|vot|unanim|approv|adopt|accept|reject|declin|pass|consensus|we['’]ll|we will|plan is|landed|beschl|entsch|einig|einbart|gelegt|verabsch|genehm|lehnt|nommen|schlossen|worfen|gefällt|décid|conven|act[ée]|opté|tranch|accord|retenu|valid|approuv|élu|acord|acuerd|aprob|aprueb|determin|descart|rechaz|elig|eleg|establec|optamos|combin|acert|concord|delib|defin|escolh|aprov|rejeit|lean|propos|suggest|let['’]s|probably|likely|tentativ/i;
const CONDITION =
  /(?:^|[,;] )(?:if|once|when|until|unless|before|as soon as|suppose|assuming|imagine|whether|had|wenn|falls|sobald)\b[^.,;]{0,60}\b(?:decided|agreed|settled|chose|going with|went with|entschieden)/i;
const ASKS = /^(?:who|what|why|when|how|did|have|has|do|does|are|is|warum|wer|wann)\b.*\?|\?["'”’)\s]*$/i;

const LEANS =
  /\b(?:lean(?:ing|s)? towards?|(?:probably|likely|tentatively) (?:go(?:ing)? with|settle on|use|choose)|(?:i|we) (?:propose|suggest) (?:to|that|we)|let['’]s go with)\b/i;

/** Sentences that state a decision, and those that only lean towards one. */
function decisionPhrasesOf(text: string, isRecord: boolean): { sentence: Sentence; isSure: boolean }[] {
  if (!HINT.test(text)) return [];
  return sentencesOf(text).flatMap((sentence) => {
    const isSure = statesDecision(sentence.text, isRecord);
    const leans = !isSure && LEANS.test(sentence.text) && !ASKS.test(sentence.text);
    return isSure || leans ? [{ sentence, isSure }] : [];
  });
}

function statesDecision(sentence: string, isRecord: boolean): boolean {
  const text = sentence.replace(/^(?:[^\p{L}]|\d+[.)]\s)+/u, '').replace(SPEAKER, '');
  if (!DECIDED.test(text) && !(isRecord && SETTLED.test(text))) return false;
  return !(NEVER.test(text) || CONDITION.test(text) || ASKS.test(text));
}

const BECAUSE = /[,;–—-]?\s*\b(?:because|since|as it|due to|in order to|so that|weil|da wir|car)\b\s*/i;
const OVER =
  /\b(?:over|instead of|rather than|statt|anstatt)\s+([^.,;()]{1,80}?)(?=\s+(?:because|since|for|due to|as|so that|weil)\b|[.,;(]|$)/i;

function rationaleIn(text: string): string | undefined {
  const because = /\b(?:because|since|due to|weil)\b/i.exec(text);
  if (!because) return undefined;
  const reason = text
    .slice(because.index)
    .replace(BECAUSE, '')
    .replace(/[.\s]+$/, '')
    .trim();
  return reason === '' ? undefined : reason;
}

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
}

const NUMBER = '(?: (?:#|n[ºo°.] ?)?\\d[\\d./-]{0,12})?';
const AFTER = `${NUMBER}(?: ?\\(([^()]{1,30})\\))?(?:\\.(?=\\*\\*|__)|(?:\\*\\*|__)?\\s?[:：]|(?:\\*\\*|__)?\\s[–—-]\\s)(?:\\*\\*|__)?\\s*`;
const RARE = wordsFor(({ markers }) => markers.decision?.rare);
const COMMON = wordsFor(({ markers }) => markers.decision?.common);
const FIRST = new RegExp(`^${BEFORE_MARKER}(?:${RARE})${AFTER}`, 'iu');
const FIRST_IN_RECORD = new RegExp(`^${BEFORE_MARKER}(?:${COMMON})${AFTER}`, 'iu');
/** Behind the end of a sentence, a dash or an arrow; in capitals anywhere. */
const INSIDE = new RegExp(
  `(?<=[.!?;)] |[–—>→|]\\s?| - |[\\p{Extended_Pictographic}]\\uFE0F? ?)(?:\\*\\*|__)?(?:${RARE})${AFTER}`,
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
    if (row && !record)
      return [describe(note, block, ofRow(row))].filter(({ decision }) => saysSomething(decision));
    return matchesIn(block, { inDecisionRecord: record !== undefined, isRecord: note.isRecord, isFirst })
      .map((match) => describe(note, block, match))
      .filter(({ decision }) => saysSomething(decision));
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
  readonly isFirst: boolean;
}

function matchesIn(block: Block, { inDecisionRecord, isRecord, isFirst }: DecisionContext): DecisionMatch[] {
  const { text } = block;
  const marker = findMarker(text, isRecord);
  if (marker) {
    const said = marker[1] === undefined ? 'accepted' : statusNamed(marker[1]);
    const status = said === 'unknown' ? 'accepted' : said;
    const span = { start: marker.index, end: text.length };
    const from = marker.index + marker[0].length;
    return [{ method: 'marker', confidence: CONFIDENCE.marker, span, from, status }];
  }
  const whole = { span: { start: 0, end: text.length }, from: 0, status: 'accepted' as const };
  if (text.includes('#') && scanInlineTags(text).some(({ tag }) => TAG.test(tag)))
    return [{ ...whole, method: 'marker', confidence: CONFIDENCE.marker, from: boxEnd(text) }];
  if (inDecisionRecord) return [];
  if (isOfSection(block, isFirst))
    return [{ ...whole, method: 'section', confidence: CONFIDENCE.section, from: boxEnd(text) }];
  if (block.kind === 'row' || block.section === 'questions') return [];
  return decisionPhrasesOf(text, isRecord).map(({ sentence, isSure }) => ({
    method: 'phrase',
    confidence: isSure ? CONFIDENCE.phrase : CONFIDENCE.weak,
    span: sentence,
    from: sentence.start + boxEnd(sentence.text),
    status: isSure ? 'accepted' : 'proposed',
  }));
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
  if (NEVER.test(text)) return false;
  return kind === 'item' ? indent <= 4 : isFirst && text.length <= 400 && !text.endsWith(':');
}

function boxEnd(text: string): number {
  return /^\[[^[\]]\]\s+/.exec(text)?.[0].length ?? 0;
}

function describe(note: NoteFacts, block: Block, match: DecisionMatch): Omit<Decision, 'id'> {
  const shown = shownText(note.text, block).slice(0, match.span.end);
  const text = wordsOf(shown, match.from);
  return {
    title: titleOf(text),
    decision: text,
    status: match.status,
    date: note.ownDay,
    deciders: decidersIn(text, note),
    rationale: rationaleIn(text),
    alternatives: alternativesIn(text),
    consequences: [],
    method: match.method,
    confidence: match.confidence,
    evidence: evidenceOf(note, block, match.span),
  };
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
