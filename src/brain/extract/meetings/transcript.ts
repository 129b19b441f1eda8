/** Who says what: `Ana: text`, `[00:01:02] Ana: text`, `**Ana** (00:01): text`. */
import type { Block } from '../blocks.ts';

export interface Turn {
  readonly block: Block;
  readonly speaker: string;
  /** Where the words begin. */
  readonly from: number;
  readonly stamped: boolean;
}

const TURN =
  /^(?:\[?(\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d{1,3})?)\]?[\s:–-]+)?(?:\*\*|__)?(\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*){0,2})(?:\*\*|__)?(?:\s*[([](\d{1,2}:\d{2}(?::\d{2})?)[)\]]|\s+(\d{1,2}:\d{2}:\d{2}))?(?:\*\*|__)?\s*:(?:\*\*|__)?\s+(?=\S)/u;
const NO_SPEAKER =
  /^(?:Date|Time|Datum|Zeit|Ort|Location|Where|When|Who|Place|Room|Attendees?|Participants?|Present|Absent|Apologies|Agenda|Topics?|Notes?|Note|Summary|Decisions?|Decided|Agreed|Actions?|Action Items?|Next|Next Steps|Risks?|Risk|Questions?|Question|Todo|TODO|FIXME|Q|A|Answer|Update|Status|Owner|Due|Title|Subject|Goal|Context|Waiting|Blocked|Follow-?[Uu]p|Link|Links|Tags?|Project|Type|Duration|Start|End|Host|Chair|Anwesend|Teilnehmer|Beschluss|Pros?|Cons?|Example|Warning|Important|Tip|Idea|Version|Source|PS|Budget|Scope|Price|Phone|Email|Address)$/iu;
const LEAST_TURNS = 3;

/** The turns of a transcript; empty for a note that is none. */
export function turnsOf(blocks: readonly Block[]): Turn[] {
  const turns = blocks.flatMap((block) => turnOf(block) ?? []);
  const speakers = new Map<string, number>();
  for (const { speaker } of turns) speakers.set(speaker, (speakers.get(speaker) ?? 0) + 1);
  const isTalk = turns.length >= LEAST_TURNS && speakers.size >= 2;
  const comesBack = [...speakers.values()].some((count) => count > 1) || turns.some(({ stamped }) => stamped);
  return isTalk && comesBack ? turns : [];
}

function turnOf(block: Block): Turn | undefined {
  if (block.kind !== 'paragraph' || block.section === 'actions') return undefined;
  const match = TURN.exec(block.text);
  const speaker = match?.[2];
  if (!match || speaker === undefined || NO_SPEAKER.test(speaker)) return undefined;
  const stamped = (match[1] ?? match[3] ?? match[4]) !== undefined;
  return { block, speaker, from: match[0].length, stamped };
}
