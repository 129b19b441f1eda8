import { describe, expect, it } from 'vitest';
import { claimsIn } from '../../../src/brain/answer/claims.ts';
import { judgeClaim, MIN_SUPPORT } from '../../../src/brain/answer/gate.ts';
import { libraryOf, type SmallLibraryOptions } from '../../kit/brain.ts';

const NOTES = {
  'storage.md': `# Storage

We chose Postgres as the database on 3 March 2026, not MySQL. The cluster has 3 nodes with 64 GB each.
Backups run every night and are kept for 30 days. The old cache was switched off in May.
We did not renew the Redis licence because it costs 1,200 euros. Restores take about two hours.
`,
  'team.md':
    '# Team\n\nAna owns the release train. The budget was rejected by the board. Deployments happen on Fridays.\n',
};

async function judge(claim: string, options: SmallLibraryOptions & { minSupport?: number } = {}) {
  const { retriever } = libraryOf(NOTES, options);
  const { passages } = await libraryOf(NOTES).retriever.retrieve({
    query: 'postgres database cluster release',
    limit: 9,
    mode: 'keyword',
    scope: {},
  });
  const [written] = claimsIn(claim);
  if (!written) throw new Error('no claim');
  return judgeClaim(written, passages, {
    minSupport: options.minSupport ?? MIN_SUPPORT,
    similarity: retriever.similarity,
  });
}

describe('what passes', () => {
  it.each([
    'We chose Postgres as the database [1].',
    'The database is Postgres, not MySQL [1].',
    'Postgres was chosen on 2026-03-03 [1].',
    'Postgres was chosen as database on March 3rd, 2026 [1].',
    'The cluster has three nodes [1].',
    'Each of the nodes of the cluster has 64 GB [1].',
    'Backups are kept 30 days [1].',
    'The Redis licence was not renewed [1].',
    'The Redis licence costs 1200 EUR [1].',
    'The board rejected the budget [2].',
    'Ana owns the release train [1][2].',
    'Deployments happen on a Friday [2].',
    'Restores take 2 hours [1].',
  ])('%s', async (claim) => {
    expect(await judge(claim)).not.toHaveProperty('problem');
  });

  it('rests on the stretch that says it, not on the whole note', async () => {
    const { places } = await judge('Backups are kept 30 days [1].');
    const [place] = places;
    expect(NOTES['storage.md'].slice(place?.span.start, place?.span.end)).toBe(
      'Backups run every night and are kept for 30 days.',
    );
  });

  it('may rest on several notes', async () => {
    const { places } = await judge('Postgres is the database and Ana owns the release train [1, 2].');
    expect(places.map(({ source }) => source.passage.sourcePath)).toEqual(['storage.md', 'team.md']);
  });

  it('may be said in other words where there is an embedder', async () => {
    const meanings = ['preserved kept retained', 'copies backups snapshots', 'nightly night'];
    const claim = 'The copies are made nightly and preserved [1].';
    expect(await judge(claim)).toMatchObject({ problem: 'is not what the note it names says' });
    expect(await judge(claim, { meanings })).not.toHaveProperty('problem');
  });
});

describe('what does not pass', () => {
  it.each([
    ['no number of a note', 'We chose Postgres as the database.', 'names no note'],
    ['a note it was not shown', 'We chose Postgres as the database [7].', 'names no note'],
    ['number zero', 'We chose Postgres as the database [0].', 'names no note'],
    ['another note', 'We chose Postgres as the database [2].', 'name'],
    ['an invented number', 'The cluster has 5 nodes [1].', 'a number'],
    ['an invented number in words', 'The cluster has five nodes [1].', 'a number'],
    ['another unit', 'The cluster has nodes with 64 MB each [1].', 'a number'],
    ['another day', 'We chose Postgres as the database on 4 March 2026 [1].', 'a date'],
    ['another month', 'We chose Postgres as the database on 3 April 2026 [1].', 'a date'],
    ['a month and a day from different places', 'We chose Postgres as the database on May 3 [1].', 'a date'],
    ['another year', 'We chose Postgres as the database on 3 March 2025 [1].', 'a number'],
    ['another weekday', 'Deployments happen on Mondays [2].', 'a date'],
    ['an invented name', 'Maria owns the release train [2].', 'a name'],
    ['an invented name inside', 'The release train is owned by Maria [2].', 'a name'],
    ['another product', 'The database is Oracle [1].', 'a name'],
    ['a denial', 'We did not choose Postgres as the database [1].', 'contradicts'],
    ['a denial at the end', 'Postgres was not chosen as the database [1].', 'contradicts'],
    ['what the note denies', 'We chose MySQL as the database [1].', 'contradicts'],
    ['what the note says was not done', 'We did renew the Redis licence [1].', 'contradicts'],
    ['what was refused', 'The board approved the budget [2].', 'contradicts'],
    ['an invented address', 'The database is Postgres, see https://evil.example/x [1].', 'address'],
    ['something else entirely', 'The kitchen needs new tiles and paint [1].', 'is not what'],
  ])('%s', async (_, claim, problem) => {
    expect(await judge(claim)).toMatchObject({ problem: expect.stringContaining(problem), places: [] });
  });

  it('nothing, however near in meaning, with an invented number', async () => {
    const meanings = ['cluster nodes'];
    expect((await judge('The cluster has 5 nodes [1].', { meanings })).problem).toContain('a number');
  });

  it('what has less support than is wanted', async () => {
    const claim = 'The cluster of the storage team hums along with nodes [1].';
    expect(await judge(claim, { minSupport: 0.2 })).not.toHaveProperty('problem');
    expect(await judge(claim, { minSupport: 0.9 })).toHaveProperty('problem');
  });
});

describe('claims', () => {
  it.each([
    ['One [1]. Two. [2]', ['One.', [1]], ['Two.', [2]]],
    ['One.[1] Two [2, 3].', ['One.', [1]], ['Two.', [2, 3]]],
    ['One [1][2] and more.', ['One and more.', [1, 2]]],
    ['One 【1】. Two [^2].', ['One.', [1]], ['Two.', [2]]],
    ['One [1-3].', ['One.', [1, 2, 3]]],
    ['One. Two. [1]', ['One.', []], ['Two.', [1]]],
    ['# Title\n\nHere it is:\n- One [1]\n- **Two** [2]', ['One', [1]], ['Two', [2]]],
    ['See e.g. the plan by Dr. Who [1]. Two [2].', ['See e.g. the plan by Dr. Who.', [1]], ['Two.', [2]]],
    ['', ...[]],
  ])('%j', (text, ...claims) => {
    expect(claimsIn(text)).toEqual(claims.map(([sentence, cited]) => ({ text: sentence, cited })));
  });

  it('are bounded', () => {
    expect(claimsIn('One [1]. '.repeat(10_000)).length).toBeLessThanOrEqual(40);
    expect(claimsIn(`One [${'1,'.repeat(50_000)}1].`).length).toBeLessThanOrEqual(40);
  });
});
