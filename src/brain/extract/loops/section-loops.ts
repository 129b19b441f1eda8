/** What the section a block stands in makes of it. */
import type { Block } from '../blocks.ts';
import type { LoopKind } from '../types.ts';

export function sectionLoopOf(block: Block): LoopKind | undefined {
  const { kind, section, text } = block;
  if (section === 'questions') return isQuestion(block) ? 'question' : undefined;
  if (kind !== 'item') return undefined;
  if (section === 'waiting') return 'waiting_for';
  if (section === 'follow_ups') return 'follow_up';
  if (section === 'actions') return isDoneMark(text) ? undefined : 'todo';
  return undefined;
}

/** Under a heading of questions: what ends in a question mark, perhaps with a note in parentheses behind it. */
function isQuestion({ kind, text }: Block): boolean {
  return kind !== 'row' && /\?["'”’)*_\s]*(?:\([^()]*\)|#\S+|\s)*$/u.test(text);
}

function isDoneMark(text: string): boolean {
  return /^(?:✅|✔|☑|done:?\s)/iu.test(text);
}

/** `A: …` right below a question. */
export function answersQuestion(next: Block | undefined): boolean {
  return (
    next !== undefined &&
    /^(?:\*\*|__)?(?:A|Answer|Antwort|Resolved|→)(?:\*\*|__)?\s*[:→]?(?:\*\*|__)?\s*(?<=[:→]\s*(?:\*\*|__)?\s*)\S/iu.test(
      next.text,
    )
  );
}
