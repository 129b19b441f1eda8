/** Limited to a subtree: nothing outside is readable or reachable, by any method, directly or by a detour. */
import { describe, expect, test } from 'vitest';
import type { TriliumClient } from '../../src/stores/trilium/client.ts';
import { moveNote } from '../../src/stores/trilium/place.ts';
import { searchNotes } from '../../src/stores/trilium/search/find.ts';
import { withinSubtree } from '../../src/stores/trilium/subtree/guard.ts';
import { childrenOf } from '../../src/stores/trilium/tree.ts';
import { createWebAddresses } from '../../src/stores/trilium/web-url.ts';
import { createContentWriter } from '../../src/stores/trilium/write-content.ts';
import { caught, clientFor, start } from './kit.ts';

/** top › (inside › deep, both); outside › apart1; `both` is in outside too. */
const TREE = [
  {
    id: 'above',
    title: 'Above',
    inherited: { handed: 'SECRET' },
    children: [
      {
        id: 'top1',
        title: 'Top',
        inherited: { own: 'ours' },
        children: [
          {
            id: 'inside',
            title: 'Inside',
            content: 'in',
            children: [{ id: 'deep', title: 'Deep', content: 'd' }],
          },
          { id: 'both', title: 'Both', content: 'b' },
        ],
      },
    ],
  },
  {
    id: 'outside',
    title: 'Outside',
    content: 'SECRET',
    labels: { hush: 'SECRET' },
    children: [{ id: 'apart1', title: 'SECRET', content: 'SECRET' }],
  },
];

async function begin(options: { readonly version?: string } = {}) {
  const { fake, client: whole } = await start({ notes: TREE, ...options });
  const { db } = fake;
  db.addBranch('both', 'outside');
  db.addAttribute({
    noteId: 'inside',
    type: 'relation',
    name: 'link',
    value: 'apart1',
    attributeId: 'leadsout',
  });
  db.addAttribute({ noteId: 'outside', type: 'label', name: 'x', value: 'SECRET', attributeId: 'attrout' });
  const attachment = db.addAttachment(
    { ownerId: 'apart1', role: 'file', mime: 'text/plain', title: 'SECRET' },
    'SECRET',
  );
  await whole.revisions.create('apart1');
  const revisionId = [...db.revisions.keys()][0] ?? '';
  const state = () =>
    JSON.stringify([...db.notes, ...db.branches, ...db.attributes, ...db.attachments, ...db.revisions]);
  return {
    fake,
    whole,
    db,
    client: withinSubtree(whole, 'top1'),
    attachmentId: attachment.attachmentId,
    revisionId,
    state,
  };
}

interface Ids {
  readonly attachmentId: string;
  readonly revisionId: string;
}

