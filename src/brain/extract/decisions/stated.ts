/** Sentences that state a decision ("we agreed to", "Ana decided to"), and words that say that there is none yet. */
import { type Sentence, sentencesOf } from '../../../notes/text/sentences.ts';
import { phrasePattern } from '../language/languages.ts';
import { isNoName } from '../loops/phrases.ts';
import { beginsWithLink, withLinkedNames } from '../meetings/people.ts';

/** The speaker before a line of a transcript. */
const SPEAKER = /^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)?(?:\*\*|__)?:(?:\*\*|__)?\s+/u;
const DECIDED = phrasePattern('decided');
/** Words that count only in notes where people record what they agreed. */
const SETTLED = phrasePattern('settled');
const NEVER = phrasePattern('notDecided');
/** Fast path: most blocks have none of these words. */
const HINT =
  /deci|agree|resol|going with|went with|settled|chose|picked|opted|won['’]t|will not|not going to|motion|vot|unanim|approv|adopt|accept|reject|declin|pass|consensus|we['’]ll|we will|plan is|landed|beschl|entsch|einig|einbart|gelegt|verabsch|genehm|lehnt|nommen|schlossen|worfen|gefällt|décid|conven|act[ée]|opté|tranch|accord|retenu|valid|approuv|élu|acord|acuerd|aprob|aprueb|determin|descart|rechaz|elig|eleg|establec|optamos|combin|acert|concord|delib|defin|escolh|aprov|rejeit|lean|propos|suggest|let['’]s|probably|likely|tentativ/i;
const CONDITION =
  /(?:^|[,;] )(?:if|once|when|until|unless|before|as soon as|suppose|assuming|imagine|whether|had|wenn|falls|sobald)\b[^.,;]{0,60}\b(?:decided|agreed|settled|chose|going with|went with|entschieden)/i;
const ASKS = /^(?:who|what|why|when|how|did|have|has|do|does|are|is|warum|wer|wann)\b.*\?|\?["'”’)\s]*$/i;
const LEANS =
  /\b(?:lean(?:ing|s)? towards?|(?:probably|likely|tentatively) (?:go(?:ing)? with|settle on|use|choose)|(?:i|we) (?:propose|suggest) (?:to|that|we)|let['’]s go with)\b/i;
const NAME = "\\p{Lu}[\\p{L}'’-]+(?: \\p{Lu}[\\p{L}'’-]*\\.?){0,2}";
const NAMED = new RegExp(
  `^(${NAME}(?:(?:,| and| und| et| y| e| &) ${NAME}){0,3}) (?:${[
    '(?:has |have |had )?(?:then |now |finally |also |just |all |both )?(?:decided|agreed|resolved) (?:to|that|on|against)',
    '(?:hat|haben)(?: [^.;]{1,80}?)?(?: sich)? (?:entschieden|beschlossen|vereinbart)',
    '(?:entschied|entschieden|beschloss|beschlossen)(?: sich)?(?:,| für | gegen | dass )',
    "(?:a|ont) (?:finalement )?décidé (?:de|d['’]|que)",
    '(?:ha |han )?(?:decidió|decidieron|acordó|acordaron|decidido|acordado)',
    'decid(?:iu|iram)',
  ].join('|')})(?![\\p{L}])`,
  'u',
);

export interface StatedDecision {
  readonly sentence: Sentence;
  /** Unsure: leaning towards it; or somebody's decision in a text that may be about anything. */
  readonly isSure: boolean;
  readonly isMade: boolean;
  /** Who decided, as the sentence names them. */
  readonly deciders: string | undefined;
}

interface StatedContext {
  readonly isRecord: boolean;
  /** Whether what any person decided counts: not in books and diaries. */
  readonly isOurs: boolean;
}

export function statedDecisions(text: string, { isRecord, isOurs }: StatedContext): StatedDecision[] {
  if (!HINT.test(text)) return [];
  return sentencesOf(text).flatMap((sentence) => {
    const words = withLinkedNames(sentence.text)
      .replace(/^(?:[^\p{L}]|\d+[.)]\s)+/u, '')
      .replace(SPEAKER, '');
    const isNone = NEVER.test(words) || CONDITION.test(words) || ASKS.test(words);
    const deciders = isNone ? undefined : decidersOf(words);
    const isPlain = !isNone && (DECIDED.test(words) || (isRecord && SETTLED.test(words)));
    const isMade = isPlain || deciders !== undefined;
    const isSure = isPlain || (isMade && (isOurs || beginsWithLink(sentence.text)));
    const leans = !isMade && LEANS.test(sentence.text) && !ASKS.test(sentence.text);
    return isMade || leans ? [{ sentence, isSure, isMade, deciders }] : [];
  });
}

function decidersOf(words: string): string | undefined {
  const names = NAMED.exec(words)?.[1];
  return names === undefined || isNoName(names) ? undefined : names;
}

/** Whether the words say of themselves that nothing is decided. */
export function deniesDecision(words: string): boolean {
  return NEVER.test(words);
}

const POSTPONED =
  '(?:postponed|deferred|vertagt|verschoben|reportée?|aplazad[oa]|adiad[oa])(?: (?:until|till|to|by|for|bis|auf|à|au|jusqu|hasta|al?|para|até)[^.;]*)?';
/** What may follow; "open on Sundays" is a decision. */
const SO_FAR =
  "yet|so far|for now|at the moment|bisher|vorerst|pour l['’]instant|por ahora|(?:decided|agreed|entschieden|beschlossen|décidé|decidido)(?: yet)?";
const NONE_YET = new RegExp(
  `^[*_("\\s]*(?:(?:it(?:['’]s| is)|this is|is|still|currently|ist|noch|bleibt|est|encore|está|aún|todavía|queda) ){0,2}(?:${[
    '(?:t\\.?b\\.?[dac]\\.?|to be (?:decided|confirmed|discussed|determined|made|taken|announced))(?: (?:by|on|at|in|with|next|later)[^.;]*)?',
    'open|undecided|unresolved|unclear|on hold|none|nothing|not (?:yet )?(?:decided|made|taken|reached|final)|not yet|no decision',
    "(?:we |it |they |i )?(?:have|has|is|was|did)(?:n['’]t| not)(?: yet| been)* (?:decided?|agreed?|made|taken)",
    'pending(?: (?:approval|review|confirmation|input|feedback|decision|discussion|on|further)[^.;]*)?',
    'offen|ausstehend|(?:steht|stehen) (?:noch )?aus|ungeklärt|unklar|nicht (?:entschieden|gefallen|gefasst)|(?:noch )?nichts?|zu klären|folgt|keine (?:entscheidung|einigung)',
    'à (?:décider|définir|prendre|confirmer|trancher|discuter)|en attente|en suspens|pas encore(?: prise)?|aucune|rien',
    'pendientes?|por (?:decidir|definir|confirmar)|sin decidir|ningun[oa]|nada',
    'pendentes?|a (?:decidir|definir|confirmar)|por decidir|em aberto|nenhuma',
    POSTPONED,
  ].join('|')})(?: (?:${SO_FAR}))?(?=\\s*(?:$|[.,;:!?()*_"–—]|\\s-\\s))`,
  'iu',
);

/** Whether what stands behind a marker such as `Decision:` says that there is none: `TBD`, `pending`, `noch offen`. */
export function isNoneYet(words: string): boolean {
  return NONE_YET.test(words);
}
