/**
 * Whether a sentence opens with somebody or something else than a question is about, so that what it says is not about
 * those named before it. Notes are short and have few names twice: where nothing shows that a capitalized word is a
 * name, it is none.
 */
import { contentWords, isStopWord, lemmaOf, wordsIn } from '../../notes/text/analyzer.ts';
import { memoize } from '../../shared/memoize.ts';
import { isMeasureWord } from './facts.ts';

/** Folded words by how they are written inside of sentences. */
interface Spellings {
  readonly capitalized: ReadonlySet<string>;
  /** Words that are in lower case somewhere are no names. */
  readonly lowercase: ReadonlySet<string>;
}

/** What helps to tell whether a sentence opens with another name. */
export interface NameClues {
  /** Stems of the question: its words are what is asked, not somebody else. */
  readonly asked: ReadonlySet<string>;
  readonly spellings: () => Spellings;
}

export function createNameClues(question: string, sentences: () => readonly string[]): NameClues {
  return { asked: new Set(contentWords(question)), spellings: memoize(() => spellingsIn(sentences())) };
}

const INSIDE = /(?<=[\p{L}\p{M}\p{N},;]\s)\p{L}[\p{L}\p{M}]*/gu;

function spellingsIn(sentences: readonly string[]): Spellings {
  const inside = sentences.flatMap((text) => text.match(INSIDE) ?? []);
  const isCapitalized = (token: string) => /^\p{Lu}/u.test(token);
  return {
    capitalized: new Set(inside.filter(isCapitalized).flatMap(wordsIn)),
    lowercase: new Set(inside.filter((token) => !isCapitalized(token)).flatMap(wordsIn)),
  };
}

const LEAD_IN = /^\W*(?:(?:and|but|so|then|also|while|for)\s+)?/i;
const RELATIVE =
  /^(?:my|his|her|their|our|your)\s+(?:\p{L}+\s+)?(mothers?|mum|mom|fathers?|dad|parents|(?:step|half-)?(?:brothers?|sisters?)|sons?|daughters?|kids?|child(?:ren)?|wife|husband|partner|girlfriend|boyfriend|aunts?|uncles?|cousins?|nephews?|nieces?|grand\p{L}+|neighbou?rs?|colleagues?|boss|friends?)\b/iu;
/** An article or possessive, names, and what follows them. */
const NAMES =
  /^((?:the|our|my|his|her|their|your)\s+)?(\p{Lu}[\p{L}\p{M}'’-]*(?:\s+(?:(?:and|&)\s+)?\p{Lu}[\p{L}\p{M}'’-]*)*)(.*)$/su;
const LABEL_END = /^\s*(?:\([^)]*\)\s*)?(?::(?:\s|$)|\s[–—-]\s)/;
/** Words before a colon that say what follows, not whom it is about. */
const FIELD =
  /^(?:because|reasons?|next|notes?|updates?|status|results?|dates?|times?|places?|address|phone|mobile|e-?mail|number|price|costs?|owner|due|deadline|todo|decision|action|summary|details|role|birthday|age|name)$/;
/** A verb behind a name that has no article. */
const VERB =
  /^\s+(?:is|was|has|had|does|did|will|can|lives|lived|works|worked|likes|loves|wants|needs|plays|owns|leads|runs|starts|ends|begins|opens|costs|comes|goes|takes|gets|says|said|thinks|knows|prefers|pays|keeps|uses|makes|moved|went|bought|flew|drove|gave|wrote|came|took|saw|knew|began|chose|spoke|rode|wore|ate)\b/;
const GENITIVE = /['’]s?$/;
const DAYS = new Set(['today', 'tomorrow', 'yesterday', 'tonight']);

/** A bare name may be the answer to "who"; what belongs to somebody else, or stands behind a label, is none. */
type OtherOpening = 'bare name' | 'other';

export function otherOpening(text: string, clues: NameClues): OtherOpening | undefined {
  const { asked } = clues;
  const relative = RELATIVE.exec(text.replace(LEAD_IN, ''))?.[1];
  if (relative !== undefined) return asked.has(lemmaOf(relative.toLowerCase())) ? undefined : 'other';
  const { article, names, rest } = openingOf(text);
  const words = wordsIn(names).filter((word) => !isStopWord(word) && !isMeasureWord(word) && !DAYS.has(word));
  if (words.length === 0 || words.some((word) => asked.has(lemmaOf(word)) || FIELD.test(word)))
    return undefined;
  if (LABEL_END.test(rest)) return 'other';
  const { capitalized, lowercase } = clues.spellings();
  if (words.every((word) => lowercase.has(word))) return undefined;
  const isAcronym = /^\p{Lu}+$/u.test(names);
  if ((article !== undefined && !isAcronym) || GENITIVE.test(names)) return 'other';
  const isName = words.length > 1 || words.some((word) => capitalized.has(word)) || VERB.test(rest);
  return isName ? 'bare name' : undefined;
}

/** Whether a sentence opens with one of the names, given as stems. */
export function opensWith(text: string, names: ReadonlySet<string>): boolean {
  return wordsIn(openingOf(text).names).some((word) => names.has(lemmaOf(word)));
}

function openingOf(text: string): { article?: string; names: string; rest: string } {
  const [, article, names = '', rest = ''] = NAMES.exec(decapitalized(text.replace(LEAD_IN, ''))) ?? [];
  return { article, names, rest };
}

/** An article at the beginning in lower case. */
function decapitalized(text: string): string {
  return text.replace(/^(?:The|Our|My|His|Her|Their|Your)\b/, (word) => word.toLowerCase());
}
