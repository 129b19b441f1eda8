/** Sentences that state an open loop: "still need to", "we are waiting for", "Ana will", "muss noch", "il reste à". */

import { type Sentence, sentencesOf } from '../../../notes/text/sentences.ts';
import { ENGLISH as ENGLISH_WORDS } from '../language/english.ts';
import { phrasePattern, WORD_END, wordsFor } from '../language/languages.ts';
import type { Vocabulary } from '../language/vocabulary.ts';
import { beginsWithLink, personNamed, withLinkedNames } from '../meetings/people.ts';
import type { LoopKind } from '../types.ts';

interface LoopPhrase {
  readonly kind: LoopKind;
  readonly sentence: Sentence;
}

interface PhraseContext {
  readonly people: readonly string[];
  /** Whether no other language is to be expected. */
  readonly isEnglish: boolean;
  /** Whether the note records what people did and agreed. */
  readonly isRecord: boolean;
}

function statedPatterns(languages?: readonly Vocabulary[]) {
  return {
    waiting: phrasePattern('waiting', languages),
    notWaiting: phrasePattern('notWaiting', languages),
    followUp: phrasePattern('followUp', languages),
    undecided: phrasePattern('undecided', languages),
    remaining: phrasePattern('remaining', languages),
  };
}

type StatedPatterns = ReturnType<typeof statedPatterns>;
const ALL = statedPatterns();
const ENGLISH = statedPatterns([ENGLISH_WORDS]);
const PENDING = phrasePattern('pending');
const DUTY = phrasePattern('duty');

/** A pending decision of people; a program that decides which file to take is none. */
const TO_DECIDE =
  /^(?:still )?decide (?:whether|if|between|who|which|when|how|on)\b|\b(?:we|i|they|team|board|group|committee|somebody|someone)\b[^.?!]{0,40}\b(?:should|must|(?:need|needs|have|has) to|still|will|can)(?: still| also| soon)? decide\b/i;
const NOT_OPEN =
  /\b(?:if|once|when|until|helped (?:us|me) (?:to )?|used to|was easy to|how (?:people|we|to))\b[^.]{0,30}\bdecide|\bhow to decide\b|\bdecided whether\b|\bfree to decide\b/i;
