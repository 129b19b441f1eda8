/** Decision records (MADR in all versions, and Nygard's), recognized by their headings: one decision per note. */
import type { Block } from '../blocks.ts';
import { dueOfValue } from '../dates/due.ts';
import { namesIn } from '../meetings/people.ts';
import { type NoteFacts, textOfField } from '../note-facts.ts';
import { evidenceOf } from '../provenance.ts';
import { plainHeading } from '../sections.ts';
import { CONFIDENCE, type Decision, type DecisionStatus } from '../types.ts';
import { shownText, tidy } from '../words.ts';

type Part = 'outcome' | 'decision' | 'options' | 'consequences' | 'status' | 'context' | 'other';

const PARTS: readonly (readonly [Part, RegExp])[] = [
  ['outcome', /^decision outcome$/i],
  ['decision', /^(?:the )?decision$|^entscheidung$/i],
  ['options', /^(?:considered (?:options|alternatives)|alternatives(?: considered)?|options considered)$/i],
  ['consequences', /^(?:(?:positive |negative |neutral )?consequences|konsequenzen)$/i],
  ['status', /^status$/i],
  ['context', /^(?:context(?: and problem statement)?|problem statement|background|kontext)$/i],
];
const CHOSEN =
  /chosen (?:option|alternative):\s*["“'*_[(]*(.+?)["”'*_\])]*\s*(?:,\s*(?:because|since)\s+(.+))?$/i;
const META =
  /^(?:\*\*|__)?(status|date|deciders|decision-makers|decision makers)(?:\*\*|__)?:(?:\*\*|__)?\s*(.+)$/i;
const MAX_PARTS = 20;

interface Parts {
  readonly parts: ReadonlyMap<Part, readonly Block[]>;
  readonly meta: ReadonlyMap<string, string>;
  readonly title: string;
}

/** Undefined for a note that is no decision record. */
export function decisionRecordOf(note: NoteFacts): Omit<Decision, 'id'> | undefined {
  const record = readRecord(note);
  const { parts } = record;
  const method = methodOf(parts);
  const body = parts.get('outcome') ?? parts.get('decision') ?? [];
  const first = body.find(({ kind }) => kind !== 'heading');
  if (!method || !first) return undefined;
  const chosen = CHOSEN.exec(first.text);
  const shown = (block: Block) => tidy(shownText(note.text, block));
  const decision = tidy(chosen?.[1] ?? shown(first));
  const rationale = chosen?.[2]?.replace(/\.\s*$/, '');
  const date = dateOf(note, record);
  const supersedes = supersededIn(note, parts);
  return {
    title: record.title || decision,
    decision,
    status: statusOf(note, record),
    date,
    deciders: decidersOf(note, record),
    rationale: rationale !== undefined ? tidy(rationale) : undefined,
    alternatives: itemsOf(parts.get('options'), shown).filter((option) => option !== decision),
    consequences: itemsOf(parts.get('consequences'), shown),
    supersedes,
    method,
    confidence: CONFIDENCE.structured,
    evidence: evidenceOf(note, first),
  };
}

function methodOf(parts: Parts['parts']): 'madr' | 'nygard' | undefined {
  if (parts.has('outcome')) return 'madr';
  if (!parts.has('decision')) return undefined;
  return parts.has('context') || (parts.has('consequences') && parts.has('status')) ? 'nygard' : undefined;
}

function readRecord({ blocks, data }: NoteFacts): Parts {
  const parts = new Map<Part, Block[]>();
  const meta = new Map<string, string>();
  let part: Part = 'other';
  for (const block of blocks) {
    if (block.kind === 'heading' && block.level <= 3) part = partOf(block.text);
    const found = META.exec(block.text);
    if (found?.[1] && part === 'other') meta.set(found[1].toLowerCase().replace(' ', '-'), found[2] ?? '');
    if (part === 'other') continue;
    const members = parts.get(part) ?? [];
    if (members.length < MAX_PARTS) members.push(block);
    parts.set(part, members);
  }
  const heading = blocks.find(({ kind, level }) => kind === 'heading' && level === 1);
  const title = heading ? plainHeading(heading.text) : (textOfField(data, 'title') ?? '');
  return { parts, meta, title: title.replace(/^ADR[- ]?\d*\s*[:.–-]\s*/i, '') };
}

function partOf(heading: string): Part {
  const name = plainHeading(heading);
  return PARTS.find(([, pattern]) => pattern.test(name))?.[0] ?? 'other';
}

function itemsOf(blocks: readonly Block[] | undefined, shown: (block: Block) => string): string[] {
  return (blocks ?? []).filter(({ kind }) => kind === 'item' || kind === 'paragraph').map(shown);
}

export function statusNamed(text: string): DecisionStatus {
  if (/supersed|replaced by|ersetzt/i.test(text) && !/^\W*accepted/i.test(text)) return 'superseded';
  if (/deprecat|veraltet/i.test(text)) return 'deprecated';
  if (/reject|declined|abgelehnt/i.test(text)) return 'rejected';
  if (/propos|draft|pending|vorgeschlagen|under review/i.test(text)) return 'proposed';
  return /accept|approved|decided|adopted|done|angenommen|akzeptiert/i.test(text) ? 'accepted' : 'unknown';
}

function statusOf({ data }: NoteFacts, { parts, meta }: Parts): DecisionStatus {
  const inSection = parts.get('status')?.find(({ kind }) => kind !== 'heading')?.text;
  const said = textOfField(data, 'status') ?? inSection ?? meta.get('status');
  return said === undefined ? 'unknown' : statusNamed(said);
}

function dateOf(note: NoteFacts, { meta }: Parts): string | undefined {
  const said = meta.get('date');
  return (said === undefined ? undefined : dueOfValue(said, note.dates)?.day) ?? note.ownDay;
}

function decidersOf({ data }: NoteFacts, { meta }: Parts): string[] {
  const said =
    data['decision-makers'] ?? data.deciders ?? meta.get('deciders') ?? meta.get('decision-makers');
  return namesIn(said);
}

function supersededIn({ data }: NoteFacts, parts: Parts['parts']): string | undefined {
  const field = textOfField(data, 'supersedes');
  if (field !== undefined) return field;
  const words = (parts.get('status') ?? []).map(({ text }) => tidy(text)).join(' ');
  return /\bsupersedes:?\s+(.{1,80}?)(?:[.;]|$)/i.exec(words)?.[1];
}
