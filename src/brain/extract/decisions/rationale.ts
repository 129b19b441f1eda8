/** Why something was decided: in its own words ("because"), or behind a label such as `Reason:`, there or below. */
import { sentencesOf } from '../../../notes/text/sentences.ts';
import type { Block } from '../blocks.ts';
import type { NoteFacts } from '../note-facts.ts';
import { saysSomething, shownText, tidy } from '../words.ts';

const WORDS =
  'reasons?|reasoning|rationale|why|because|justification|grund|gründe|begründung|warum|raisons?|motifs?|motivation|pourquoi|raz(?:ón|ones)|motivos?|justificación|por ?qu[eé]|motivação|justificativa|raz(?:ão|ões)';
const LABEL = `(?:\\*\\*|__|[*_])?(?:${WORDS})(?:\\*\\*|__|[*_])?\\s?[:：](?:\\*\\*|__|[*_])?`;
const LABELLED = new RegExp(`^${LABEL}\\s*`, 'iu');
const HEADING = new RegExp(`^[*_]*(?:${WORDS})[*_]*\\s?[:：]?[*_]*$`, 'iu');
const WITHIN = new RegExp(`(?:[.;,!?]\\s+|\\s[–—-]\\s+|[([\\n])${LABEL}\\s*(?=\\S)`, 'iu');
const BECAUSE =
  /(?<![\p{L}])(?:because|since|due to|weil|parce qu(?:e |['’])|porque)(?![\p{L}]|[.:;!?])\s*/iu;

/** Whether a line gives the reason of the one above it, and is nothing else. */
export function isReason(text: string): boolean {
  return LABELLED.test(text);
}

/** A decision in a block: `start` and `end` of its words there. */
interface DecisionWords {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

export function rationaleOf(note: NoteFacts, { index, start, end }: DecisionWords): string | undefined {
  const block = note.blocks[index]!;
  const text = shownText(note.text, block);
  return (
    labelledWithin(text.slice(start, end)) ??
    labelledBehind(text.slice(end)) ??
    becauseIn(text.slice(start, end)) ??
    labelledBelow(note, index)
  );
}

function labelledWithin(words: string): string | undefined {
  const label = WITHIN.exec(words);
  return label ? said(words.slice(label.index + label[0].length)) : undefined;
}

/** The next sentence of the paragraph. */
function labelledBehind(rest: string): string | undefined {
  const next = rest.trimStart();
  const label = LABELLED.exec(next);
  return label ? said(sentencesOf(next.slice(label[0].length))[0]?.text ?? '') : undefined;
}

function becauseIn(words: string): string | undefined {
  const because = BECAUSE.exec(words);
  const reason = because ? words.slice(because.index + because[0].length) : '';
  return said(sentencesOf(reason)[0]?.text ?? '');
}

const MOST_LOOKS = 12;

/** In the items nested below the decision, or in the next block. */
function labelledBelow(note: NoteFacts, index: number): string | undefined {
  const own = note.blocks[index]!;
  for (let at = index + 1; at <= index + MOST_LOOKS; at++) {
    const block = note.blocks[at];
    if (!block) return undefined;
    const reason = reasonAt(note, at);
    if (reason !== undefined) return reason;
    const isNested = own.kind === 'item' && block.kind === 'item' && block.indent > own.indent;
    if (!isNested) return undefined;
  }
  return undefined;
}

function reasonAt(note: NoteFacts, at: number): string | undefined {
  const block = note.blocks[at]!;
  const text = shownText(note.text, block);
  if (block.kind === 'heading') return HEADING.test(text) ? membersOf(note, at, () => true) : undefined;
  const label = LABELLED.exec(text);
  if (!label) return undefined;
  const isInside = ({ indent }: Block) => indent > block.indent;
  return said(text.slice(label[0].length)) ?? membersOf(note, at, isInside);
}

/** The first paragraph, or all items of the list, right below a label. */
function membersOf(note: NoteFacts, at: number, isMember: (block: Block) => boolean): string | undefined {
  const reasons: string[] = [];
  for (const block of note.blocks.slice(at + 1, at + 1 + MOST_LOOKS)) {
    if (block.kind === 'heading' || block.kind === 'row' || !isMember(block)) break;
    if (block.kind === 'paragraph' && reasons.length > 0) break;
    const reason = said(shownText(note.text, block));
    if (reason !== undefined) reasons.push(reason);
    if (block.kind === 'paragraph') break;
  }
  return reasons.length === 0 ? undefined : tidy(reasons.join('; '));
}

function said(reason: string): string | undefined {
  const text = tidy(reason).replace(/[.\s]+$/, '');
  const closed = /^[^()]*\)$/.test(text) ? text.slice(0, -1).trimEnd() : text;
  return saysSomething(closed) ? closed : undefined;
}