/** Conditions, wishes and what is no longer so. */
const NOT_DUE =
  /\b(?:would|could|might|did|does|do|don['’]t|doesn['’]t|didn['’]t|won['’]t|no longer|not|never|used to|if|unless|whether|whenever|in case|as if)\b[^.;]{0,30}\b(?:need|needs|have|has|must|should)\b|\b(?:we|i|they|you)['’]d\b|^(?:if|when|whenever|unless|once|in order|to)\b|^(?:wenn|falls|sobald|si|quand|cuando|quando|se|caso)(?![\p{L}])|\b(?:nicht|no|não|ne)\s+(?:muss|müssen|hay que|tenemos que|precisamos|faut)\b/iu;

const NAME = "\\p{Lu}[\\p{L}'’-]+(?: \\p{Lu}[\\p{L}'’-]*\\.?){0,2}";
const HANDLE = '@[\\p{L}\\d][\\p{L}\\d_-]{0,39}';
const ONE = `(?:${HANDLE}|${NAME}|[\\p{Ll}]{1,4}\\d\\d\\p{Ll}?)`;
const OTHER = `(?:(?:,| and| und| et| y| e| &| \\+|/),? ?${ONE}){0,4}`;
const GROUP =
  "(?:The|Our) (?:\\p{L}+ )?(?:team|group|board|committee|chair)|(?:Die|Das) (?:\\p{L}+ )?(?:Team|Gruppe|Vorstand)|Der Vorstand|L[’']équipe|Le (?:bureau|conseil|groupe)|El (?:equipo|grupo)(?: de \\p{L}+)?|A (?:equipe|equipa)|O (?:grupo|time)|Ein paar Leute|Alle|Todos|Tous|Everyone|Everybody|Someone|Somebody";
const INTENTION = wordsFor(({ phrases }) => phrases.intention);
const PRESENT = wordsFor(({ phrases }) => phrases.present);
/** Somebody at the beginning, or behind a colon, a comma or an arrow, and what they are going to do. */
const PROMISE = new RegExp(
  `(?:^|[,;:–—>→-] |\\) )(?:(?:[Ss]o|[Tt]hen|[Aa]nd|[Aa]lso|[Oo]k(?:ay)?|[Yy]es|[Ff]inally),? )?(${ONE}${OTHER}|${GROUP})(?:(?=['’])| (?:also |then |still )?)(?:${INTENTION})${WORD_END}\\s*`,
  'u',
);
const PRESENT_ACTION = new RegExp(
  `(?:^|[,;:–—>→-] |[.!?] )(${ONE}${OTHER}) (?:${PRESENT})${WORD_END}\\s*`,
  'u',
);
/** `Ana to call`, `Ana soll anrufen`: only of people, because things are said to be so, too. */
const ASSIGNED = new RegExp(
  `^(${ONE}${OTHER}) (?:to|soll|sollen|muss|müssen|wird|werden)\\s+(?=\\p{Ll})`,
  'u',
);
/** The writer's own, at the beginning: "We'll prepare", "Will start", "Going to try", "Vamos a coordinar". */
const OWN =
  /^(?:(?:so|then|and|also),? )?(?:(?:we|i)(?:['’]ll| will|['’]re going to|['’]m going to| are going to| am going to| plan to)|will|going to|planning to|(?:on|nous) (?:va|allons)|wir (?:wollen|werden)|ich (?:werde|will)|(?:nos )?vamos(?: a)?|eu vou)\s+(?=\p{L})|, vamos a (?=\p{L})/iu;

/** Verbs of being, feeling or attending, which are no actions. */
const NO_ACTION =
  /^(?:be(?! (?:sending|writing|preparing|responsible|collaborating|working|reviewing|testing))|not|never|have|probably|likely|maybe|always|need|want|know|see|think(?! about)|love|like|miss|join|attend|arrive|leave|return|turn|retire|remember|admit|say|agree|hear|pass|go first|start by saying|continue to be|take (?:place|a while|time|some)|cost|happen|end|become|come|get (?:the|a|some)? ?(?:better|worse)|try to remember|nicht|sein|seem|appear|depend|remain|stay|require|limit|support|allow|make it|mean|also be|only|no longer|ser|estar|être|poder|haber)\b/iu;
/** Words that look like names at the beginning of a sentence. */
const NO_NAME =
  /^(?:We|I|Wir|Ich|Nous|On|The|This|That|These|Those|It|They|There|He|She|You|What|Which|Who|When|Where|Why|How|If|Once|And|But|So|Then|As|In|On|At|For|From|With|By|To|No|Not|Yes|Also|Maybe|Perhaps|Each|Every|Any|All|Both|Some|Most|Many|Other|Another|Next|Need|Needs|Want|Have|Has|Will|Would|Could|Should|May|Might|Must|Can|Going|Try|Trying|Plan|Planning|Time|Work|Working|Chrome|Firefox|Safari|Windows|Linux|Browsers?|Users?|Nodes?|Clients?|Developers?|People|Proposal|Agreed|Decided|Asked|Discussed|Suggested|Question|Note|Issue|Discussion|Meeting|Call|Der|Die|Das|Den|Dem|Ein|Eine|Es|Er|Sie|Man|Wer|Was|Wie|Wo|Wann|Warum|Dies|Diese|Dieser|Dann|Dafür|Damit|Dabei|Da|Hier|Wenn|Falls|Als|Am|Im|Bei|Nach|Vor|Für|Mit|Aus|Noch|Nur|Auch|Jemand|Niemand|Jeder|Jede|Netz|Router|Le|La|Les|L|Il|Elle|Ils|Elles|Ce|Cette|Ces|Un|Une|Des|Si|Quand|El|Los|Las|Lo|Esto|Esta|Este|Se|No|Ya|Por|Para|Cada|O|Os|As|A|Um|Uma|Isso|Este|Esse|Foi|Ele|Ela)$/u;
/** Whether names begin with a word that is none. */
export function isNoName(names: string): boolean {
  return NO_NAME.test(names.split(/[ ,/]/)[0] ?? '');
}

const LONGEST_PROMISE = 400;

/** Fast path: most sentences have none of these words. */
const ENGLISH_HINT =
  /aiting|locked (?:by|on)|ollow(?:ing)?[- ]up|ecide|ettled|agreed|till |eard back| yet|n hold|eeds? to |^\W*(?:Have|Has|Got) to/;
const HINT = new RegExp(
  `${ENGLISH_HINT.source}|arte|lockiert|teht noch|och |offen|ngeklärt|er macht|vergessen|attente|ttend|loqu|retour|reste|Reste|encore|rancher|défini|anque|^[Àà] |ublier|sper|endient|endent|falta|Falta|ueda|decid|por def|efinid|olvidar|odavía|oluntari|guardando|inda |resta|esquecer`,
);

const RECORD_HINT =
  /need|must|should|have to|has to|going|will|['’]ll|plan|next step|please|take|promise|volunteer|offer|responsible|working on| to |muss|müss|soll|werden|wird|will|woll|möcht|kümmer|übernimm|erfolgt|sorgt|klär|prüf|faut|faud|doi[tv]|dev|va |vont|charge|occupe|merci|hay que|que |debe|deb[eí]|va a|van a|vamos|[aei]rá|remos|encarga|compromet|vai|vão|deve|precis|fic|irá|prepar|\p{Ll}t /iu;

export function loopPhrasesOf(text: string, { isRecord, people, isEnglish }: PhraseContext): LoopPhrase[] {
  const hint = isEnglish ? ENGLISH_HINT : HINT;
  const maySay = hint.test(text);
  const mayPromise = isRecord && text.length <= LONGEST_PROMISE && RECORD_HINT.test(text);
  if (!maySay && !mayPromise) return [];
  return sentencesOf(text).flatMap((sentence) => {
    const isLinked = beginsWithLink(sentence.text);
    const words = withLinkedNames(sentence.text)
      .replace(/^(?:[^\p{L}@]|\d+[.)]\s)+/u, '')
      .replace(/\*\*|__/g, '');
    const kind =
      (maySay && hint.test(words) ? statedKind(words, isEnglish ? ENGLISH : ALL, isRecord) : undefined) ??
      (mayPromise && isDue(words, { isFirst: sentence.start === 0, isLinked, people }) ? 'todo' : undefined);
    return kind ? [{ kind, sentence }] : [];
  });
}

function statedKind(text: string, said: StatedPatterns, isRecord: boolean): LoopKind | undefined {
  const asks = text.endsWith('?');
  const waits = said.waiting.test(text) || (isRecord && PENDING.test(text));
  if (waits && !said.notWaiting.test(text)) return asks ? undefined : 'waiting_for';
  if (said.followUp.test(text)) return 'follow_up';
  if ((said.undecided.test(text) || TO_DECIDE.test(text)) && !NOT_OPEN.test(text)) return 'question';
  if (!asks && said.remaining.test(text) && !NOT_DUE.test(text)) return 'todo';
  return undefined;
}

interface DutyContext {
  readonly isFirst: boolean;
  /** Whether it begins with a link to a note, as of a person. */
  readonly isLinked: boolean;
  readonly people: readonly string[];
}

/** What somebody ought to do or is going to do. */
function isDue(text: string, { isFirst, isLinked, people }: DutyContext): boolean {
  if (/[?:]$/.test(text)) return false;
  if (DUTY.test(text) && !NOT_DUE.test(text)) return true;
  const own = isFirst ? OWN.exec(text) : null;
  if (own) return isAction(text.slice(own.index + own[0].length));
  return (
    isPromise(text, PROMISE.exec(text)) ||
    isPromise(text, PRESENT_ACTION.exec(text)) ||
    isAssigned(text, isLinked, people)
  );
}

const IS_GROUP = new RegExp(`^(?:${GROUP})$`, 'u');

function isPromise(text: string, match: RegExpExecArray | null): boolean {
  const name = match?.[1];
  if (!match || name === undefined) return false;
  if (isNoName(name) && !IS_GROUP.test(name)) return false;
  if (/\b(?:if|unless|would|could)\b/i.test(text.slice(0, 30))) return false;
  return isAction(text.slice(match.index + match[0].length));
}

function isAssigned(text: string, isLinked: boolean, people: readonly string[]): boolean {
  const [all, names] = ASSIGNED.exec(text) ?? [];
  if (all === undefined || names === undefined || isNoName(names)) return false;
  const known =
    isLinked ||
    names.startsWith('@') ||
    /[,&+/]| (?:and|und) /.test(names) ||
    personNamed(people, names) !== undefined;
  return known && isAction(text.slice(all.length));
}

function isAction(rest: string): boolean {
  return rest !== '' && !NO_ACTION.test(rest);
}
