/** What an intent is for: whom it names, and the subject besides them ("talk to Priya about the kitchen"). */
import { contentWords, isStopWord, wordsIn } from '../../notes/text/analyzer.ts';
import { tellingWords } from '../answer/extractive.ts';
import { isMeasureWord } from '../answer/facts.ts';

export interface Focus {
  /** Names as the intent has them, `Mei Chen` as one. */
  readonly names: readonly string[];
  /** Stems of the subject besides the names; empty where the intent has no names. */
  readonly subject: readonly string[];
}

const ABOUT =
  /(?<![\p{L}])(?:about|regarding|concerning|re:|über|wegen|bezüglich|zum thema|à propos d(?:e |u |es |['’])|au sujet d(?:e |u |es |['’])|concernant|sobre|acerca del?|respecto al?)\s*(.+)$/iu;
const WITH = /\s(?:with|mit|avec|con|com)\s/iu;
/** "The launch of Apollo" is about nothing but Apollo; "the launch with Mei" is. */
const WITH_NAME = /\s(?:with|mit|avec|con|com)\s+\p{Lu}/u;
/** What people do with each other, whatever it is about. */
const OCCASIONS = new Set(
  contentWords(
    [
      'talk talking speak chat conversation discuss discussion tell ask call phone meet meeting prepare preparation',
      'sync catch agenda brief briefing interview one weekly visit lunch coffee write email mail message remind next',
      'sprechen reden gespräch treffen besprechen besprechung termin anrufen fragen vorbereiten vorbereitung schreiben',
      'parler discuter réunion rencontrer rencontre préparer appeler demander entretien écrire',
      'hablar conversar charla reunión preparar llamar preguntar encontrar escribir falar conversa reunião ligar',
    ].join(' '),
  ),
);

export function focusOf(intent: string): Focus {
  const about = ABOUT.exec(intent);
  const [subject = ''] = (about?.[1] ?? '').split(WITH);
  const others = about ? intent.replace(subject, ' ') : intent;
  const names = namesIn(others);
  if (names.length === 0) return { names: namesIn(intent), subject: [] };
  const named = new Set(names.flatMap(contentWords));
  const words = about ? contentWords(subject) : WITH_NAME.test(intent) ? tellingWords(intent) : [];
  const isSubject = (word: string) => !named.has(word) && !OCCASIONS.has(word);
  return { names, subject: [...new Set(words)].filter(isSubject) };
}

/** Runs of capitalized words; the first word may be capitalized for its place. */
function namesIn(intent: string): string[] {
  const names: string[] = [];
  let before = -1;
  const [first, ...tokens] = intent.matchAll(/\p{L}[\p{L}\p{M}\p{N}]*/gu);
  if (!first) return [];
  for (const { 0: token, index } of tokens) {
    if (!isName(token)) continue;
    if (names.length > 0 && intent.slice(before, index) === ' ') names.push(`${names.pop()} ${token}`);
    else names.push(token);
    before = index + token.length;
  }
  return names;
}

function isName(token: string): boolean {
  return /^\p{Lu}/u.test(token) && wordsIn(token).every((word) => !isStopWord(word) && !isMeasureWord(word));
}
