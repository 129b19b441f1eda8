/** Whether a note records what people did and agreed: only there "we need to" and "Ana will" are about tasks. */
import type { Block } from './blocks.ts';
import { WORD_END, WORD_START, wordsFor } from './language/languages.ts';

const NAMED = new RegExp(
  `${WORD_START}(?:${wordsFor(({ records }) => records)})(?![\\p{L}])${WORD_END}`,
  'iu',
);
const TELLING = new Set(['attendees', 'absent', 'agenda', 'actions', 'decisions']);
const MOST_LOOKS = 400;
const TITLE_WITHIN = 4;

interface Head {
  readonly sourcePath: string;
  readonly ownDay: string | undefined;
  /** Whether the frontmatter names people who were there. */
  readonly hasPeople: boolean;
}

export function isRecordOfWork({ sourcePath, ownDay, hasPeople }: Head, blocks: readonly Block[]): boolean {
  if (hasPeople || ownDay !== undefined || NAMED.test(sourcePath.slice(-200))) return true;
  if (blocks.slice(0, TITLE_WITHIN).some(isNamed)) return true;
  return blocks
    .slice(0, MOST_LOOKS)
    .some(({ kind, section, text }) => kind === 'heading' && tells(section, text));
}

function isNamed({ kind, level, text }: Block): boolean {
  return kind === 'heading' && level <= 2 && NAMED.test(text.slice(0, 200));
}

/** Texts for learners end in "Next steps", too. */
function tells(section: Block['section'], heading: string): boolean {
  return section !== undefined && TELLING.has(section) && !/^(?:next\b|task$)/i.test(heading);
}
