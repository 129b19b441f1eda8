/** Which note comes first, while the notes are still being indexed and when they are: the answers are the same. */
import { describe, expect, it } from 'vitest';
import type { SearchRequest } from '../../src/notes/searcher.ts';
import { createBackoff } from '../../src/search/failed-reads.ts';
import { NoteIndex } from '../../src/search/index/note-index.ts';
import { WordSequences } from '../../src/search/index/word-sequences.ts';
import { findNotes } from '../../src/search/query/find.ts';
import { HaystackCache } from '../../src/search/query/occurrences.ts';
import { TextCache } from '../../src/search/query/text-cache.ts';
import { Reach } from '../../src/search/reach.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { at, searchIn, searching } from './kit.ts';

type Paths = (query: string) => Promise<string[]>;

/** Runs the check on notes of which none is indexed yet when the query comes, and on indexed ones. */
async function always(notes: Record<string, string>, check: (paths: Paths) => Promise<void>): Promise<void> {
  await check(pathsAmongPending(notes));
  const { searcher, paths } = await searchIn(notes);
  searcher.start();
  await searcher.settled();
  expect(searcher.status()).toMatchObject({ pending: 0 });
  await check(paths);
}

/** A search over an index that is still empty. */
function pathsAmongPending(notes: Record<string, string>): Paths {
  const store = openMemoryStore(notes);
  const reach = new Reach({ isFar: false, backoff: createBackoff({ firstMs: 1, longestMs: 1 }) });
  const pending = Object.entries(notes).map(([path, text]) => ({
    path: at(path),
    size: text.length,
    lastModified: 0,
  }));
  const index = new NoteIndex();
  const library = {
    index,
    sequences: new WordSequences(index),
    texts: new TextCache(store, reach),
    haystacks: new HaystackCache(),
    reach,
    pending: () => pending,
    hopeless: () => [],
    undisturbed: <T>(search: () => Promise<T>) => search(),
  };
  return async (query) => (await findNotes(library, { query, limit: 100 })).hits.map(({ path }) => path);
}

const many = (text: (n: number) => string, count = 40) =>
  Object.fromEntries(Array.from({ length: count }, (_, n) => [`many/${n}.md`, text(n)]));

describe('the name of a note', () => {
  const notes = {
    ...many((n) => `# Log ${n}\n\n${'The weekly plan, plan, plan of the week. '.repeat(5)}`),
    'a/Weekly plan.md': 'Nothing here yet.',
    'b/roadmap.md': '---\naliases: [Big picture]\n---\nWhere we go.',
    'c/pictures.md': 'big picture, big picture, big picture, big picture',
    'd/the.md': '# The who\n\nA band.',
    'e/porto.md': '# Trip with [[Ana Ferreira|Ana]]\n\nWe went to Porto.',
    'e/trips.md': 'A trip with Ana, and again a trip with Ana: each trip with Ana was long.',
    'f/code.md': '# The `serve` command of [Quire](https://example.org)\n\nIt listens.',
    'f/commands.md': 'The serve command of Quire, the serve command of Quire.',
    'g/underlined.md': 'Harbour\nwalk\n=======\n\nAlong the water.',
    'g/walks.md': 'The harbour walk, a harbour walk and one more harbour walk.',
  };

  it('that is the query brings it to the top', () =>
    always(notes, async (paths) => {
      expect((await paths('weekly plan'))[0]).toBe('a/Weekly plan.md');
      expect((await paths('WEEKLY PLAN'))[0]).toBe('a/Weekly plan.md');
      expect((await paths('big picture'))[0]).toBe('b/roadmap.md');
      expect((await paths('the who'))[0]).toBe('d/the.md');
      expect((await paths('pictures'))[0]).toBe('c/pictures.md');
    }));

  it('that is read as the query brings it to the top, whatever markup it is written with', () =>
    always(notes, async (paths) => {
      for (const query of ['trip with ana', '"Trip with Ana"', 'Trip with [[Ana Ferreira|Ana]]'])
        expect([query, (await paths(query))[0]]).toEqual([query, 'e/porto.md']);
      expect((await paths('the serve command of quire'))[0]).toBe('f/code.md');
    }));

  it('that is underlined is one, too', () =>
    always(notes, async (paths) => {
      expect((await paths('harbour walk'))[0]).toBe('g/underlined.md');
    }));
});

