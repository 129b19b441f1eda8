import { describe, expect, it } from 'vitest';
import { openLibrary } from '../../src/brain/retrieve/library.ts';
import { openRetriever } from '../../src/brain/retrieve/retriever.ts';
import { putFile } from '../kit/temp.ts';
import { ask, brokenSource, pathsOf, sourceOf } from './kit.ts';

const NOTES = {
  'work/database.md':
    '---\ntags: [architecture, work]\n---\n# Storage\n\nWe decided on PostgreSQL as the database of the ledger.\n\n## Backup\n\nEvery night to the second site.\n',
  'work/meeting.md':
    '# Meeting\n\nWhat did we say about what we did? We did it, and that is what we did about it.\n',
  'home/garden.txt': 'The tomatoes want water every morning. #garden\n',
  'home/image.png': new Uint8Array([1, 2, 3]),
};

it('counts the words of a path for what stands in the note', async () => {
  const notes = {
    'decisions/0007-database.md': '# Use PostgreSQL\n\nIt is known to the team and has good backups.\n',
    'decisions/0008-editor.md': '# Use vim\n\nIt is known to the team.\n',
    'staging.md': '# Staging\n\nThe machine has 40 GB left.\n',
  };
  const found = await ask([await sourceOf(notes)], 'which database is known to the team?');
  expect(pathsOf(found)[0]).toBe('decisions/0007-database.md');
  expect(found.passages[0]?.coverage).toBe(1);
  expect(found.passages[1]?.coverage).toBeLessThan(1);
});

it('finds the passages of what the index finds by the beginnings of words alone', async () => {
  const notes = {
    'dacha.md': '# Дача\n\nКолодец глубиной 12 метров, насос куплен в мае.\n',
    'other.md': 'Цепь поменять в апреле.',
  };
  const found = await ask([await sourceOf(notes)], 'Какая глубина колодца?');
  expect(pathsOf(found)).toEqual(['dacha.md']);
});

