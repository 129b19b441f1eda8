/**
 * Questions in other languages than English, of which only words that ask and join are known. A passage is enough for
 * one when it has two thirds of the words left without them, and every word with a capital, which may be a name.
 */
import { isStopWord } from '../../notes/text/analyzer.ts';
import { fold, SEARCH_FOLDING } from '../../notes/text/fold.ts';
import { termsOf } from '../../notes/text/tokens.ts';
import { coverageOf } from '../retrieve/keyword-search.ts';
import type { RankedPassage } from '../types.ts';
import { isEnglish } from './names.ts';

/** German, French and Spanish beside their stop words; Portuguese; Italian; Dutch; Polish; Russian; Turkish; Korean. */
const ASKING = new Set(
  `lange hoch viel viele oft weit groß alt combien cuánta cuántas
  quando onde quem qual quais quanto quanta quantos quantas como o os as um uma do da dos das no na nos nas em foi tem
  dove chi quali quante quanti perché che cosa il lo gli di del della dei da nel nella stato stata sono
  wanneer waar wie wat welke welk hoeveel hoe waarom het een van zijn waren heeft op voor met
  kiedy gdzie kto co jaki jaka jakie który która ile jak dlaczego czy jest są był była było we ze od
  когда где кто что какой какая какое какие который сколько как почему у в во на с со от до по для ли был была было были
  ne zaman nerede kim hangi kaç nasıl neden mi bir için
  언제 어디 어디서 어디에 어디로 누가 누구 무엇 뭐 왜 어떻게 얼마 얼마나 몇 하나요 인가요 입니까 합니까 있나요`.split(
    /\s+/,
  ),
);
const WORD = /[\p{L}\p{M}\p{N}]+/gu;
/** Chinese; Japanese asks and joins in hiragana. */
const ASKING_UNSPACED =
  /什么时候|为什么|多少|什么|怎么样?|哪[里儿个些]?|谁|几|[吗呢的了是在]|[\p{Script=Hiragana}何誰]+/gu;

const MOST_ASKED = 2 / 3;

export function isEnoughElsewhere(question: string, passages: readonly RankedPassage[]): boolean {
  if (isEnglish(question)) return false;
  const [, ...behind] = question.match(WORD) ?? [];
  const names = new Set(behind.filter((word) => /^\p{Lu}/u.test(word)).flatMap(foldedWords));
  const written = question.replace(ASKING_UNSPACED, ' ').match(WORD) ?? [];
  const others = written.filter((word) => !ASKING.has(word.toLowerCase())).flatMap(foldedWords);
  const telling = [...new Set(others)].filter((word) => !isStopWord(word));
  if (telling.length === 0) return false;
  return passages.some(({ passage }) => {
    const isIn = (word: string) => coverageOf(passage, { words: termsOf(word) }) === 1;
    return telling.filter(isIn).length >= MOST_ASKED * telling.length && [...names].every(isIn);
  });
}

function foldedWords(text: string): string[] {
  return fold(text, SEARCH_FOLDING).text.match(WORD) ?? [];
}
