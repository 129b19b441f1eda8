// M. F. Porter's suffix stripping (1980), for the reference ranking.

const STEP_2 = pairs(
  'ational ate, tional tion, enci ence, anci ance, izer ize, abli able, alli al, entli ent, eli e, ousli ous,' +
    'ization ize, ation ate, ator ate, alism al, iveness ive, fulness ful, ousness ous, aliti al, iviti ive, biliti ble',
);
const STEP_3 = pairs('icate ic, ative -, alize al, iciti ic, ical ic, ful -, ness -');
const STEP_4 = pairs(
  'al -, ance -, ence -, er -, ic -, able -, ible -, ant -, ement -, ment -, ent -, ion -, ou -, ism -, ate -,' +
    'iti -, ous -, ive -, ize -',
);

export function porterStem(word) {
  if (word.length < 3) return word;
  let stem = withoutPlural(word);
  stem = withoutPastOrGerund(stem);
  if (stem.endsWith('y') && hasVowel(stem.slice(0, -1))) stem = `${stem.slice(0, -1)}i`;
  stem = replaced(stem, STEP_2, (rest) => measure(rest) > 0);
  stem = replaced(stem, STEP_3, (rest) => measure(rest) > 0);
  stem = replaced(
    stem,
    STEP_4,
    (rest, suffix) => measure(rest) > 1 && (suffix !== 'ion' || /[st]$/.test(rest)),
  );
  return tidied(stem);
}

function withoutPlural(word) {
  if (/(?:ss|i)es$/.test(word)) return word.slice(0, -2);
  return /[^s]s$/.test(word) ? word.slice(0, -1) : word;
}

function withoutPastOrGerund(word) {
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const rest = word.replace(/(?:ed|ing)$/, '');
  if (rest === word || !hasVowel(rest)) return word;
  if (/(?:at|bl|iz)$/.test(rest)) return `${rest}e`;
  if (endsInDouble(rest) && !/[lsz]$/.test(rest)) return rest.slice(0, -1);
  return measure(rest) === 1 && endsShort(rest) ? `${rest}e` : rest;
}

function tidied(word) {
  let stem = word;
  if (stem.endsWith('e')) {
    const rest = stem.slice(0, -1);
    if (measure(rest) > 1 || (measure(rest) === 1 && !endsShort(rest))) stem = rest;
  }
  return stem.endsWith('ll') && measure(stem) > 1 ? stem.slice(0, -1) : stem;
}

/** The longest suffix of the list that fits decides, whether its condition holds or not. */
function replaced(word, list, holds) {
  const found = list.find(([suffix]) => word.endsWith(suffix));
  if (!found) return word;
  const [suffix, ending] = found;
  const rest = word.slice(0, -suffix.length);
  return holds(rest, suffix) ? rest + ending : word;
}

/** Vowels and consonants as "v" and "c"; y is a vowel after a consonant. */
function shape(word) {
  let kinds = '';
  for (const letter of word) {
    const isVowel = 'aeiou'.includes(letter) || (letter === 'y' && kinds.endsWith('c'));
    kinds += isVowel ? 'v' : 'c';
  }
  return kinds;
}

/** How often a consonant follows a vowel. */
function measure(word) {
  return shape(word).match(/vc/g)?.length ?? 0;
}

function hasVowel(word) {
  return shape(word).includes('v');
}

function endsInDouble(word) {
  return word.at(-1) === word.at(-2) && shape(word).endsWith('c');
}

function endsShort(word) {
  return shape(word).endsWith('cvc') && !/[wxy]$/.test(word);
}

function pairs(text) {
  const list = text.split(',').map((pair) => pair.trim().split(' '));
  return list
    .map(([suffix, ending]) => [suffix, ending === '-' ? '' : ending])
    .sort(([a], [b]) => b.length - a.length);
}