/** Every method, aimed at something outside. */
const REACHES: Readonly<Record<string, (client: TriliumClient, ids: Ids) => Promise<unknown>>> = {
  'notes.get': ({ notes }) => notes.get('apart1'),
  'notes.get of the root': ({ notes }) => notes.get('root'),
  'notes.get of the parent': ({ notes }) => notes.get('above'),
  'notes.patch': ({ notes }) => notes.patch('apart1', { title: 'x' }),
  'notes.remove': ({ notes }) => notes.remove('apart1'),
  'notes.remove of the top': ({ notes }) => notes.remove('top1'),
  'notes.remove of a note that is outside too': ({ notes }) => notes.remove('both'),
  'notes.content': ({ notes }) => notes.content('apart1'),
  'notes.putContent': ({ notes }) => notes.putContent('apart1', 'x'),
  'notes.exportZip': ({ notes }) => notes.exportZip('apart1', 'html'),
  'notes.exportZip of the parent': ({ notes }) => notes.exportZip('above', 'html'),
  'notes.importZip': ({ notes }) => notes.importZip('outside', Buffer.from('PK')),
  'notes.undelete': ({ notes }) => notes.undelete('gone'),
  'notes.history': ({ notes }) => notes.history('outside'),
  'notes.create': ({ notes }) =>
    notes.create({ parentNoteId: 'outside', title: 'x', type: 'text', content: '' }),
  'notes.create over a note outside': ({ notes }) =>
    notes.create({ parentNoteId: 'inside', noteId: 'apart1', title: 'x', type: 'text', content: '' }),
  'branches.create of a note outside': ({ branches }) =>
    branches.create({ noteId: 'apart1', parentNoteId: 'inside' }),
  'branches.create to the outside': ({ branches }) =>
    branches.create({ noteId: 'inside', parentNoteId: 'outside' }),
  'branches.create of the top': ({ branches }) => branches.create({ noteId: 'top1', parentNoteId: 'deep' }),
  'branches.get': ({ branches }) => branches.get('outside_apart1'),
  'branches.get of the top': ({ branches }) => branches.get('above_top1'),
  'branches.get of the other place': ({ branches }) => branches.get('outside_both'),
  'branches.patch': ({ branches }) => branches.patch('outside_both', { prefix: 'x' }),
  'branches.remove': ({ branches }) => branches.remove('outside_both'),
  'branches.remove of the top': ({ branches }) => branches.remove('above_top1'),
  'branches.refreshOrdering': ({ branches }) => branches.refreshOrdering('outside'),
  'attributes.create': ({ attributes }) =>
    attributes.create({ noteId: 'outside', type: 'label', name: 'x', value: '' }),
  'attributes.create to the outside': ({ attributes }) =>
    attributes.create({ noteId: 'inside', type: 'relation', name: 'template', value: 'apart1' }),
  'attributes.create over one outside': ({ attributes }) =>
    attributes.create({ noteId: 'inside', type: 'label', name: 'x', value: '', attributeId: 'attrout' }),
  'attributes.get': ({ attributes }) => attributes.get('attrout'),
  'attributes.patch': ({ attributes }) => attributes.patch('attrout', { value: '' }),
  'attributes.remove': ({ attributes }) => attributes.remove('attrout'),
  'attachments.create': ({ attachments }) =>
    attachments.create({ ownerId: 'apart1', role: 'file', mime: 'text/plain', title: 'x', content: '' }),
  'attachments.get': ({ attachments }, { attachmentId }) => attachments.get(attachmentId),
  'attachments.patch': ({ attachments }, { attachmentId }) => attachments.patch(attachmentId, { title: 'x' }),
  'attachments.remove': ({ attachments }, { attachmentId }) => attachments.remove(attachmentId),
  'attachments.content': ({ attachments }, { attachmentId }) => attachments.content(attachmentId),
  'attachments.putContent': ({ attachments }, { attachmentId }) => attachments.putContent(attachmentId, 'x'),
  'attachments.list': ({ attachments }) => attachments.list('apart1'),
  'revisions.create': ({ revisions }) => revisions.create('apart1'),
  'revisions.list': ({ revisions }) => revisions.list('apart1'),
  'revisions.get': ({ revisions }, { revisionId }) => revisions.get(revisionId),
  'revisions.content': ({ revisions }, { revisionId }) => revisions.content(revisionId),
  'search through a relation': ({ search }) => search({ search: '~link.content *=* SECRET' }),
  'search through the parents': ({ search }) => search({ search: 'note.parents.title = Outside' }),
  'search through the ancestors': ({ search }) => search({ search: 'note.ancestors.title = Above' }),
  'search in an order of others': ({ search }) => search({ search: '#own orderBy note.parents.title' }),
  'calendar.day': ({ calendar }) => calendar.day('2026-11-15'),
  'calendar.inbox': ({ calendar }) => calendar.inbox('2026-11-15'),
  'calendar.weekFirstDay': ({ calendar }) => calendar.weekFirstDay('2026-11-15'),
  'calendar.week': ({ calendar }) => calendar.week('2026-W46'),
  'calendar.month': ({ calendar }) => calendar.month('2026-11'),
  'calendar.year': ({ calendar }) => calendar.year('2026'),
  'system.backup': ({ system }) => system.backup('x'),
};