describe('the words of a question', () => {
  it('count without those that hold every sentence together', () =>
    always(
      {
        ...many((n) => `What is this and what was that of the ${n}? It is what it is.`),
        'wind.md': 'An anemometer measures the speed of wind.',
      },
      async (paths) => {
        expect(await paths('What is the speed of the wind?')).toEqual(['wind.md']);
        // A query of such words alone looks for them.
        expect(await paths('what it is')).toHaveLength(40);
      },
    ));

  it('count more when it has them more than once', () =>
    always(
      {
        'salt.md': 'How salt came to the coast of the north.',
        'silk.md': 'How silk came to the coast of the north.',
      },
      async (paths) => {
        expect((await paths('Salt trade, silk trade: where did silk go?'))[0]).toBe('silk.md');
        expect((await paths('Salt trade, silk trade: where did salt go?'))[0]).toBe('salt.md');
      },
    ));

  it('count more where they stand together', () => {
    const filler = 'Lorem ipsum dolor sit amet consectetur. '.repeat(40);
    return always(
      {
        'apart.md': `The speed of a train.${filler}Pressure of work. ${filler}The wind blew. ${filler}An instrument of music.`,
        'together.md': `${filler}${filler} An instrument for the speed and pressure of wind. ${filler}${filler}`,
        ...many((n) => `${filler} ${n}`, 10),
      },
      async (paths) => {
        expect((await paths('instrument that measures the speed and pressure of wind'))[0]).toBe(
          'together.md',
        );
      },
    );
  });

  it('are found in their irregular forms', () =>
    always({ 'a.md': 'She wrote the report in May.', 'b.md': 'A bicycle.' }, async (paths) => {
      expect(await paths('who writes reports')).toEqual(['a.md']);
    }));
});

describe('languages', () => {
  const filler = { 'x.md': 'Something else.', 'y.md': 'Otra cosa. Другое. 다른 것. 別のこと。' };

  it.each([
    ['Spanish', 'trabajadores de la fábrica', 'Un trabajador entró en la fabrica.'],
    ['Russian', 'студенты университетов', 'Студентка учится в университете.'],
    ['Turkish', 'üniversitelerin bütçeleri', 'Üniversite bütçesi açıklandı.'],
    ['Korean', '한국의 수도', '서울은 한국에 있는 수도이다.'],
    ['Japanese', '東京の人口', '人口が多い都市は東京です。'],
    ['Thai', 'เมืองหลวงของประเทศไทย', 'กรุงเทพเป็นเมืองหลวง'],
  ])('%s: a word is found in another form', (_, query, text) =>
    always({ ...filler, 'a.md': text }, async (paths) => {
      expect((await paths(query))[0]).toBe('a.md');
    }),
  );

  it('in scripts without spaces, characters side by side count more than the same ones apart', () =>
    always(
      { 'apart.md': '東の京。京の東。東。京。', 'together.md': '昨日、東京へ行きました。' },
      async (paths) => {
        expect((await paths('東京へ旅行'))[0]).toBe('together.md');
      },
    ));

  it('a single word does not find words that only begin alike', () =>
    always({ 'a.md': 'The internet.', 'b.md': 'An international call.' }, async (paths) => {
      expect(await paths('internet')).toEqual(['a.md']);
    }));
});

const WITHOUT_PHRASES = 'No note has the quoted words as they are quoted; these have some of them.';

