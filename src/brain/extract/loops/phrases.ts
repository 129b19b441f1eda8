/** Loose ends told in plain sentences. */
import { type Sentence, sentencesOf } from '../words.ts';

export interface LoopPhrase {
  readonly kind: 'question' | 'waiting_for' | 'follow_up';
  readonly sentence: Sentence;
}

const WAITING =
  /^(?:we(?:'re|’re| are)|i(?:'m|’m| am))?\s*(?:still |currently |now )?(?:waiting (?:for|on)|blocked (?:by|on)|awaiting)\s+\S|\b(?:we(?:'re|’re| are)|i(?:'m|’m| am)|(?:is|are) (?:still )) ?(?:still |currently )?(?:waiting (?:for|on)|blocked (?:by|on)|awaiting)\s|^(?:wir |ich )?wart(?:e|en) (?:noch |immer noch )?auf\s/i;
const NO_LONGER =
  /\b(?:no longer|not|never|stop(?:ped)?|while|was|were|instead of)\s+(?:waiting|blocked)|^while\b|\bused to\b|waiting (?:for|on) (?:the )?(?:bus|train|my turn|no one|nobody|you to)/i;
const FOLLOW_UP =
  /^(?:(?:i|we)(?:'ll|’ll| will| should| need to| must)?\s+)?follow(?:ing)?[- ]up (?:with|on|by|about|next|to)\b|^(?:we|i)(?:'ll|’ll| will| should| need to| must) follow up\b/i;
const UNDECIDED =
  /\b(?:(?:not|n['’]t|never) (?:yet )?(?:been )?decided|(?:has|have|had|is|are)(?:n['’]t| not) (?:yet )?(?:been )?(?:decided|settled|agreed)|undecided|(?:still )?to be decided|noch nicht entschieden|noch (?:zu entscheiden|offen))\b(?! again)/i;
/** Deciding that somebody has before them: a program that decides which file to take is none. */
const TO_DECIDE =
  /^(?:still )?decide (?:whether|if|between|who|which|when|how|on)\b|\b(?:we|i|they|team|board|group|committee|somebody|someone)\b[^.?!]{0,40}\b(?:should|must|(?:need|needs|have|has) to|still|will|can)(?: still| also| soon)? decide\b/i;
const NOT_OPEN =
  /\b(?:if|once|when|until|helped (?:us|me) (?:to )?|used to|was easy to|how (?:people|we|to))\b[^.]{0,30}\bdecide|\bhow to decide\b|\bdecided whether\b|\bfree to decide\b/i;

/** Most blocks have none of these words. */
const HINT = /wait|blocked|follow|decid|settled|agreed|wart|offen|entsch/i;

export function loopPhrasesOf(text: string): LoopPhrase[] {
  if (!HINT.test(text)) return [];
  return sentencesOf(text).flatMap((sentence) => {
    const kind = kindOfSentence(sentence.text);
    return kind ? [{ kind, sentence }] : [];
  });
}

function kindOfSentence(text: string): LoopPhrase['kind'] | undefined {
  if (WAITING.test(text) && !NO_LONGER.test(text)) return text.endsWith('?') ? undefined : 'waiting_for';
  if (FOLLOW_UP.test(text)) return 'follow_up';
  if ((UNDECIDED.test(text) || TO_DECIDE.test(text)) && !NOT_OPEN.test(text)) return 'question';
  return undefined;
}
