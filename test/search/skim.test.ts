/** A note that is skimmed must weigh what it weighs when it is read word by word. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NotePath } from '../../src/notes/path.ts';
import { surveyOf } from '../../src/notes/text/survey.ts';
import { forEachToken } from '../../src/notes/text/tokens.ts';
import { NoteIndex } from '../../src/search/index/note-index.ts';
import { parseQuery } from '../../src/search/query/parse.ts';
import { QuerySlice } from '../../src/search/query/query-slice.ts';
import { createWantedWords } from '../../src/search/query/wanted-words.ts';
import { at } from './kit.ts';

const SEED = 21;

/** The weight of each word of the query in the note, and whether the query is its name. */
async function weighed(query: string, path: NotePath, text: string, withFields: boolean) {
  const { indexed } = parseQuery(query, false);
  const slice = new QuerySlice({ ...indexed, withFields });
  const bytes = Buffer.from(text);
  const meta = { path, size: bytes.length, lastModified: 1, contentType: 'text/markdown' };
  await slice.add(0, meta, bytes);
  const { index: packed, skimmed, others } = slice.pack();
  const index = new NoteIndex(packed);
  index.putSkimmed(skimmed, [meta]);
  const weights = indexed.words.map((word) => {
    const sum = { inflected: 0, alike: 0 };
    index.stems.forEachLike(word, (like, isInflection) =>
      index.postings.forEach(like, (_, weight) => {
        sum[isInflection ? 'inflected' : 'alike'] += weight;
      }),
    );
    return sum;
  });
  const holds = weights.some(({ inflected, alike }) => inflected + alike > 0);
  return {
    weights,
    named: index.named(indexed.literal).length,
    tokens: holds ? index.sizes[0]! - 1 : others.tokens,
  };
}

const PIECES = [
  'keyboard',
  'Keyboards',
  'keyboa',
  'xkeyboard',
  'set',
  'settings',
  'Setting',
  'setup',
  'short',
  'Shortcut',
  'kéyboard',
  '“keyboard”',
  'keyboard’s',
  'ключkeyboard',
  'key\u0301board',
  'ｋｅｙｂｏａｒｄ',
  'keyboard½',
  '日本keyboard',
  '🚀',
  'the',
  'and',
  '#keyboard',
  '#a/settings',
  'x#settings',
  '# Keyboard',
  '  ## The settings ##',
  '#### ',
  '    # keyboard',
  '```',
  '~~~',
  '<!--',
  '-->',
  '$$',
  '---',
  '...',
  'title: Keyboard shortcut',
  'aliases: [settings, Keyboard]',
  'tags: [keyboard]',
  'tags:\n  - settings',
  'other: keyboard',
  '[a](b#settings)',
  '[[note#keyboard]]',
  '`#settings`',
  '\n',
  '\n\n',
  '\r\n',
  '\r',
  ' ',
  ' ',
  '\t',
  '\u00a0',
  '\ufeff',
  '=====',
  '-----',
];
const TEXT = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((pieces) => pieces.join(''));
const SPACED = fc.array(fc.constantFrom(...PIECES), { maxLength: 24 }).map((pieces) => pieces.join(' '));
const WITH_FRONTMATTER = fc
  .tuple(fc.array(fc.constantFrom(...PIECES.filter((piece) => piece.includes(':'))), { maxLength: 4 }), TEXT)
  .map(([lines, text]) => `---\n${lines.join('\n')}\n---\n${text}`);
const PATH = fc.constantFrom(
  'a.md',
  'settings/b.md',
  'Keyboard.md',
  'set/keyboard shortcut.txt',
  'Tästature/x.canvas',
  'x/kéyboard.md',
);
const QUERY = fc.constantFrom(
  'keyboard',
  'settings',
  'keyboard shortcut settings',
  'the keyboard',
  'keyboard and the settings',
  'board',
);

describe('a skimmed note', () => {
  it('weighs what it weighs when it is read', async () => {
    await fc.assert(
      fc.asyncProperty(QUERY, PATH, fc.oneof(TEXT, SPACED, WITH_FRONTMATTER), async (query, path, text) => {
        const read = await weighed(query, at(path), text, true);
        expect(await weighed(query, at(path), text, false)).toEqual({ ...read, tokens: expect.any(Number) });
      }),
      { seed: SEED, numRuns: 400 },
    );
  });

  it.each([
    ['a heading after a byte order mark', 'keyboard', 'a.md', '\ufeff# Keyboard\n\nkeyboard'],
    [
      'a word on a very long line',
      'keyboard',
      'a.md',
      `#tag ${'x'.repeat(5_000)}keyboard ${'y '.repeat(5_000)}keyboard`,
    ],
    ['a run of letters too long for a word', 'keyboard', 'a.md', `${'q'.repeat(300)}keyboard keyboard`],
    ['a name that is the query', 'the keyboard', 'a.md', '---\ntitle: The Keyboard\n---\n'],
    ['an underlined title', 'keyboard', 'a.md', 'The\nkeyboard\n====\n\nkeyboard'],
    ['a title that is read as the query', 'the keyboard', 'a.md', '# The [[tools/keys|keyboard]]\n'],
    ['an alias that is the query', 'settings', 'a.md', '---\naliases: [Settings]\n---\nnothing'],
  ])('weighs %s', async (_, query, path, text) => {
    expect(await weighed(query, at(path), text, false)).toEqual(await weighed(query, at(path), text, true));
  });

  it('is read word by word where a query is not of ASCII', () => {
    const skimOf = (query: string) => createWantedWords(parseQuery(query, false).indexed).skim;
    expect(skimOf('keyboard')).toBeDefined();
    expect(skimOf('маяк')).toBeUndefined();
    expect(skimOf('keyboard 灯台')).toBeUndefined();
  });
});

describe('a survey of bytes', () => {
  it('counts tokens as they are read, whatever the place in memory', () => {
    const characters = [
      'a',
      'Z',
      '0',
      '9',
      '@',
      '[',
      '`',
      '{',
      '/',
      ':',
      ' ',
      '\n',
      'я',
      '日',
      '→',
      '🚀',
      '’',
      '\u0e01',
      '\u0660',
    ];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...characters), { maxLength: 40 }), fc.nat(7), (pieces, shift) => {
        const text = pieces.join('');
        let tokens = 0;
        forEachToken(text, () => tokens++);
        const bytes = Buffer.concat([Buffer.alloc(shift), Buffer.from(text)]).subarray(shift);
        expect(surveyOf(bytes)).toEqual({ tokens, mayBecomeAscii: false });
      }),
      { seed: SEED, numRuns: 1_000 },
    );
  });

  it('tells what folding makes letters of ASCII of', () => {
    const becomes = (text: string) => surveyOf(Buffer.from(text)).mayBecomeAscii;
    for (const text of ['é', 'ß', 'ﬁ', 'Ａ', '①', '½', 'e\u0301', '𝐀', '²'])
      expect(becomes(text), text).toBe(true);
    for (const text of ['a', 'я', '“”', '🚀', '日本', '→']) expect(becomes(text), text).toBe(false);
  });
});
