import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NoteMeaning } from '../../src/search/meaning/note-meaning.ts';
import { silentLog } from '../../src/shared/log.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { at, openNotes, searchIn, searching } from './kit.ts';

const CARS = 'engine wheels garage tyres road fuel gearbox brakes mechanic dealer'.split(' ');
const BREAD = 'flour oven yeast dough crust kneading salt water loaf sourdough'.split(' ');

type Subject = 'car' | 'automobile' | 'bread' | 'baguette';
const SUBJECTS: readonly Subject[] = ['car', 'bread', 'automobile', 'baguette'];
const subjectOf = (path: string) => SUBJECTS[Number.parseInt(path, 36) % 4];

/** Notes about two things that have two names each; no note has both names of a thing. */
function library(notes = 120): Record<string, string> {
  const seed: Record<string, string> = {};
  for (let at = 0; at < notes; at++) {
    const words = at % 2 === 0 ? CARS : BREAD;
    const some = words.filter((_, i) => (Math.imul(at * 31 + i + 7, 0x9e3779b1) >>> 16) % 2 === 0);
    seed[`${at.toString(36)}.md`] = `The ${SUBJECTS[at % 4]}: ${some.join(', ')}.`;
  }
  return seed;
}

async function known(seed: Readonly<Record<string, string>> = library()) {
  const setup = await searchIn(seed);
  await setup.searcher.meaningKnown();
  return setup;
}

it('counts the more notes have taught it, and nothing when they are few', () => {
  const trustOf = (notes: number) =>
    new NoteMeaning({
      terms: { terms: new Uint32Array(0), bytes: new Int8Array(0), scales: new Float32Array(0) },
      notes: { bytes: new Int8Array(0), scales: new Float32Array(0) },
      counts: Uint32Array.of(notes, 0),
    }).trust;
  expect([40, 500, 750, 1_000, 20_000].map(trustOf)).toEqual([0, 0, 0.5, 1, 1]);
});

describe('the meaning of the notes', () => {
  it('finds a note by another word for the same thing', async () => {
    const { paths } = await known();
    const found = (await paths('automobile', { mode: 'meaning' })).map(subjectOf);
    expect(found[0]).toBe('automobile');
    expect(new Set(found)).toEqual(new Set(['automobile', 'car']));
  });

  it('finds no note without a word of the query unless it is asked for', async () => {
    const { paths } = await known();
    for (const mode of ['auto', 'words', undefined] as const)
      expect(new Set((await paths('automobile', { mode })).map(subjectOf))).toEqual(new Set(['automobile']));
  });

  it('comes after the note whose title is the query', async () => {
    const { paths } = await known({
      ...library(),
      'named/bread.md': `# Bread for [[Ana Ferreira|Ana]]\n\n${CARS.join(', ')}.`,
      'flour.md': `Bread for Ana, bread for Ana: ${BREAD.join(', ')}.`,
      'named/engine.md': `Engine of a car\n======\n\n${BREAD.join(', ')}.`,
      'wheels.md': `The engine of a car, an engine of a car: ${CARS.join(', ')}.`,
    });
    expect((await paths('bread for ana', { mode: 'meaning' }))[0]).toBe('named/bread.md');
    expect((await paths('engine of a car', { mode: 'meaning' }))[0]).toBe('named/engine.md');
  });

  it('gives the same answer each time it is learned', async () => {
    const [one, two] = [await known(), await known()];
    const scores = async ({ searcher }: typeof one) => {
      const { hits } = await searcher.search({ query: 'dough for a loaf', mode: 'meaning', limit: 100 });
      return Object.fromEntries(hits.map(({ path, score }) => [path, score]));
    };
    expect(await scores(one)).toEqual(await scores(two));
  });

  it('knows a note at once when it is written, changed and removed', async () => {
    const { paths, store } = await known();
    await store.write(at('new.md'), 'Gearbox and brakes, tyres and fuel, at the dealer.');
    expect(await paths('automobile', { mode: 'meaning' })).toContain('new.md');
    await store.write(at('new.md'), 'Yeast and dough, flour and a crust, in the oven.');
    expect(await paths('automobile', { mode: 'meaning' })).not.toContain('new.md');
    expect(await paths('baguette', { mode: 'meaning' })).toContain('new.md');
    await store.remove(at('new.md'));
    expect(await paths('baguette', { mode: 'meaning' })).not.toContain('new.md');
  });

  it('learns new words when enough notes have changed', async () => {
    const { paths, store, searcher } = await known();
    const words = 'violin cello bow strings sonata concert'.split(' ');
    for (let n = 0; n < 40; n++) {
      const some = words.filter((_, i) => (Math.imul(n * 31 + i + 7, 0x9e3779b1) >>> 16) % 2 === 0).join(' ');
      await store.write(at(`${1_000 + n}.md`), `${n % 2 === 0 ? 'fiddle' : 'viola'}: ${some}`);
    }
    await searcher.meaningKnown();
    const found = await paths('fiddle', { mode: 'meaning' });
    expect(found.some((path) => /1\d\d[13579]/.test(path))).toBe(true);
  });

  it('says so where there are too few notes, or where no note knows the words', async () => {
    const few = await searchIn({ 'a.md': 'alpha beta', 'b.md': 'beta gamma' });
    const warnings: string[] = [];
    const onWarning = (warning: string) => void warnings.push(warning);
    const request = { query: 'beta', limit: 5, mode: 'meaning' } as const;
    expect((await few.searcher.search(request, { onWarning })).total).toBe(2);
    expect(warnings.splice(0)).toEqual([
      '30 notes or more are needed to learn what words mean: found by words alone.',
    ]);
    const { searcher } = await known();
    await searcher.search({ ...request, query: 'zyzzyva' }, { onWarning });
    expect(warnings).toEqual(['None of these words stands in several notes: found by words alone.']);
  });

  it('never holds the event loop while it is learned', async () => {
    const { searcher } = await searchIn(library(1_500));
    await searcher.settled();
    let longest = 0;
    let last = performance.now();
    const beat = setInterval(() => {
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
    }, 1);
    await searcher.meaningKnown();
    clearInterval(beat);
    expect(longest).toBeLessThan(1_000);
  });
});

