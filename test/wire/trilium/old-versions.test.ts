/** A Trilium before 0.102: what it does not have says so by name, and all else works. */
import { expect, test } from 'vitest';
import { errorOf, withTrilium } from './support.ts';

const NOTES = [
  { id: 'abcd', title: 'A', content: '<p>text</p>', children: [{ id: 'efgh', title: 'B' }] },
  { id: 'ijkl', title: 'C' },
];
const ZIP = Buffer.from('PK\u0003\u0004').toString('base64');

const MISSING: readonly [string, Record<string, unknown>][] = [
  ['get_note_history', {}],
  ['get_note_history', { ancestorNoteId: 'abcd' }],
  ['get_revisions', { noteId: 'abcd' }],
  ['get_revisions', { revisionId: 'rev1' }],
  ['get_revisions', { revisionId: 'rev1', include_content: false }],
  ['get_attachment', { noteId: 'abcd' }],
  ['delete_note', { noteId: 'abcd', action: 'undelete' }],
];

/** One call of every other tool, and of every mode that could ask for something new. */
const WORKING: readonly [string, Record<string, unknown>][] = [
  ['search_notes', { query: 'text' }],
  ['get_note_tree', { noteId: 'root', depth: 3 }],
  ['get_note', { noteId: 'abcd' }],
  ['get_note', { noteId: 'abcd', includeImages: false, format: 'markdown' }],
  [
    'create_note',
    {
      parentNoteId: 'abcd',
      title: 'N',
      type: 'text',
      content: 'x',
      images: [{ data: 'AAAA', mime: 'image/png', filename: 'a.png' }],
    },
  ],
  ['write_note', { noteId: 'abcd', mode: 'replace', content: '<p>one</p>' }],
  ['write_note', { noteId: 'abcd', mode: 'append', content: '<p>two</p>' }],
  ['write_note', { noteId: 'abcd', mode: 'edit', changes: [{ old_string: 'one', new_string: '1' }] }],
  ['write_note', { noteId: 'abcd', mode: 'metadata', title: 'T' }],
  ['get_attributes', { noteId: 'abcd' }],
  ['set_attribute', { noteId: 'abcd', type: 'label', name: 'l', value: '', attributeId: 'attr1' }],
  ['delete_attribute', { attributeId: 'attr1' }],
  ['get_special_note', { kind: 'day', date: '2026-02-28' }],
  ['organize_note', { action: 'move', noteId: 'efgh', newParentNoteId: 'ijkl' }],
  ['organize_note', { action: 'clone', noteId: 'efgh', parentNoteId: 'abcd' }],
  [
    'organize_note',
    { action: 'reorder', parentNoteId: 'abcd', notePositions: [{ branchId: 'abcd_efgh', notePosition: 5 }] },
  ],
  ['organize_note', { action: 'unlink', branchId: 'abcd_efgh' }],
  ['create_revision', { noteId: 'abcd' }],
  ['manage_system', { action: 'app_info' }],
  ['manage_system', { action: 'backup', backupName: 'b' }],
  ['manage_system', { action: 'export', noteId: 'abcd' }],
  ['delete_note', { noteId: 'ijkl', action: 'delete' }],
];

test('what is missing is named with the version it needs', async () => {
  const { call, fake } = await withTrilium(NOTES, { version: '0.101.3' });
  for (const [tool, args] of MISSING) {
    const { error, suggestion } = errorOf(await call(tool, args));
    expect(error, tool).toContain('needs Trilium 0.102');
    expect(suggestion, tool).toContain('This one is 0.101.3');
  }
  expect(fake.requests.filter((request) => request.endsWith('/app-info'))).toHaveLength(1);
});

test('everything else works, over every tool', async () => {
  const { ok, call, client, fake } = await withTrilium(NOTES, { version: '0.101.3' });
  for (const [tool, args] of WORKING) await ok(tool, args);
  const made = (
    await ok('create_attachment', {
      ownerId: 'abcd',
      role: 'data',
      mime: 'text/plain',
      title: 't',
      content: 'x',
    })
  ).json;
  const { attachmentId } = made;
  expect((await ok('get_attachment', { attachmentId })).text).toBe('x');
  await ok('write_attachment', { attachmentId, mode: 'replace', content: 'y' });
  await ok('delete_attachment', { attachmentId });
  // An import is asked for as it is on any version; that this ZIP is broken is Trilium's word.
  errorOf(await call('manage_system', { action: 'import', noteId: 'abcd', data: ZIP }));
  expect(fake.requests.some((request) => request.startsWith('POST /etapi/notes/abcd/import'))).toBe(true);

  const used = new Set([...MISSING, ...WORKING].map(([tool]) => tool));
  const { tools } = await client.listTools();
  const rest = ['create_attachment', 'get_attachment', 'write_attachment', 'delete_attachment'];
  expect(tools.map(({ name }) => name).filter((name) => !used.has(name) && !rest.includes(name))).toEqual([]);
});

test('get_note says of its attachments that they cannot be listed', async () => {
  const { ok } = await withTrilium(NOTES, { version: '0.101.3' });
  const { content } = await ok('get_note', { noteId: 'abcd' });
  expect(content[1]?.text).toMatch(/^<p>text<\/p>\n.*could not be listed: .*needs Trilium 0\.102/s);
});

test.each([
  ['0.101.3', /^Undelete it in Trilium, under Recent Changes.*needs Trilium 0\.102/],
  ['0.102.0', /^delete_note with action "undelete" and noteId ijkl brings it back/],
])('delete_note on %s says how the note comes back', async (version, words) => {
  const { ok, call, fake } = await withTrilium(NOTES, { version });
  const { json } = await ok('delete_note', { noteId: 'ijkl', action: 'delete' });
  expect(json.recovery).toMatch(words);
  const undeleted = await call('delete_note', { noteId: 'ijkl', action: 'undelete' });
  expect(undeleted.isError).toBe(version === '0.101.3');
  expect(fake.db.note('ijkl') !== undefined).toBe(version !== '0.101.3');
});
