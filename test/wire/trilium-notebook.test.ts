/** The notebook tools over a Trilium: a path means one note, and no other is ever touched. */
import { expect, test } from 'vitest';
import { withTriliumNotebook } from '../kit/server.ts';
import type { SeedNote } from '../kit/trilium/seed.ts';
import { startTrilium, TOKEN } from '../kit/trilium/server.ts';

async function begin(notes: readonly SeedNote[]) {
  const fake = await startTrilium({ notes });
  const tools = await withTriliumNotebook({ url: fake.url, token: TOKEN });
  return { fake, ...tools };
}

const DEEP = [
  {
    id: 'work1',
    title: 'ZWork',
    children: [
      {
        id: 'year1',
        title: '2024',
        children: [{ id: 'deep1', title: 'ZIdeas', content: '<p>precious</p>' }],
      },
    ],
  },
  { id: 'other1', title: 'Other' },
];

test('a note deep in the tree is not taken for one of its title at the top', async () => {
  const { fake, call } = await begin(DEEP);
  const missing = await call('delete_note', { path: 'ZIdeas.md', confirmPath: 'ZIdeas.md' });
  expect(missing).toMatchObject({ isError: true, text: expect.stringContaining('File not found') });
  expect((await call('read_note', { path: 'ZIdeas.md' })).isError).toBe(true);
  expect((await call('read_note', { path: '2024/ZIdeas.md' })).isError).toBe(true);
  const written = await call('write_note', { path: 'ZIdeas.md', content: 'new at the top' });
  expect(written.isError).toBe(false);
  expect(fake.text('deep1')).toBe('<p>precious</p>');
  const titled = [...fake.db.notes.values()].filter(({ title }) => title === 'ZIdeas');
  expect(titled.map(({ noteId }) => fake.db.parentBranches(noteId)[0]?.parentNoteId).sort()).toEqual([
    'root',
    'year1',
  ]);
  expect((await call('read_note', { path: 'ZWork/2024/ZIdeas.md' })).text).toContain('precious');
  await call('delete_note', { path: 'ZIdeas.md', confirmPath: 'ZIdeas.md' });
  expect(fake.text('deep1')).toBe('<p>precious</p>');
});

test('a folder holds what is in it and nothing from below', async () => {
  const { call } = await begin(DEEP);
  const { json } = await call('list_directory', { path: '' });
  expect(json).toMatchObject({ files: ['Other.md', 'ZWork.md'], dirs: ['ZWork'] });
});

test('finding and reading everything takes about one request for each note', async () => {
  const notes = Array.from({ length: 12 }, (_, folder) => ({
    id: `folder${folder}`,
    title: `Folder ${folder}`,
    children: Array.from({ length: 12 }, (_, at) => ({
      id: `note${folder}x${at}`,
      title: `Note ${folder} ${at}`,
      content: `<p>lighthouse ${folder} ${at}</p>`,
    })),
  }));
  const { fake, call } = await begin(notes);
  const { text } = await call('search_notes', { query: 'lighthouse', limit: 5 });
  expect(text).toContain('Note');
  expect(fake.requests.length).toBeLessThan(1.3 * (12 * 13));
});
