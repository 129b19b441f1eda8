/** Places of words by the numbers of the index are those that a look through the text finds. */
import { describe, expect, it } from 'vitest';
import { fold, SEARCH_FOLDING } from '../../src/notes/text/fold.ts';
import { createStemFinder, termOf } from '../../src/notes/text/stems.ts';
import { createBackoff } from '../../src/search/failed-reads.ts';
import { documentOf } from '../../src/search/index/document.ts';
import { NoteIndex } from '../../src/search/index/note-index.ts';
import { WordSequences } from '../../src/search/index/word-sequences.ts';
import { placesOf } from '../../src/search/query/best-window.ts';
import { findNotes } from '../../src/search/query/find.ts';
import { HaystackCache } from '../../src/search/query/occurrences.ts';
import { parseQuery } from '../../src/search/query/parse.ts';
import { wordsLike } from '../../src/search/query/rank.ts';
import { createSequenceFinder, placesInText } from '../../src/search/query/sequence-finder.ts';
import { createWordFinder } from '../../src/search/query/telling-places.ts';
import { TextCache } from '../../src/search/query/text-cache.ts';
import { Reach } from '../../src/search/reach.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { at } from './kit.ts';

async function indexOf(notes: Record<string, string>): Promise<NoteIndex> {
  const index = new NoteIndex();
  for (const [path, text] of Object.entries(notes)) {
    const meta = { path: at(path), size: text.length, lastModified: 0 };
    await index.put(meta, text, await documentOf(at(path), text), async () => undefined);
  }
  return index;
}

const TEXTS = {
  'plain.md':
    '# Shortcuts\n\nKeyboard shortcuts are set in the settings. A shortcut is a key, keys are many.\n'.repeat(
      4,
    ),
  'accents.md': 'Größe und Maß, größer: die Maße des Café. CAFÉS\r\nund Naïveté ﬁnden wir “hier”.',
  'japanese.md': '東京の人口は多い。大阪の人口は少ない。カタカナもある。',
  'korean.md': '서울에서 회의를 했다. 회의는 서울의 회의실에서 열렸다.',
  'thai.md': 'กรุงเทพมหานครเป็นเมืองหลวง และเมืองใหญ่',
  'far.md': `begin ${' '.repeat(40_000)} settings ${'-'.repeat(70_000)} keyboard`,
  'signs.md': 'a→b 🚀 keyboard🚀settings C++ x_y foo.bar decided decision decide chose',
  'empty.md': '',
};

const QUERIES = [
  'keyboard shortcut settings',
  'key',
  'maß größe café',
  'naivete finden',
  '東京の人口',
  '서울 회의',
  'เมืองหลวง',
  'decide choice',
  '🚀 keyboard',
  'nothing of this',
];

describe('places of words', () => {
  it('are the same by the index and by the text', async () => {
    const index = await indexOf(TEXTS);
    const sequences = new WordSequences(index);
    const options = { vocabulary: index.vocabulary, most: 1_000 };
    let compared = 0;
    for (const query of QUERIES) {
      const { words } = parseQuery(query, false).indexed;
      const weights = words.map(() => 1);
      const findIn = createSequenceFinder(
        words.map((word) => wordsLike(index, word)),
        index.vocabulary,
      );
      const find = createWordFinder(words, weights);
      for (const [path, text] of Object.entries(TEXTS)) {
        const folded = fold(text, SEARCH_FOLDING);
        const sequence = sequences.in(folded, index.numberOf(at(path))!);
        const found = findIn(sequence);
        const known = placesInText(sequence, found, folded, options);
        expect(known).toBeDefined();
        expect(find(text, folded, known)?.places).toEqual(find(text, folded)?.places);
        const inWords: { word: number; at: number }[] = [];
        createStemFinder(words, termOf)(
          text,
          (word, _, before) => inWords.push({ word, at: before }),
          folded,
        );
        expect(found.places).toEqual(placesOf(inWords));
        if (found.terms.length > 0)
          expect(placesInText(sequence, found, fold(`x${text}`, SEARCH_FOLDING), options)).toBeUndefined();
        compared += inWords.length;
      }
    }
    expect(compared).toBeGreaterThan(40);
  });

  it('are looked for in a text that is newer than the index', async () => {
    const filler = 'Of other things, and of others again. '.repeat(20);
    const old = `The keyboard and its settings. ${filler}`;
    const index = await indexOf({ 'a.md': old });
    const sequences = new WordSequences(index);
    sequences.in(fold(old, SEARCH_FOLDING), index.numberOf(at('a.md'))!);
    const store = openMemoryStore({ 'a.md': `${filler}\n\nThe settings of a keyboard.\n\n${filler}` });
    const reach = new Reach({ isFar: false, backoff: createBackoff({ firstMs: 1, longestMs: 1 }) });
    const library = {
      index,
      sequences,
      texts: new TextCache(store, reach),
      haystacks: new HaystackCache(),
      reach,
      pending: () => [],
      hopeless: () => [],
      undisturbed: <T>(search: () => Promise<T>) => search(),
    };
    const { hits } = await findNotes(library, { query: 'keyboard settings', limit: 5 });
    expect(hits[0]?.excerpt).toContain('The settings of a keyboard.');
    expect(hits[0]?.line).toBe(3);
  });
});
