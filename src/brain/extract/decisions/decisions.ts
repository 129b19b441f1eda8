/** Decisions of a note: a decision record, marked lines, items under a heading, and sentences such as "we agreed to". */

import type { Range } from '../../../notes/markdown/regions.ts';
import { scanInlineTags } from '../../../notes/tags.ts';
import { type Sentence, sentencesOf } from '../../../notes/text/sentences.ts';
import type { Block } from '../blocks.ts';
import { namesIn, personNamed } from '../meetings/people.ts';
import { gatherItems, type NoteFacts } from '../note-facts.ts';
import { createIds, evidenceOf } from '../provenance.ts';
import { plainHeading } from '../sections.ts';
import { CONFIDENCE, type Decision, type DecisionMethod, type DecisionStatus } from '../types.ts';
import { saysSomething, shownText, wordsOf } from '../words.ts';
import { decisionRecordOf, statusNamed } from './record.ts';

const WE =
  "(?:we|i|they|the (?:team|group|board|committee|client)|team|everyone|everybody|all|both (?:teams|sides))(?:['’]ve| have| has)?(?: (?:all|now|finally|also|then|just|both|eventually|unanimously|jointly|already))*";
const PHRASES: readonly RegExp[] = [
  new RegExp(
    `\\b${WE} (?:decided|agreed|resolved) (?:(?:today|together|unanimously|in the end) )?(?:to|that|on|against)\\b`,
    'i',
  ),
  /^(?:[\p{L}]+day: )?(?:so |and |then |finally |today |in the end,? )?(?:decided|agreed|resolved) (?:to|that|on|against)\b/iu,
  /\b(?:it (?:was|has been|is)|was) (?:finally |formally |unanimously )?(?:decided|agreed) (?:to|that)\b/i,
  /\b(?:decision (?:was|is|has been)(?: made| taken)?|agreement (?:was|has been) reached) (?:to|that)\b/i,
  /\b(?:we|i|they|team)(?:['’]re|['’]m| are| am)? (?:all )?going with\b|^going with\b|\b(?:we|i|team) went with\b/i,
  /\b(?:we|i|they|team|finally|and)(?:['’]ve| have| has)?(?: finally| now)? settled on\b|^(?:finally )?settled on\b/i,
  new RegExp(
    `\\b${WE} (?:chose|picked|opted for|have chosen)\\b|^(?:chose|picked|opted for) [^.]{1,80}? (?:over|instead of|rather than)\\b`,
    'i',
  ),
  /\bchose [^.]{1,80}? over\b/i,
  /\b(?:we|i|team) (?:won['’]t|will not|are not going to) (?:do|support|build|ship|use|adopt|pursue|offer|migrate|renew|hire)\b|^won['’]t do\b/i,
  /\bwir haben (?:uns )?(?:\p{L}+ ){0,8}?(?:entschieden|beschlossen|geeinigt)\b|\bwir haben (?:entschieden|beschlossen|uns)\b[^.]*\b(?:entschieden|geeinigt)\b|^beschlossen(?: wurde)?,? dass\b|\bnous avons décidé (?:de|d['’]|que)|\bhemos decidido\b/iu,
];
/** The speaker before a line of a transcript. */
const SPEAKER = /^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)?(?:\*\*|__)?:(?:\*\*|__)?\s+/u;
const NEVER =
  /\b(?:not|n['’]t|never|nobody|no one|hardly|almost|nearly|failed to|could not|couldn['’]t|without having) (?:yet |have |has |been |really |fully |formally )*(?:decided|agreed|resolved|settled|chosen|decide|agree)\b|\b(?:should|must|need to|needs to|have to|has to|could|might|may|would|can|to|will) (?:have )?(?:decided?|agree|settle|choose|be decided|be agreed)\b|\bagreed? to disagree\b|\bdecide (?:whether|if)\b|\bwould have (?:decided|agreed|chosen)|\bnoch nicht\b|\bdecided nothing\b/i;
const CONDITION =
  /(?:^|[,;] )(?:if|once|when|until|unless|before|as soon as|suppose|assuming|imagine|whether|had|wenn|falls|sobald)\b[^.,;]{0,60}\b(?:decided|agreed|settled|chose|going with|went with|entschieden)/i;
const ASKS = /^(?:who|what|why|when|how|did|have|has|do|does|are|is|warum|wer|wann)\b.*\?|\?["'”’)\s]*$/i;

const LEANS =
  /\b(?:lean(?:ing|s)? towards?|(?:probably|likely|tentatively) (?:go(?:ing)? with|settle on|use|choose)|(?:i|we) (?:propose|suggest) (?:to|that|we)|let['’]s go with)\b/i;

/** Sentences that state a decision, and those that only lean towards one. */
function decisionPhrasesOf(text: string): { sentence: Sentence; isSure: boolean }[] {
  return sentencesOf(text).flatMap((sentence) => {
    const isSure = statesDecision(sentence.text);
    const leans = !isSure && LEANS.test(sentence.text) && !ASKS.test(sentence.text);
    return isSure || leans ? [{ sentence, isSure }] : [];
  });
}

function statesDecision(sentence: string): boolean {
  const text = sentence.replace(/^(?:[^\p{L}]|\d+[.)]\s)+/u, '').replace(SPEAKER, '');
  if (!PHRASES.some((pattern) => pattern.test(text))) return false;
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

const MARKER =
  /^(?:\*\*|__)?(?:DECISION|DECIDED|AGREED|BESCHLUSS|ENTSCHEIDUNG|DÉCISION)(?: \(([^()]{1,30})\))?(?:\.(?=\*\*|__)|(?:\*\*|__)?\s*[:：])(?:\*\*|__)?\s*/iu;
const INSIDE = /(?<![\p{L}\d_/.-])(?:DECISION|DECIDED)(?: \(([^()]{1,30})\))?:\s+/u;
const TAG = /^(?:decision|decided|adr)$/i;
const MAX_DECISIONS = 2_000;

export function* decisionsOf(note: NoteFacts): Generator<undefined, Decision[]> {
  const nextId = createIds('dec');
  const record = decisionRecordOf(note);
  const others = yield* gatherItems(note, MAX_DECISIONS, (block, index) => {
    const isFirst = note.blocks[index - 1]?.kind === 'heading';
    return matchesIn(block, { inRecord: record !== undefined, isFirst })
      .map((match) => describe(note, block, match))
      .filter(({ decision }) => saysSomething(decision));
  });
  return [...(record ? [record] : []), ...others].map((decision) => ({
    id: nextId({ ...decision.evidence, text: decision.decision }),
    ...decision,
  }));
}

/** In a decision record only marked lines are further decisions. */
function matchesIn(
  block: Block,
  { inRecord, isFirst }: { inRecord: boolean; isFirst: boolean },
): DecisionMatch[] {
  const { text } = block;
  const first = MARKER.exec(text);
  const marker = first ?? INSIDE.exec(text);
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

/** Items under a heading of decisions, and the paragraph right below it. */
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
