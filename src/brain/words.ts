/** The words of a text that carry meaning: folded, without stop words, cut back to what inflections share. */
import { fold } from '../notes/text/fold.ts';

const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’]\p{L}+)?/gu;
/** Written without spaces: pairs of characters stand for words. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]+/u;
const ALL_UNSPACED = new RegExp(UNSPACED, 'gu');

/** Kept apart by language; words that mean something in another one of them are left out. */
const STOP_WORDS = new Set(
  [
    // English
    "a about above after again all also am an and any anyone anything are aren't as at be because been before being below between both but by can cannot can't come could couldn't did didn't do does doesn't doing don't done during each either else ever every few for from further get got had has hasn't have haven't having he her here hers him his how however i i'd i'll i'm i've if in into is isn't it it's its itself just let like me more most much my myself no nor not now of off on once one only or other our ours out over own per please same shall she should so some such than that that's the their theirs them then there there's these they this those through to too under until up upon us very was wasn't we we'd we'll we're we've were weren't what what's when where which while who who's whom whose why will with within won't would wouldn't yet you your yours yourself",
    'according additionally based currently finally furthermore hence instead likewise meanwhile moreover overall therefore though although thus unfortunately yes',
    // German
    'aber als am an auch auf aus bei beim bin bis bist da damit dann das dass dein dem den der des dich die dies diese diesem diesen dieser dieses dir doch du ein eine einem einen einer eines er es euch fur hat hatte haben ich ihm ihn ihr im in ist ja jede jeder kann kein keine keinen man mein mich mir mit nach nicht noch nur ob oder ohne schon sein sich sie sind uber um und uns unser unter vom von vor wann warum was wegen weil welche welcher welches wenn wer werden wie wieder wir wird wo wurde wurden zu zum zur zwischen',
    // French
    'au aux avec ce cette ces comme dans de des du elle elles en est et ete etre eu il ils je la le les leur lui ma mais mes moi mon ne nos notre nous ou par pas plus pour pourquoi quand que quel quelle quels quelles qui quoi sa sans ses sont sous sur ta tes toi ton tu un une vos votre vous',
    // Spanish
    'al ante cada como con cual cuando cuanto cuantos de del desde donde el ella ellas ellos entre era eran esa ese eso esta estaba este esto ha han hasta hay la las lo los mas mi mis muy nos o para pero por porque que quien se si sin sobre su sus te tiene un una unas unos y ya',
  ].flatMap((line) => line.split(' ')),
);

/** Forms that no rule leads back to their word. */
const IRREGULAR = new Map(
  [
    'choose chose chosen choice',
    'decide decision decisions',
    'write wrote written',
    'take took taken',
    'give gave given',
    'begin began begun',
    'grow grew grown',
    'know knew known',
    'speak spoke spoken',
    'break broke broken',
    'see saw seen',
    'go went gone goes',
    'run ran',
    'meet met',
    'make made',
    'say said',
    'tell told',
    'send sent',
    'spend spent',
    'build built',
    'keep kept',
    'hold held',
    'pay paid',
    'buy bought',
    'sell sold',
    'find found',
    'lead led',
    'become became',
    'think thought',
    'bring brought',
  ].flatMap((line) => {
    const [first = '', ...forms] = line.split(' ');
    return forms.map((form) => [form, first] as const);
  }),
);

const MAX_TEXT = 200_000;

/** All words in order, folded; not stemmed. */
export function wordsIn(text: string): string[] {
  const { text: folded } = fold(text.slice(0, MAX_TEXT), { ignoreCase: true, ignoreAccents: true });
  return (folded.match(TOKEN) ?? []).flatMap((token) => (UNSPACED.test(token) ? pieces(token) : [token]));
}

/** The stems of the words that carry meaning, in order, each as often as it stands there. */
export function contentWords(text: string): string[] {
  return wordsIn(text)
    .filter((word) => !isStopWord(word))
    .map(stemOf);
}

/** Of a folded word. */
export function isStopWord(word: string): boolean {
  return STOP_WORDS.has(word) || /^[a-z]$/.test(word);
}

/** How much of `wanted` is in `given`, 0 to 1; nothing wanted is nothing found. */
export function shareOf(wanted: Iterable<string>, given: ReadonlySet<string>): number {
  const words = [...new Set(wanted)];
  return words.length === 0 ? 0 : words.filter((word) => given.has(word)).length / words.length;
}

/** Of a folded word: light, so that words of other languages stay what they are. */
export function stemOf(word: string): string {
  const bare = word.replace(/['’]s?$/, '').replace(/['’].*$/, '');
  const known = IRREGULAR.get(bare) ?? bare;
  if (known.length <= 3 || !/^[a-z]+$/.test(known)) return known;
  return withoutEnding(singular(known));
}

function singular(word: string): string {
  if (word.endsWith('ies') && word.length > 4) return `${word.slice(0, -3)}y`;
  if (/(?:ss|sh|ch|x|z)es$/.test(word)) return word.slice(0, -2);
  return word.endsWith('s') && !/(?:ss|us|is)$/.test(word) ? word.slice(0, -1) : word;
}

function withoutEnding(word: string): string {
  const ending = /(?:ing|ed|e)$/.exec(word)?.[0] ?? '';
  const rest = word.slice(0, word.length - ending.length);
  if (rest.length < 3 || !/[aeiouy]/.test(rest)) return word;
  const isDouble = ending.length > 1 && /([^aeiouylsz])\1$/.test(rest);
  return (isDouble ? rest.slice(0, -1) : rest).replace(/y$/, 'i');
}

function pieces(token: string): string[] {
  const spaced = token.split(ALL_UNSPACED).filter((part) => part !== '');
  const pairs = (token.match(ALL_UNSPACED) ?? []).flatMap((run) =>
    run.length <= 2 ? [run] : Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2)),
  );
  return [...spaced, ...pairs];
}
