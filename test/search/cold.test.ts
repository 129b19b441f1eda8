/** The first searches come before the notes are indexed: what they find must be what the finished index finds. */
import { describe, expect, it } from 'vitest';
import type { SearchHit } from '../../src/notes/searcher.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { QuerySlice } from '../../src/search/query/query-slice.ts';
import type { IndexWorker } from '../../src/search/sync/index-worker.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { at, type SearchSetup, searching } from './kit.ts';

/** A few more than those for which a worker is started. */
const COUNT = 2_050;
const SENTENCES = [
  'The lighthouse keeper climbs the stairs every evening.',
  'Der Leuchtturmwärter steigt jeden Abend die Straße hinauf.',
  'Le gardien du phare monte les escaliers chaque soirée, à côté du café.',
  'El farero sube las escaleras y canta canciones en español.',
  'Смотритель маяка поднимается по лестнице каждый вечер.',
  'يصعد حارس المنارة الدرج كل مساء.',
  '灯台守は毎晩階段を上る。東京の灯台。',
  '등대지기는 매일 저녁 계단을 오른다.',
  'ผู้ดูแลประภาคารขึ้นบันไดทุกเย็น',
  'Cities and a city: they chose, have chosen and will choose.',
];

function manyNotes(): Record<string, string> {
  const notes = Object.fromEntries(
    Array.from({ length: COUNT }, (_, i) => [
      `topic ${i % 9}/note ${i}.md`,
      `---\ntitle: Entry ${i}\ntags: [t${i % 7}]\n---\n# Heading ${i % 31}\n\n${SENTENCES[i % SENTENCES.length]} own${i}x ${'p '.repeat(i / 10)}\n`,
    ]),
  );
  return {
    ...notes,
    'empty.md': '',
    'bom.md': '\uFEFF# Zephyr\n\nA byte order mark before a zephyrquagga.',
    'giant.md': `# Giant\n\n${'filler words of no use here '.repeat(12_000)} zephyrquagga lighthouse`,
    'run.md': `# Run\n\n${'q'.repeat(400)}lighthouse${'q'.repeat(400)}`,
    'amber keeper.md': 'Nothing but its name.',
    'alias.md': '---\naliases: [Ümber Kéeper]\n---\nAn alias.',
    'decomposed.md': 'cafe\u0301 au lait',
    'upper.md': 'THE LIGHTHOUSE KEEPER AND THE CAFÉ',
  };
}

/** Looks through the notes of a store as the threads do. */
function worker(store: NoteStore, meanwhile: () => Promise<void> = async () => {}): IndexWorker {
  return {
    threads: 1,
    free: 1,
    index: async () => undefined,
    slice: async (notes, words) => {
      await meanwhile();
      const slice = new QuerySlice(words);
      const unread: number[] = [];
      for (const [row, meta] of notes.entries()) {
        try {
          await slice.add(row, meta, (await store.read(meta.path)).bytes);
        } catch {
          unread.push(row);
        }
      }
      return { ...slice.pack(), unread };
    },
    end: () => {},
  };
}

async function opened(
  texts: Record<string, string | Uint8Array>,
  meanwhile?: (notes: SearchSetup) => Promise<void>,
) {
  let time = 0;
  const store = openMemoryStore({}, () => ++time);
  for (const [path, text] of Object.entries(texts)) await store.write(at(path), text as string);
  let during = async () => {};
  const notes = await searching(store, { startWorker: async () => worker(store, () => during()) });
  if (meanwhile) during = () => meanwhile(notes);
  return notes;
}

/** The scores of a question have parts that only the whole index gives: they may move the last of many hits. */
function shown(hits: readonly SearchHit[]) {
  return hits.slice(0, 10).map(({ score: _, ...hit }) => hit);
}

