/** People of a note: attendees from frontmatter, lists and lines, speakers of a transcript, comparison of names. */
import type { Block } from '../blocks.ts';

interface Attendance {
  readonly attendees: readonly string[];
  readonly absent: readonly string[];
}

const ATTENDEE_KEYS = ['attendees', 'participants', 'attendee', 'present', 'teilnehmer'];
const ABSENT_KEYS = ['absent', 'apologies', 'regrets'];
const OTHER_KEYS = ['people', 'deciders', 'decision-makers', 'team'];
const ATTENDEE_LINE =
  /^[*_]*(?:attendees?|attending|participants?|present|in attendance|who|anwesend|teilnehmer(?:innen)?|asistentes)(?: \(\d+\))?[*_]*\s*:[*_]*\s*/iu;
const ABSENT_LINE =
  /^[*_]*(?:absent|apologies|regrets|not present|excused|abwesend|entschuldigt|ausentes)[*_]*\s*:[*_]*\s*/iu;
const MAX_PEOPLE = 200;

export function presentIn(data: Readonly<Record<string, unknown>>, blocks: readonly Block[]): Attendance {
  const attendees = namesUnder(data, ATTENDEE_KEYS);
  if (attendees.length === 0) attendees.push(...namesUnder(data, ['people']));
  const absent = namesUnder(data, ABSENT_KEYS);
  for (const block of blocks) {
    if (block.kind === 'heading' || block.kind === 'row') continue;
    const hasLabel = block.text.slice(0, 40).includes(':');
    const line = hasLabel ? ATTENDEE_LINE.exec(block.text) : null;
    const absentLine = hasLabel ? ABSENT_LINE.exec(block.text) : null;
    if (line) attendees.push(...namesIn(block.text.slice(line[0].length)));
    else if (absentLine) absent.push(...namesIn(block.text.slice(absentLine[0].length)));
    else if (block.section === 'attendees') sortOut(block.text, attendees, absent);
    else if (block.section === 'absent') absent.push(...namesIn(block.text));
    if (attendees.length > MAX_PEOPLE) break;
  }
  const missing = unique(absent);
  return { attendees: unique(attendees).filter((name) => !hasName(missing, name)), absent: missing };
}

function namesUnder(data: Readonly<Record<string, unknown>>, keys: readonly string[]): string[] {
  return keys.flatMap((key) => namesIn(data[key]));
}

/** Whether the frontmatter says who was there. */
export function namesPeople(data: Readonly<Record<string, unknown>>): boolean {
  return namesUnder(data, [...ATTENDEE_KEYS, 'people']).length > 0;
}

