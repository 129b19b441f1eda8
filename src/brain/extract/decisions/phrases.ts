/** Decisions told in plain sentences, and the sentences that only look like one. */
import { type Sentence, sentencesOf } from '../words.ts';

const WE =
  "(?:we|i|they|the (?:team|group|board|committee|client)|team|everyone|everybody|all|both (?:teams|sides))(?:['’]ve| have| has)?(?: (?:all|now|finally|also|then|just|both|eventually|unanimously|jointly|already))*";
const PHRASES: readonly RegExp[] = [
  new RegExp(
    `\\b${WE} (?:decided|agreed|resolved) (?:(?:today|together|unanimously|in the end) )?(?:to|that|on|against)\\b`,
    'i',
  ),
  /^(?:[\p{L}]+day: )?(?:so |and |then |finally |today |in the end,? )?(?:decided|agreed|resolved) (?:to|that|on|against)\b/iu,
  /\b(?:it (?:was|has been|is)|was) (?:finally |formally |unanimously )?(?:decided|agreed) (?:to|that)\b/i,
  /\b(?:decision (?:was|is|has been)(?: made| taken)?|agreement (?:was|has been) reached) (?:to|that)\b/i,
  /\b(?:we|i|they|team)(?:['’]re|['’]m| are| am)? (?:all )?going with\b|^going with\b|\b(?:we|i|team) went with\b/i,
  /\b(?:we|i|they|team|finally|and)(?:['’]ve| have| has)?(?: finally| now)? settled on\b|^(?:finally )?settled on\b/i,
  new RegExp(
    `\\b${WE} (?:chose|picked|opted for|have chosen)\\b|^(?:chose|picked|opted for) [^.]{1,80}? (?:over|instead of|rather than)\\b`,
    'i',
  ),
  /\bchose [^.]{1,80}? over\b/i,
  /\b(?:we|i|team) (?:won['’]t|will not|are not going to) (?:do|support|build|ship|use|adopt|pursue|offer|migrate|renew|hire)\b|^won['’]t do\b/i,
  /\bwir haben (?:uns )?(?:\p{L}+ ){0,8}?(?:entschieden|beschlossen|geeinigt)\b|\bwir haben (?:entschieden|beschlossen|uns)\b[^.]*\b(?:entschieden|geeinigt)\b|^beschlossen(?: wurde)?,? dass\b|\bnous avons décidé (?:de|d['’]|que)|\bhemos decidido\b/iu,
];
/** In a transcript. */
const SPEAKER = /^\p{Lu}[\p{L}'’.-]*(?: \p{Lu}[\p{L}'’.-]*)?(?:\*\*|__)?:(?:\*\*|__)?\s+/u;
const NEVER =
  /\b(?:not|n['’]t|never|nobody|no one|hardly|almost|nearly|failed to|could not|couldn['’]t|without having) (?:yet |have |has |been |really |fully |formally )*(?:decided|agreed|resolved|settled|chosen|decide|agree)\b|\b(?:should|must|need to|needs to|have to|has to|could|might|may|would|can|to|will) (?:have )?(?:decided?|agree|settle|choose|be decided|be agreed)\b|\bagreed? to disagree\b|\bdecide (?:whether|if)\b|\bwould have (?:decided|agreed|chosen)|\bnoch nicht\b|\bdecided nothing\b/i;
const CONDITION =
  /(?:^|[,;] )(?:if|once|when|until|unless|before|as soon as|suppose|assuming|imagine|whether|had|wenn|falls|sobald)\b[^.,;]{0,60}\b(?:decided|agreed|settled|chose|going with|went with|entschieden)/i;
const ASKS = /^(?:who|what|why|when|how|did|have|has|do|does|are|is|warum|wer|wann)\b.*\?|\?["'”’)\s]*$/i;

const LEANS =
  /\b(?:lean(?:ing|s)? towards?|(?:probably|likely|tentatively) (?:go(?:ing)? with|settle on|use|choose)|(?:i|we) (?:propose|suggest) (?:to|that|we)|let['’]s go with)\b/i;

/** The sentences that tell a decision, and those that only lean to one. */
export function decisionPhrasesOf(text: string): { sentence: Sentence; isSure: boolean }[] {
  return sentencesOf(text).flatMap((sentence) => {
    const isSure = tellsDecision(sentence.text);
    const leans = !isSure && LEANS.test(sentence.text) && !ASKS.test(sentence.text);
    return isSure || leans ? [{ sentence, isSure }] : [];
  });
}

function tellsDecision(sentence: string): boolean {
  const text = sentence.replace(/^(?:[^\p{L}]|\d+[.)]\s)+/u, '').replace(SPEAKER, '');
  if (!PHRASES.some((pattern) => pattern.test(text))) return false;
  return !(NEVER.test(text) || CONDITION.test(text) || ASKS.test(text));
}

const BECAUSE = /[,;–—-]?\s*\b(?:because|since|as it|due to|in order to|so that|weil|da wir|car)\b\s*/i;
const OVER =
  /\b(?:over|instead of|rather than|statt|anstatt)\s+([^.,;()]{1,80}?)(?=\s+(?:because|since|for|due to|as|so that|weil)\b|[.,;(]|$)/i;

/** Why, as the sentence says. */
export function rationaleIn(text: string): string | undefined {
  const because = /\b(?:because|since|due to|weil)\b/i.exec(text);
  if (!because) return undefined;
  const reason = text
    .slice(because.index)
    .replace(BECAUSE, '')
    .replace(/[.\s]+$/, '')
    .trim();
  return reason === '' ? undefined : reason;
}

/** What was not chosen, as the sentence says. */
export function alternativesIn(text: string): string[] {
  const over = OVER.exec(text)?.[1]?.trim();
  return over === undefined || over === '' ? [] : over.split(/,\s*| or | and /).filter((one) => one !== '');
}