describe('a quoted phrase', () => {
  const notes = {
    'a.md': 'The Name of the Rose is a book.',
    'b.md': 'A rose by any other name.',
    'c.md': 'Umberto Eco wrote about a rose.',
  };

  it('is wanted as it is quoted', () =>
    always(notes, async (paths) => {
      expect(await paths('"name of the rose"')).toEqual(['a.md']);
    }));

  it('may stand in the name of a note alone', () =>
    always({ ...notes, 'plans/Name of the Rose.md': 'To read.' }, async (paths) => {
      expect((await paths('"name of the rose"')).toSorted()).toEqual(['a.md', 'plans/Name of the Rose.md']);
      expect((await paths('"Name of the Rose"'))[0]).toBe('plans/Name of the Rose.md');
    }));

  it('within a sentence that tells enough without it keeps out no note that lacks it', async () => {
    const poets = {
      'poe.md': 'What sets the poetry of Poe apart is its similarity to a spell.',
      'raven.md': 'A raven and the raven: birds of the north.',
      'trap.md': 'Whoever sells works of art, the raven included, must have a licence.',
    };
    const question = 'What similarity is there in the poetry of Poe (excluding "The Raven")?';
    await always(poets, async (paths) => {
      expect((await paths(question))[0]).toBe('poe.md');
      expect(await paths('Poe "the raven"')).not.toContain('poe.md');
    });
    const { paths } = await searchIn(poets);
    const only = 'poetry similarity spell "the raven"';
    expect(await paths(only)).toContain('poe.md');
    expect(await paths(only, { caseSensitive: true })).not.toContain('poe.md');
    expect(await paths(only, { mode: 'exact' })).toEqual([]);
  });

  it('within a sentence lifts the note that has it as it is quoted', () =>
    always(
      {
        'rose.md':
          'Who in the family likes which book: The Name of the Rose is the one that grandmother read.',
        'far.md': `The name of the family is on the door. ${'Nothing else is told here. '.repeat(30)} A rose in a book.`,
      },
      async (paths) => {
        expect((await paths('Which book of the family is "The Name of the Rose" then?'))[0]).toBe('rose.md');
      },
    ));

  it('of one telling word is found as it stands in whatever note, and the best of many come first', async () => {
    const long = 'Something else is told here at some length, to rank low. '.repeat(20);
    const { searcher, paths } = await searchIn({
      ...many((n) => `The lantern, ${n}: a lantern by night, by day the one lantern.`, 600),
      'low/accents.md': `${long} Bÿ thé Lantern – “so” it was. ${long}`,
      'low/plain.md': `${long} BY THE LANTERN it was. ${long}`,
    });
    searcher.start();
    await searcher.settled();
    const first = await paths('by the lantern', { limit: 10 });
    expect(first.slice(0, 2).sort()).toEqual(['low/accents.md', 'low/plain.md']);
    const [all, page] = [
      await paths('the lantern', { limit: 700 }),
      await paths('the lantern', { limit: 10 }),
    ];
    expect(page).toEqual(all.slice(0, 10));
    expect(await paths('the lantern', { limit: 10, offset: 10 })).toEqual(all.slice(10, 20));
  });

  it('is looked for only in notes with all its words, the outer ones perhaps inside others', async () => {
    const store = openMemoryStore({
      ...many((n) => `An event, ${n}.`, 100),
      'loops.md': 'Loop after loop.',
      'both.md': 'A loop and an event.',
      'found.md': 'Locks prevent loops here.',
      'accent.md': 'The évent  Loop.',
      'spaced.md': 'The event\nloop.',
    });
    const read: string[] = [];
    const { searcher, paths } = await searching({
      ...store,
      read: (path) => {
        read.push(path);
        return store.read(path);
      },
    });
    searcher.start();
    await searcher.settled();
    read.length = 0;
    const found = await paths('"event loop"');
    expect(found).toContain('found.md');
    expect(found).not.toContain('both.md');
    expect(new Set(read)).toEqual(new Set(['both.md', 'found.md', 'accent.md', 'spaced.md']));
    expect(await paths('"event loops"', { caseSensitive: true })).toEqual(['found.md']);
  });

  it('that no note has gives way to its words, and the answer says so', async () => {
    await always(notes, async (paths) => {
      expect((await paths('Who wrote "The Roses of Eco"?'))[0]).toBe('c.md');
      expect(await paths('"rosary"')).toEqual([]);
    });
    const { searcher } = await searchIn(notes);
    const warnings: string[] = [];
    const onWarning = (warning: string) => void warnings.push(warning);
    await searcher.search({ query: 'Who wrote "The Roses of Eco"?', limit: 5 }, { onWarning });
    expect(warnings).toEqual([WITHOUT_PHRASES]);
    await searcher.search({ query: '"name of the rose"', limit: 5 }, { onWarning });
    expect(warnings).toHaveLength(1);
  });

  it('gives way to its words also when only one of them tells what is looked for', async () => {
    const { searcher } = await searchIn({
      'office.md': 'A minister answered, and said yes.',
      'bye.md': 'Bye to all.',
      'other.md': 'Nothing of the kind.',
    });
    const answerTo = async (request: Pick<SearchRequest, 'query' | 'mode'>) => {
      const warnings: string[] = [];
      const onWarning = (warning: string) => void warnings.push(warning);
      const { hits } = await searcher.search({ ...request, limit: 1 }, { onWarning });
      return [...hits.map(({ path }) => path), ...warnings];
    };
    for (const mode of ['auto', 'words', 'exact'] as const) {
      expect(await answerTo({ query: '"Yes Minister"', mode })).toEqual(['office.md', WITHOUT_PHRASES]);
      expect(await answerTo({ query: '"bye bye"', mode })).toEqual(['bye.md', WITHOUT_PHRASES]);
    }
    expect(await answerTo({ query: 'minister "once"' })).toEqual(['office.md', WITHOUT_PHRASES]);
    expect(await answerTo({ query: '"ministers"' })).toEqual([]);
  });
});