/** An item of a list of attendees may mark a person as absent. */
function sortOut(text: string, attendees: string[], absent: string[]): void {
  const isAbsent = /[([,–-]\s*(?:absent|apologies|regrets|not present|abwesend|entschuldigt)\b/i.test(text);
  const isDone = /^\[[ xX]\]\s/.test(text);
  (isAbsent || (isDone && text.startsWith('[ ]')) ? absent : attendees).push(
    ...namesIn(text.replace(/^\[[ xX]\]\s+/, '')),
  );
}

/** Everyone who may own a task. */
export function peopleOf(data: Readonly<Record<string, unknown>>, blocks: readonly Block[]): string[] {
  const { attendees, absent } = presentIn(data, blocks);
  return unique([...attendees, ...absent, ...namesUnder(data, OTHER_KEYS)]).slice(0, MAX_PEOPLE);
}

/** The names in a value or a line: `Ana, [[Ben]] (chair) and @chen`. */
export function namesIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.slice(0, MAX_PEOPLE).flatMap(namesIn);
  if (typeof value === 'object' && value !== null && 'name' in value) return namesIn(value.name);
  if (typeof value !== 'string') return [];
  const plain = value
    .slice(0, 4_000)
    .replace(
      /\[\[([^[\]|]{0,200})(?:\|([^[\]]{0,200}))?\]\]/g,
      (_, target: string, alias?: string) => alias ?? lastPart(target),
    )
    .replace(/\[([^[\]]{0,200})\]\([^()]{0,500}\)/g, '$1')
    .replace(/\([^()]{0,200}\)|[*_`~]+/g, ' ');
  return plain.split(/[,;|\n]|\s(?:and|und|et|y|&|\+)\s|\s[–—-]\s.*$/u).flatMap((part) => nameOf(part) ?? []);
}

/** The name of a linked person: the note's, or the one shown for a note that is named otherwise. */
export function linkedName(target: string, alias?: string): string | undefined {
  return nameOf(lastPart(target)) ?? (alias === undefined ? undefined : nameOf(alias));
}

/** The text with the names of linked people instead of their links. */
export function withLinkedNames(text: string): string {
  if (!text.includes('[[')) return text;
  return text.replace(
    /\[\[([^[\]|]{1,200})(?:\|([^[\]]{1,200}))?\]\]/g,
    (_, target: string, alias?: string) => linkedName(target, alias) ?? alias ?? lastPart(target),
  );
}

export function beginsWithLink(text: string): boolean {
  return /^[*_\s]*\[\[/.test(text);
}

function lastPart(target: string): string {
  return target.slice(target.lastIndexOf('/') + 1).replace(/#.*$/, '');
}

/** A name begins with a capital or an @ and has at most four words. */
function nameOf(part: string): string | undefined {
  const name = part.replace(/^\s*(?:and|und|et|y|&)\s/u, '').replace(/^[\s@]+|[\s.:]+$/g, '');
  const handle = /@\p{L}/u.test(part);
  const isName = handle
    ? /^[\p{L}\d._-]{1,40}$/u.test(name)
    : /^\p{Lu}[\p{L}\d.'’-]*(?: \p{L}[\p{L}\d.'’-]*){0,3}$/u.test(name);
  return isName && !NO_NAME.test(name) ? name : undefined;
}

const NO_NAME = /^(?:none|nobody|everyone|everybody|all|n\/a|tbd|team|others?|keine|niemand|alle)$/i;

export function foldName(name: string): string {
  return name.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/^@/, '').trim();
}

/** The known name that equals `name` or begins with it as its first word. */
export function personNamed(people: readonly string[], name: string): string | undefined {
  const wanted = foldName(name);
  if (wanted === '') return undefined;
  const same = people.find((one) => foldName(one) === wanted);
  return same ?? people.find((one) => foldName(one).split(/[ .]/)[0] === wanted);
}

function hasName(people: readonly string[], name: string): boolean {
  return people.some((one) => foldName(one) === foldName(name));
}

function unique(names: readonly string[]): string[] {
  const seen = new Map<string, string>();
  for (const name of names) if (!seen.has(foldName(name))) seen.set(foldName(name), name);
  return [...seen.values()];
}

/** One speaker turn of a transcript: `Ana: text`, `[00:01:02] Ana: text`, `**Ana** (00:01): text`. */
export interface SpeakerTurn {
  readonly block: Block;
  readonly speaker: string;
  /** Start of the words. */
  readonly from: number;
  readonly stamped: boolean;
}

const TURN =
  /^(?:\[?(\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?)\]?[\s:–-]+)?(?:\*\*|__)?(\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*){0,2})(?:\*\*|__)?(?:\s*[([](\d{1,2}:\d{2}(?::\d{2})?)[)\]]|\s+(\d{1,2}:\d{2}:\d{2}))?(?:\*\*|__)?\s*:(?:\*\*|__)?\s+(?=\S)/u;
const NO_SPEAKER =
  /^(?:Date|Time|Datum|Zeit|Ort|Location|Where|When|Who|Place|Room|Attendees?|Participants?|Present|Absent|Apologies|Agenda|Topics?|Notes?|Note|Summary|Decisions?|Decided|Agreed|Actions?|Action Items?|Next|Next Steps|Risks?|Risk|Questions?|Question|Todo|TODO|FIXME|Q|A|Answer|Update|Status|Owner|Due|Title|Subject|Goal|Context|Waiting|Blocked|Follow-?[Uu]p|Link|Links|Tags?|Project|Type|Duration|Start|End|Host|Chair|Anwesend|Teilnehmer|Beschluss|Pros?|Cons?|Example|Warning|Important|Tip|Idea|Version|Source|PS|Budget|Scope|Price|Phone|Email|Address)$/iu;
const LEAST_TURNS = 3;

/** The speaker turns; empty for a note that is no transcript. */
export function turnsOf(blocks: readonly Block[]): SpeakerTurn[] {
  const turns = blocks.flatMap((block) => turnOf(block) ?? []);
  const speakers = new Map<string, number>();
  for (const { speaker } of turns) speakers.set(speaker, (speakers.get(speaker) ?? 0) + 1);
  const isTalk = turns.length >= LEAST_TURNS && speakers.size >= 2;
  const comesBack = [...speakers.values()].some((count) => count > 1) || turns.some(({ stamped }) => stamped);
  return isTalk && comesBack ? turns : [];
}

function turnOf(block: Block): SpeakerTurn | undefined {
  if (block.kind !== 'paragraph' || block.section === 'actions') return undefined;
  const match = TURN.exec(block.text);
  const speaker = match?.[2];
  if (!match || speaker === undefined || NO_SPEAKER.test(speaker)) return undefined;
  const stamped = (match[1] ?? match[3] ?? match[4]) !== undefined;
  return { block, speaker, from: match[0].length, stamped };
}
