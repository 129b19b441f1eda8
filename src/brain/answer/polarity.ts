/**
 * What a text denies. A denial holds for its clause: in "We chose Postgres, not MySQL" it is MySQL alone that is
 * denied. Refusing something denies it too.
 */
import { contentWords, stemOf, wordsIn } from '../words.ts';

const DENIALS = new Set(
  'not no never none neither nor cannot without nobody nothing against unable kein keine keinen keinem keiner nicht nie niemals ohne pas jamais sans sin nunca'.split(
    ' ',
  ),
);
const REFUSALS = new Set(
  'reject refuse decline cancel abandon avoid forbid disable exclude'.split(' ').map(stemOf),
);

const CLAUSE_END =
  /[,;:!?()\n]|\.(?=\s|$)|\s[–—-]\s|\b(?:but|because|since|while|although|though|whereas|and|which|instead|aber|sondern|weil|und|mais|et|pero|porque)\b/gi;

/** Of the words with meaning in the text: true where they are denied. A word that is both is left out. */
export function polarityOf(text: string): ReadonlyMap<string, boolean> {
  const said = new Map<string, Set<boolean>>();
  for (const clause of clausesOf(text)) {
    const isDenied = denies(clause);
    for (const word of contentWords(clause)) said.set(word, (said.get(word) ?? new Set()).add(isDenied));
  }
  return new Map(
    [...said].flatMap(([word, ways]) => (ways.size === 1 ? [[word, ways.has(true)] as const] : [])),
  );
}

/** "instead of" and "rather than" deny what follows them. */
function clausesOf(text: string): string[] {
  const plain = text.replace(/\b(?:instead of|rather than|as opposed to)\b/gi, ', not');
  return plain.split(CLAUSE_END).filter((clause) => clause.trim() !== '');
}

function denies(clause: string): boolean {
  const denials = wordsIn(clause).filter(
    (word) => DENIALS.has(word) || /n['’]t$/.test(word) || REFUSALS.has(stemOf(word)),
  );
  return denials.length % 2 === 1;
}

/** Whether one of them denies what the other affirms. */
export function contradicts(claim: string, source: string): boolean {
  const there = polarityOf(source);
  return [...polarityOf(claim)].some(([word, isDenied]) => (there.get(word) ?? isDenied) !== isDenied);
}