describe('a library of one notebook', () => {
  it('shows its text notes in path order, with tags', async () => {
    const library = openLibrary([await sourceOf(NOTES)]);
    expect((await library.notes({})).map(({ sourcePath, tags }) => [sourcePath, tags])).toEqual([
      ['home/garden.txt', ['garden']],
      ['work/database.md', ['architecture', 'work']],
      ['work/meeting.md', []],
    ]);
  });

  it('narrows by folder, tags and time', async () => {
    const library = openLibrary([await sourceOf(NOTES)]);
    const paths = async (scope: Parameters<typeof library.notes>[0]) =>
      (await library.notes(scope)).map(({ sourcePath }) => sourcePath);
    expect(await paths({ pathPrefix: 'work/' })).toEqual(['work/database.md', 'work/meeting.md']);
    expect(await paths({ pathPrefix: 'wor' })).toEqual([]);
    expect(await paths({ tags: ['#Work', 'architecture'] })).toEqual(['work/database.md']);
    expect(await paths({ tags: ['work', 'garden'] })).toEqual([]);
    expect(await paths({ since: Date.now() + 60_000 })).toEqual([]);
    expect(await paths({ until: Date.now() + 60_000 })).toHaveLength(3);
  });

  it('reads a note with title and tags, and says what a missing one may be', async () => {
    const library = openLibrary([await sourceOf(NOTES)]);
    expect(await library.read('work/database.md')).toMatchObject({
      title: 'Storage',
      tags: ['architecture', 'work'],
    });
    await expect(library.read('work/databse.md')).rejects.toMatchObject({
      code: 'not_found',
      hint: 'Did you mean work/database.md?',
    });
    await expect(library.read('home/image.png')).rejects.toMatchObject({ code: 'not_found' });
    await expect(library.read('../etc/passwd')).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('a library of several notebooks', () => {
  it('puts the name of its notebook before each path', async () => {
    const library = openLibrary([
      await sourceOf({ 'a.md': 'a' }, 'one'),
      await sourceOf({ 'a.md': 'b' }, 'two'),
    ]);
    expect((await library.notes({})).map(({ sourcePath }) => sourcePath)).toEqual(['one/a.md', 'two/a.md']);
    expect((await library.notes({ pathPrefix: 'two' })).map(({ sourcePath }) => sourcePath)).toEqual([
      'two/a.md',
    ]);
    expect((await library.read('two/a.md')).text).toBe('b');
    await expect(library.read('three/a.md')).rejects.toMatchObject({
      code: 'not_found',
      hint: 'Begin the path with the name of a notebook: one, two.',
    });
  });

  it('does not hide the others when one cannot be reached, and says so', async () => {
    const library = openLibrary([await sourceOf({ 'a.md': 'a' }, 'one'), brokenSource('two')]);
    const warnings: string[] = [];
    const notes = await library.notes({}, { onWarning: (warning) => warnings.push(warning) });
    expect(notes).toHaveLength(1);
    expect(warnings).toEqual(['The notebook "two" is left out: it could not be read.']);
    await expect(openLibrary([brokenSource('two')]).notes({})).rejects.toThrow('unreachable');
  });
});

describe('retrieval by words', () => {
  it('finds by the words that carry the meaning of a question', async () => {
    const source = await sourceOf(NOTES);
    const found = await ask([source], 'what did we decide about the database?');
    expect(found.passages[0]?.passage).toMatchObject({ sourcePath: 'work/database.md', anchor: 'Storage' });
    expect(found.passages[0]?.coverage).toBe(1);
    expect(pathsOf(found)).not.toContain('work/meeting.md');
    expect(found).toMatchObject({ modeUsed: 'keyword', total: 1, warnings: [] });
  });

  it('still answers a question of stop words alone', async () => {
    expect(pathsOf(await ask([await sourceOf(NOTES)], 'what did we do'))).toContain('work/meeting.md');
  });

  it('says how much of the question stands in each passage', async () => {
    const found = await ask([await sourceOf(NOTES)], 'postgresql kubernetes helicopter licence');
    expect(found.passages[0]?.coverage).toBe(0.25);
  });

  it('has scores from 0 to 1, best first', async () => {
    const { passages } = await ask([await sourceOf(NOTES)], 'postgresql backup every night morning water');
    const scores = passages.map(({ score }) => score);
    expect(scores).toHaveLength(2);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    for (const score of scores) expect(score > 0 && score <= 1).toBe(true);
  });

  it('narrows by folder, tags and time', async () => {
    const source = await sourceOf(NOTES);
    const paths = async (scope: Parameters<typeof ask>[2]) => pathsOf(await ask([source], 'every', scope));
    expect(await paths({})).toHaveLength(2);
    expect(await paths({ scope: { pathPrefix: 'home' } })).toEqual(['home/garden.txt']);
    expect(await paths({ scope: { tags: ['work', 'architecture'] } })).toEqual(['work/database.md']);
    expect(await paths({ scope: { since: Date.now() + 60_000 } })).toEqual([]);
    await expect(ask([source], 'every', { scope: { pathPrefix: '../x' } })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });

  it('ranks the passages of several notebooks together', async () => {
    const filler = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [`f${at}.md`, `entry ${at} about cheese\n`]),
    );
    const one = await sourceOf({ ...filler, 'x.md': 'cheese\n' }, 'one');
    const two = await sourceOf({ 'y.md': '# Cheese makers\n\nThe cheese makers of the valley.\n' }, 'two');
    const found = await ask([one, two], 'cheese makers of the valley');
    expect(found.passages[0]?.passage.sourcePath).toBe('two/y.md');
    expect(found.total).toBe(32);
    expect(
      pathsOf(await ask([one, two], 'cheese', { scope: { pathPrefix: 'one' }, limit: 50 })).every((path) =>
        path.startsWith('one/'),
      ),
    ).toBe(true);
    const nowhere = await ask([one, two], 'cheese', { scope: { pathPrefix: 'three' } });
    expect(nowhere).toMatchObject({ passages: [], total: 0 });
    expect(nowhere.warnings).toEqual(['No notebook has notes under "three". The notebooks are: one, two.']);
  });

  it('warns of a notebook that cannot be reached', async () => {
    const found = await ask([await sourceOf(NOTES, 'one'), brokenSource('two')], 'tomatoes');
    expect(pathsOf(found)).toEqual(['one/home/garden.txt']);
    expect(found.warnings).toEqual(['The notebook "two" is left out: it could not be read.']);
  });

  it('shows what stands in a note now, not what stood there', async () => {
    const source = await sourceOf(NOTES);
    const retriever = openRetriever({ sources: [source] });
    const look = () => retriever.retrieve({ query: 'tomatoes', limit: 5, mode: 'keyword', scope: {} });
    expect((await look()).passages[0]?.passage.lineStart).toBe(1);
    await putFile(source.folder, 'home/garden.txt', 'New line.\n\nThe tomatoes want shade.\n');
    await expect.poll(async () => (await look()).passages[0]?.passage.text).toContain('want shade');
  });

  it('stops when it is cancelled', async () => {
    const source = await sourceOf(NOTES);
    const asked = openRetriever({ sources: [source] }).retrieve(
      { query: 'tomatoes', limit: 5, mode: 'keyword', scope: {} },
      { signal: AbortSignal.abort(new Error('enough')) },
    );
    await expect(asked).rejects.toThrow('enough');
  });

  it('lets no note fill the page alone', async () => {
    const many = Array.from(
      { length: 12 },
      (_, at) => `## Part ${at}\n\n${'the harbour '.repeat(40)}\n`,
    ).join('\n');
    const source = await sourceOf({
      'many.md': many,
      'one.md': 'A harbour by the sea.\n',
      'two.md': 'Old harbour.\n',
    });
    expect(pathsOf(await ask([source], 'harbour', { limit: 6 })).sort()).toEqual([
      'many.md',
      'one.md',
      'two.md',
    ]);
  });
});