describe('the meaning beside the saved index', () => {
  async function saved() {
    const folder = await temporaryFolder(library(240));
    const snapshotFile = join(await temporaryFolder({}), 'index.bin');
    const open = async () => searching(await openNotes(folder), { snapshotFile });
    const first = await open();
    await first.searcher.meaningKnown();
    const found = await first.paths('automobile engine', { mode: 'meaning' });
    await first.searcher.close();
    return { folder, snapshotFile, open, found };
  }

  it('is there after a restart, without being learned again', async () => {
    const { folder, snapshotFile, found } = await saved();
    const { searcher, paths } = await searching(await openNotes(folder), {
      snapshotFile,
      learnTerms: () => {
        throw new Error('learned again');
      },
      log: silentLog,
    });
    await searcher.settled();
    expect(await paths('automobile engine', { mode: 'meaning' })).toEqual(found);
  });

  it('is learned again from the notes when the file is damaged', async () => {
    const { snapshotFile, open, found } = await saved();
    const bytes = await readFile(snapshotFile);
    bytes[Math.floor(bytes.length * 0.9)]! ^= 0xff;
    await writeFile(snapshotFile, bytes);
    const { searcher, paths } = await open();
    await searcher.meaningKnown();
    expect(await paths('automobile engine', { mode: 'meaning' })).toEqual(found);
  });
});

describe('exact search', () => {
  it('finds only notes that hold all words as they are written', async () => {
    const { paths } = await searchIn({
      'a.md': 'The runner runs in C++ and foo.bar.',
      'b.md': 'Running in category C, foo and bar.',
      'c.md': '日本語のノート',
      'd.md': '本日の語',
    });
    const exact = (query: string) => paths(query, { mode: 'exact' });
    expect(await exact('runs')).toEqual(['a.md']);
    expect(await exact('run')).toEqual([]);
    expect(await exact('cat')).toEqual([]);
    expect(await exact('C++')).toEqual(['a.md']);
    expect(await exact('foo.bar')).toEqual(['a.md']);
    expect(await exact('the foo')).toEqual(['a.md']);
    expect(await exact('Running, category?')).toEqual(['b.md']);
    expect(await exact('日本語')).toEqual(['c.md']);
    expect(await exact('runs category')).toEqual([]);
  });

  it('finds signs alone as they stand, before the notes are indexed and after', async () => {
    const { searcher, paths } = await searchIn({
      'rule.md': 'above\n\n***\n\nbelow',
      'spaced.md': 'above\n\n* * *\n\nbelow',
      'line.md': 'above\n\n---\n\nbelow ***',
      'question.md': 'Why?',
      'pause.md': 'Wait... (so)',
      'plain.md': 'nothing of the kind',
    });
    const expected = [
      ['***', ['line.md', 'rule.md']],
      ['* * *', ['spaced.md']],
      ['---', ['line.md']],
      ['"***" "---"', ['line.md']],
      ['?', ['question.md']],
      ['...', ['pause.md']],
      ['.', ['pause.md']],
      ['!', []],
      ['("', []],
    ] as const;
    const check = async () => {
      for (const [query, notes] of expected)
        expect([query, (await paths(query, { mode: 'exact' })).sort()]).toEqual([query, notes]);
    };
    await check();
    await searcher.settled();
    await check();
  });

  it('finds the same before the notes are indexed and after, names included', async () => {
    const { searcher, paths, store } = await searchIn({
      'a.md': 'planned',
      'b.md': 'plan',
      'log/2026-10-19 co-op.md': 'bread',
    });
    const found = async () => ({
      plan: await paths('plan', { mode: 'exact' }),
      named: await paths('2026-10-19 co-op bread', { mode: 'exact' }),
    });
    const expected = { plan: ['b.md'], named: ['log/2026-10-19 co-op.md'] };
    expect(await found()).toEqual(expected);
    await searcher.settled();
    expect(await found()).toEqual(expected);
    await store.write(at('c.md'), 'plans');
    expect(await paths('plan', { mode: 'exact' })).toEqual(['b.md']);
  });
});
