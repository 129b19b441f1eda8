/** Risks: marked, under their heading, or told as one. */
import { scanInlineTags } from '../../../notes/tags.ts';
import type { Block } from '../blocks.ts';
import { evidenceOf } from '../evidence.ts';
import type { NoteFacts } from '../note-facts.ts';
import { shownText } from '../shown-text.ts';
import { CONFIDENCE, type Remark } from '../types.ts';
import { saysSomething, sentencesOf, wordsOf } from '../words.ts';

interface Seen {
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
const BLOCKS_A_STEP = 100;

export function* risksOf(note: NoteFacts): Generator<undefined, Remark[]> {
  const risks: Remark[] = [];
  for (const [index, block] of note.blocks.entries()) {
    if (index % BLOCKS_A_STEP === BLOCKS_A_STEP - 1) yield;
    if (block.kind === 'heading' || block.kind === 'row' || risks.length >= MAX_RISKS) continue;
    for (const seen of see(block)) {
      const text = wordsOf(shownText(note.text, block).slice(0, seen.end), seen.from);
      if (saysSomething(text))
        risks.push({ text, confidence: seen.confidence, evidence: evidenceOf(note, block, seen) });
    }
  }
  return risks;
}

function see({ text, section, kind }: Block): Seen[] {
  const whole = { start: 0, end: text.length, from: 0 };
  const marker = MARKER.exec(text);
  if (marker) return [{ ...whole, confidence: CONFIDENCE.marker, from: marker[0].length }];
  if (text.includes('#') && scanInlineTags(text).some(({ tag }) => /^risk$/i.test(tag)))
    return [{ ...whole, confidence: CONFIDENCE.marker }];
  if (section === 'risks' && kind === 'item' && !NO_RISK.test(text))
    return [{ ...whole, confidence: CONFIDENCE.section, from: /^\[.\]\s+/.exec(text)?.[0].length ?? 0 }];
  const told = sentencesOf(text).filter((one) => PHRASE.test(one.text) && !NO_RISK.test(one.text));
  return told.map(({ start, end }) => ({ confidence: CONFIDENCE.phrase, start, end, from: start }));
}