describe('a search before the notes are indexed', () => {
  it('finds, ranks and shows what the finished index does', async () => {
    const texts = { ...manyNotes(), 'broken.md': Buffer.from([0xff, 0xfe, 0x41, 0x6c]) };
    const cold = await opened(texts);
    const warm = await opened(texts);
    await warm.searcher.settled();
    const queries = [
      'zephyrquagga',
      'phyrquag',
      'amber keeper',
      'umber keeper',
      'lighthouse keeper',
      '"lighthouse keeper"',
      'cafe',
      'café',
      'strasse',
      'city',
      'choice',
      'маяка',
      'المنارة',
      '灯台',
      '등대지기',
      'ประภาคาร',
      'own1234x',
      'broken',
      't3',
      'heading 12',
    ];
    const requests = queries.map((query) => ({ query, limit: 20, withHeadings: true }));
    const early = await Promise.all(
      requests.map(async (request) => {
        const warnings: string[] = [];
        const answer = await cold.searcher.search(request, { onWarning: (said) => warnings.push(said) });
        return { ...answer, warnings };
      }),
    );
    for (const [place, request] of requests.entries()) {
      const { query } = request;
      const first = early[place]!;
      const later = await warm.searcher.search(request);
      expect(first.warnings, query).toEqual([expect.stringContaining('still being indexed')]);
      expect(first.total, query).toBe(later.total);
      expect(later.total, query).toBeGreaterThan(0);
      expect(shown(first.hits), query).toEqual(shown(later.hits));
    }
  });

  it('sees what changes meanwhile, and no note twice', async () => {
    const texts = manyNotes();
    let hasChanged = false;
    const notes = await opened(texts, async ({ store }) => {
      if (hasChanged) return;
      hasChanged = true;
      await store.write(at('topic 1/note 1.md'), 'a zephyrquagga of late');
      await store.write(at('new.md'), 'a new zephyrquagga');
      await store.remove(at('bom.md'));
    });
    const { hits, total } = await notes.searcher.search({ query: 'zephyrquagga', limit: 20 });
    expect(hasChanged).toBe(true);
    const paths = hits.map(({ path }) => path);
    expect(new Set(paths).size).toBe(paths.length);
    expect(paths).toContain('giant.md');
    expect(paths).not.toContain('bom.md');
    expect(total).toBeGreaterThan(0);
    await notes.searcher.settled();
    expect((await notes.paths('zephyrquagga')).sort()).toEqual(['giant.md', 'new.md', 'topic 1/note 1.md']);
  });

  it('answers other searches and knows words while the worker is silent', async () => {
    let release = () => {};
    const silence = new Promise<void>((resolve) => {
      release = resolve;
    });
    const notes = await opened(manyNotes(), () => silence);
    const slow = notes.searcher.search({ query: 'lighthouse keeper', limit: 5 });
    const read = await notes.store.read(at('upper.md'));
    expect(Buffer.from(read.bytes).toString()).toContain('LIGHTHOUSE');
    release();
    expect((await slow).hits).toHaveLength(5);
    const { notes: count, holders } = await notes.searcher.wordUse(['zephyrquagga', 'nowhere']);
    expect([count, ...holders]).toEqual([Object.keys(manyNotes()).length, 2, 0]);
  });

  it('is scanned once; searches after it wait for the index', async () => {
    const notes = await opened(manyNotes());
    const warnings: string[] = [];
    const onWarning = (said: string) => warnings.push(said);
    await notes.searcher.search({ query: 'zephyrquagga', limit: 5 }, { onWarning });
    expect(warnings).toEqual([expect.stringContaining('still being indexed')]);
    await notes.searcher.search({ query: 'lighthouse', limit: 5 }, { onWarning });
    expect(warnings).toHaveLength(1);
    expect(notes.searcher.status().pending).toBe(0);
  });

  it('goes on alone when the worker fails, and finds similar words once the index knows them', async () => {
    const store = openMemoryStore(manyNotes());
    const notes = await searching(store, {
      startWorker: async () => ({ ...worker(store), slice: async () => undefined }),
    });
    expect((await notes.paths('zephyrquagga')).sort()).toEqual(['bom.md', 'giant.md']);
    const other = await searching(store, {
      startWorker: async () => {
        throw new Error('no thread');
      },
    });
    expect(await other.paths('zephirquagga')).toContain('bom.md');
  });
});
