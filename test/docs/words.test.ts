/** What Quire says to people is plain product English: words that readers stumbled over do not come back. */
import { expect, test } from 'vitest';
import { pagesBelow, textOf } from '../kit/code-blocks.ts';
import { literalsOf, sourcesBelow } from '../kit/literals.ts';

const BANNED =
  /\b(?:doors?|mend(?:s|ed|ing)?|nobody|somebody|whoever|anew|astray|lest|(?:stands?|standing) in the way|(?:be|is|are|was) led to|asks? for patience|say hello|come to rest)\b/i;

/** Lists of words of a language, and a tool definition that clients know by heart. */
const ALLOWED = [
  'src/brain/answer/conflict.ts',
  'src/brain/extract',
  'src/governance/catalog/scan/lexicon',
  'src/surfaces/brain/extraction-tools.ts',
];

function bannedIn(texts: readonly string[]): string[] {
  return texts.filter((text) => BANNED.test(text)).map((text) => text.slice(0, 200));
}

test('no text of the program has a word that readers stumble over', () => {
  const files = sourcesBelow('src')
    .filter((file) => !ALLOWED.some((path) => file.startsWith(path)))
    .filter((file) => BANNED.test(textOf(file)));
  const found = files.flatMap((file) => bannedIn(literalsOf(file)).map((text) => `${file}: ${text}`));
  expect(found).toEqual([]);
});

test('no page for people who use or operate Quire has one either', () => {
  const pages = ['README.md', 'deploy/README.md', ...pagesBelow('docs/use'), ...pagesBelow('docs/operate')];
  const found = pages.flatMap((page) => bannedIn(textOf(page).split('\n')).map((line) => `${page}: ${line}`));
  expect(found).toEqual([]);
});