describe('nothing outside', () => {
  test.each(Object.keys(REACHES))('%s', async (name) => {
    const { fake, client, attachmentId, revisionId, state } = await begin();
    const before = state();
    const error = await caught(() =>
      (REACHES[name] as (typeof REACHES)[string])(client, { attachmentId, revisionId }),
    );
    expect(['not_found', 'forbidden', 'already_exists']).toContain(error.code);
    expect(`${error.message} ${error.hint}`).not.toContain('SECRET');
    expect(state()).toBe(before);
    expect(fake.db.backups).toEqual([]);
  });

  test('every method of every topic is aimed at above, or is about nothing in particular', () => {
    const client = withinSubtree(clientFor('https://example.com'), 'top1');
    const topics = [
      'notes',
      'branches',
      'attributes',
      'attachments',
      'revisions',
      'calendar',
      'system',
    ] as const;
    const methods = topics.flatMap((topic) =>
      Object.keys(client[topic]).map((method) => `${topic}.${method}`),
    );
    const harmless = ['system.appInfo', 'system.clock', 'system.version'];
    const aimed = (method: string) => Object.keys(REACHES).some((name) => name.startsWith(method));
    expect(methods.filter((method) => !harmless.includes(method) && !aimed(method))).toEqual([]);
  });

  test('what is outside is answered in the very words of what does not exist', async () => {
    const { client } = await begin();
    const outside = await caught(client.notes.get('apart1'));
    const nowhere = await caught(client.notes.get('nowhere'));
    const plain = ({ code, title, hint, upstream }: typeof outside) => ({ code, title, hint, upstream });
    expect(JSON.stringify(plain(outside)).replace('apart1', 'X')).toBe(
      JSON.stringify(plain(nowhere)).replace('nowhere', 'X'),
    );
  });

  test('a search finds what is inside and shows no more', async () => {
    const { client } = await begin();
    const { results } = await client.search({ search: "note.noteId != ''" });
    expect(results.map(({ noteId }) => noteId).sort()).toEqual(['both', 'deep', 'inside', 'top1']);
    expect(JSON.stringify(results)).not.toMatch(/SECRET|above|"outside/);
    expect(await client.search({ search: 'SECRET' })).toEqual({ results: [] });
    expect(await client.search({ search: 'Deep', ancestorNoteId: 'root' })).toEqual({ results: [] });
    expect((await client.search({ search: 'Deep', ancestorNoteId: 'inside' })).results).toHaveLength(1);
  });

  test('a search tells nothing about titles, places and attributes outside', async () => {
    const { client, db } = await begin();
    db.addBranch('both', 'outside', { prefix: 'PRIVATE' });
    db.addAttribute({ noteId: 'both', type: 'label', name: 'handed', value: 'mine' });
    const found = async (search: string) =>
      (await client.search({ search })).results.map(({ noteId }) => noteId).sort();
    for (const outside of [
      'both outside',
      'both above',
      'PRIVATE',
      'both PRIVAT',
      'deep SECRET',
      'handed SECRET',
      '#handed = SECRET',
      '#handed *=* SEC',
      'note.labels.handed = SECRET',
      'note.parentCount = 2',
      'note.children.labels.handed = SECRET',
    ])
      expect(await found(outside), outside).toEqual([]);
    expect(await found('#handed')).toEqual(['both']);
    expect(await found('not(#handed)')).toEqual(['deep', 'inside', 'top1']);
    expect(await found('#!handed')).toEqual(['deep', 'inside', 'top1']);
    expect(await caught(client.search({ search: 'note.targetRelationCount > 0' }))).toMatchObject({
      code: 'forbidden',
    });
  });

  test('a search finds by all that is inside: words above, labels, contents, prefixes, misspelt', async () => {
    const { client, db } = await begin();
    db.addBranch('deep', 'inside', { prefix: 'Chapter' });
    db.addAttribute({ noteId: 'deep', type: 'label', name: 'rank', value: '7' });
    db.addAttribute({ noteId: 'both', type: 'label', name: 'rank', value: '3' });
    const note = db.note('both');
    if (note) note.blobId = db.store('<p>lighthouse</p>');
    const found = async (search: string, isFast = false) =>
      (await client.search({ search, fastSearch: isFast })).results.map(({ noteId }) => noteId);
    expect(await found('deep inside')).toEqual(['deep']);
    expect(await found('ours deep')).toEqual(['deep']);
    expect(await found('lighthouse')).toEqual(['both']);
    expect(await found('both lighthouse')).toEqual(['both']);
    expect(await found('lighthouse', true)).toEqual([]);
    expect(await found('lighthuose')).toEqual(['both']);
    expect(await found('chapter')).toEqual(['deep']);
    expect(await found('#rank > 5')).toEqual(['deep']);
    expect(await found('#rank orderBy #rank')).toEqual(['both', 'deep']);
    expect(await found('#rank orderBy #rank desc limit 1')).toEqual(['deep']);
    expect(await found('#rank orderBy note.title desc')).toEqual(['deep', 'both']);
    expect(await found('deep # not(note.type = code)')).toEqual(['deep']);
  });

  test('a note shows neither parents outside nor what is handed down from there', async () => {
    const { client } = await begin();
    expect(await client.notes.get('top1')).toMatchObject({ parentNoteIds: [], parentBranchIds: [] });
    const both = await client.notes.get('both');
    expect(both).toMatchObject({ parentNoteIds: ['top1'], parentBranchIds: ['top1_both'] });
    expect(both.attributes.map(({ name }) => name)).toEqual(['own']);
    const patched = await client.notes.patch('inside', { title: 'I' });
    expect(patched.attributes.map(({ name }) => name)).not.toContain('handed');
    const { note } = await client.notes.create({
      parentNoteId: 'inside',
      title: 'n',
      type: 'text',
      content: '',
    });
    expect(note.attributes.map(({ name }) => name)).toEqual(['own']);
  });

  test('the history is that of the notes inside', async () => {
    const { client, db } = await begin();
    const ids = new Set((await client.notes.history()).map(({ noteId }) => noteId));
    expect([...ids].sort()).toEqual(['both', 'deep', 'inside', 'top1']);
    db.addBranch('deep', 'outside');
    await client.branches.remove('inside_deep');
    expect((await client.notes.history()).map(({ noteId }) => noteId)).not.toContain('deep');
  });

  test('a note deleted outside is not brought back', async () => {
    const { whole, client, db } = await begin();
    await whole.notes.remove('apart1');
    expect(await caught(client.notes.undelete('apart1'))).toMatchObject({ code: 'not_found' });
    await client.branches.remove('top1_both');
    await whole.notes.remove('both');
    expect(await caught(client.notes.undelete('both'))).toMatchObject({ code: 'not_found' });
    expect(db.note('both')).toBeUndefined();
  });
});

describe('inside everything works', () => {
  test('reading, writing, moving, deleting and bringing back', async () => {
    const { client, db, fake } = await begin();
    expect((await childrenOf(client, await client.notes.get('top1'))).map(({ noteId }) => noteId)).toEqual([
      'inside',
      'both',
    ]);
    await createContentWriter(client).change('deep', (text) => `${text}!`);
    expect(fake.text('deep')).toBe('d!');
    await moveNote(client, { noteId: 'deep', newParentNoteId: 'both' });
    expect(db.parentBranches('deep').map(({ parentNoteId }) => parentNoteId)).toEqual(['both']);
    expect(await caught(moveNote(client, { noteId: 'both', newParentNoteId: 'deep' }))).toMatchObject({
      code: 'conflict',
    });
    await client.notes.remove('deep');
    await client.notes.undelete('deep');
    expect(db.note('deep')).toBeDefined();
    expect(await searchNotes(client, { query: 'Deep' })).toMatchObject({ total: 1 });
    const byId = await searchNotes(client, { query: 'id:apart1' });
    expect(byId.searchMode).toBe('exact');
    expect(byId.results.map(({ noteId }) => noteId)).not.toContain('apart1');
    const zip = await client.notes.exportZip('top1', 'html');
    await client.notes.importZip('inside', zip);
    const label = await client.attributes.create({ noteId: 'inside', type: 'label', name: 'l', value: '1' });
    expect(await client.attributes.patch(label.attributeId, { value: '2' })).toMatchObject({ value: '2' });
  });

  test('the way to a note leads from the top', async () => {
    const { client } = await begin();
    const { of } = createWebAddresses(client, { base: 'https://t.example' });
    const url = await of(await client.notes.get('deep'));
    expect(url).toBe('https://t.example/#deep');
  });

  test('a journal that is inside', async () => {
    const { client, db } = await begin();
    db.addLabel('inside', 'calendarRoot');
    expect(await client.calendar.day('2026-11-15')).toMatchObject({ title: '15 - Sunday' });
    expect(await client.calendar.inbox('2026-11-15')).toMatchObject({ title: '15 - Sunday' });
    db.addLabel('apart1', 'inbox');
    expect(await caught(client.calendar.inbox('2026-11-15'))).toMatchObject({ code: 'forbidden' });
  });

  test('a top that does not exist reaches nothing', async () => {
    const { whole } = await begin();
    const client = withinSubtree(whole, 'nowhere');
    expect(await caught(client.notes.get('inside'))).toMatchObject({ code: 'not_found' });
    expect(await client.search({ search: 'Deep' })).toEqual({ results: [] });
    expect(() => withinSubtree(whole, '../x')).toThrow('Invalid note id');
  });
});
