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

/** More than a sentence can have: each is held against each. */
const MOST_CLAUSES = 400;

interface Clause {
  readonly words: ReadonlySet<string>;
  readonly isDenied: boolean;
}

/** As much of one clause must be in the other for the two to be about the same. */
const OF_SOURCE = 0.75;
const OF_CLAIM = 0.6;

/** Whether one of them denies what the other affirms. */
export function contradicts(claim: string, source: string): boolean {
  const there = clausesOf(source);
  return clausesOf(claim).some((clause) => there.some((other) => areOpposed(clause, other, there)));
}

/** Unless the source says the same words the other way as well. */
function areOpposed(clause: Clause, other: Clause, source: readonly Clause[]): boolean {
  if (clause.isDenied === other.isDenied) return false;
  const shared = [...clause.words].filter((word) => other.words.has(word));
  const isSame =
    shared.length >= OF_SOURCE * other.words.size || shared.length >= OF_CLAIM * clause.words.size;
  const isSaidToo = source.some(
    ({ words, isDenied }) => isDenied === clause.isDenied && shared.every((word) => words.has(word)),
  );
  return shared.length > 0 && isSame && !isSaidToo;
}

/** "instead of" and "rather than" deny what follows them. */
function clausesOf(text: string): Clause[] {
  const plain = text.replace(/\b(?:instead of|rather than|as opposed to)\b/gi, ', not');
  return plain
    .split(CLAUSE_END, MOST_CLAUSES)
    .map((clause) => ({ words: new Set(contentWords(clause)), isDenied: denies(clause) }))
    .filter(({ words }) => words.size > 0);
}

function denies(clause: string): boolean {
  const denials = wordsIn(clause).filter(
    (word) => DENIALS.has(word) || /n['’]t$/.test(word) || REFUSALS.has(stemOf(word)),
  );
  return denials.length % 2 === 1;
}
