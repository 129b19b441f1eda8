/** Actions told in plain sentences: "Ana will send the draft", and "I'll send it" where the speaker is known. */
import type { Span } from '../../types.ts';
import { sentencesOf } from '../words.ts';
import { personNamed } from './people.ts';
import type { Turn } from './transcript.ts';

export interface Told {
  readonly span: Span;
  readonly from: number;
  readonly owner: string;
}

const OF_NAME =
  /^(?:(?:so|then|and|also|finally|ok|okay),? )?(?:\*\*|\[\[)?(\p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)?(?:(?:,| and| und| &) \p{Lu}[\p{L}'’-]*)*)(?:\*\*|\]\])? (?:will|is going to|are going to|agreed to|promised to|offered to|volunteered to|takes? care of|has to|needs to|to|wird|soll|kümmert sich um|übernimmt)\s+(?=\p{L})/u;
const OF_SPEAKER =
  /^(?:(?:so|then|and|also|yes|yeah|ok|okay|sure|right|fine|great|alright|good|thanks)[,.!]? )*(?:I['’]ll|I will|I am going to|I['’]m going to|let me|I can take|I take|I['’]ll take care of|ich werde|ich übernehme|ich kümmere mich um)\s+(?=\p{L})/iu;
/** What somebody is, feels or only joins is no action. */
const NO_ACTION =
  /^(?:be(?! (?:sending|writing|preparing|responsible))|not|never|have|probably|likely|maybe|always|still|need|want|know|see|think|love|like|miss|join|attend|arrive|leave|return|turn|retire|remember|wait|admit|say|agree|hear|pass|go first|start by saying|nicht|sein)\b/iu;

export function promisesIn(
  text: string,
  { people, turn }: { people: readonly string[]; turn: Turn | undefined },
): Told[] {
  const start = turn?.from ?? 0;
  return sentencesOf(text.slice(start)).flatMap((sentence) => {
    if (sentence.text.endsWith('?')) return [];
    const span = { start: sentence.start + start, end: sentence.end + start };
    const owner = ownerIn(sentence.text, people, turn);
    return owner === undefined ? [] : [{ span, from: span.start, owner }];
  });
}

function ownerIn(sentence: string, people: readonly string[], turn: Turn | undefined): string | undefined {
  if (/\b(?:if|unless|would|could)\b/i.test(sentence.slice(0, 30))) return undefined;
  const spoken = turn ? OF_SPEAKER.exec(sentence) : null;
  if (turn && spoken) return NO_ACTION.test(sentence.slice(spoken[0].length)) ? undefined : turn.speaker;
  const named = OF_NAME.exec(sentence);
  if (!named?.[1] || NO_ACTION.test(sentence.slice(named[0].length))) return undefined;
  const names = named[1].split(/,? and |,? und | & |, /u).map((name) => personNamed(people, name));
  return names.every((name) => name !== undefined) ? names.join(', ') : undefined;
}
