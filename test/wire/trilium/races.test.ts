/** Another client writes in the very moment a tool does. Its text is never lost: a conflict, or a revision. */
import { expect, test } from 'vitest';
import { errorOf, type WithTrilium, withTrilium } from './support.ts';

const NOTES = [
  { id: 'abcd', title: 'A', content: '<p>mine</p>', children: [{ id: 'efgh', title: 'B' }] },
  { id: 'ijkl', title: 'C' },
];
const THEIRS = '<p>theirs</p>';

type Call = readonly [tool: string, args: Record<string, unknown>];

/** Every way to destroy what a note holds. */
const DESTROYING: Readonly<Record<string, Call>> = {
  metadata: ['write_note', { noteId: 'abcd', mode: 'metadata', type: 'code', mime: 'text/plain' }],
  replace: ['write_note', { noteId: 'abcd', mode: 'replace', content: '<p>new</p>' }],
  append: ['write_note', { noteId: 'abcd', mode: 'append', content: '<p>new</p>' }],
  edit: [
    'write_note',
    { noteId: 'abcd', mode: 'edit', changes: [{ old_string: '<p>', new_string: '<p>a' }] },
  ],
  delete: ['delete_note', { noteId: 'abcd', action: 'delete' }],
};
const UNCONDITIONAL = ['metadata', 'replace', 'delete'];

function revisionsOf({ fake: { db } }: WithTrilium): string[] {
  return [...db.revisions.values()].map((one) => db.content(one).toString());
}

/** Another client changes the note, once, right after the request whose path has this ending. */
function meddle({ fake }: WithTrilium, ending: string, change: () => void): void {
  let isDone = false;
  fake.faults.after = ({ path }) => {
    if (isDone || !path.endsWith(ending)) return;
    isDone = true;
    change();
  };
}

test.each(Object.keys(DESTROYING))(
  '%s with expected_blob_id: a change behind the revision is a conflict',
  async (way) => {
    const trilium = await withTrilium(NOTES);
    const { ok, call, fake } = trilium;
    const { blobId } = (await ok('get_note', { noteId: 'abcd', include_content: false })).json;
    meddle(trilium, '/revision', () => fake.edit('abcd', THEIRS));
    const [tool, args] = DESTROYING[way]!;
    const refused = errorOf(await call(tool, { ...args, expected_blob_id: blobId }));
    expect(refused.status).toBe('409 (CONFLICT)');
    expect(refused.suggestion).toMatch(/Read it again .* Nothing was written/);
    expect(fake.db.note('abcd')).toMatchObject({ title: 'A', type: 'text' });
    expect(fake.text('abcd')).toBe(THEIRS);
  },
);

test.each(UNCONDITIONAL)('%s without a condition: a change behind the revision is kept too', async (way) => {
  const trilium = await withTrilium(NOTES);
  const { ok, fake } = trilium;
  meddle(trilium, '/revision', () => fake.edit('abcd', THEIRS));
  const [tool, args] = DESTROYING[way]!;
  await ok(tool, args);
  expect(revisionsOf(trilium)).toContain(THEIRS);
  expect(revisionsOf(trilium)).toContain('<p>mine</p>');
});

test.each(['append', 'edit'])('%s is conditional without being asked', async (way) => {
  const trilium = await withTrilium(NOTES);
  const { call, fake } = trilium;
  meddle(trilium, '/revision', () => fake.edit('abcd', THEIRS));
  const [tool, args] = DESTROYING[way]!;
  expect(errorOf(await call(tool, args)).status).toBe('409 (CONFLICT)');
  expect(fake.text('abcd')).toBe(THEIRS);
});

test('a note that never comes to rest is left alone', async () => {
  const { call, fake } = await withTrilium(NOTES);
  let count = 0;
  fake.faults.after = ({ path }) => {
    if (path.endsWith('/revision')) fake.edit('abcd', `<p>${count++}</p>`);
  };
  const [tool, args] = DESTROYING.replace!;
  expect(errorOf(await call(tool, args)).status).toBe('409 (CONFLICT)');
  expect(count).toBe(3);
  expect(fake.text('abcd')).toBe('<p>2</p>');
});

test.each<[string, Record<string, unknown>]>([
  ['write_attachment', { mode: 'replace', content: 'new' }],
  ['write_attachment', { mode: 'edit', changes: [{ old_string: 'm', new_string: 'n' }] }],
  ['write_attachment', { mode: 'metadata', mime: 'text/csv' }],
  ['delete_attachment', {}],
])('%s %j: a change behind the revision is a conflict or kept', async (tool, part) => {
  for (const isConditional of [true, false]) {
    const trilium = await withTrilium(NOTES);
    const { call, fake } = trilium;
    const { db } = fake;
    const facts = { ownerId: 'abcd', role: 'data', mime: 'text/plain', title: 't' };
    const row = db.addAttachment(facts, 'mine');
    const { attachmentId, blobId } = row;
    meddle(trilium, '/revision', () => {
      row.blobId = db.store('theirs');
    });
    const condition = isConditional ? { expected_blob_id: blobId } : {};
    const answer = await call(tool, { attachmentId, ...part, ...condition });
    if (isConditional || part.mode === 'edit') {
      expect(errorOf(answer).status).toBe('409 (CONFLICT)');
      expect(db.content(row).toString()).toBe('theirs');
      expect(row.mime).toBe('text/plain');
      expect(row.deleteId).toBeUndefined();
    } else {
      expect(answer.isError, answer.text).toBe(false);
      expect(fake.requests.filter((request) => request.endsWith('/abcd/revision'))).toHaveLength(2);
    }
  }
});

test('unlink: the other place goes while it is being looked at', async () => {
  const trilium = await withTrilium(NOTES);
  const { call, fake } = trilium;
  fake.db.addBranch('efgh', 'ijkl');
  meddle(trilium, '/branches/abcd_efgh', () => {
    fake.db.branches.get('ijkl_efgh')!.deleteId = 'theirs';
  });
  errorOf(await call('organize_note', { action: 'unlink', branchId: 'abcd_efgh' }));
  expect(fake.db.note('efgh')).toBeDefined();
});

test('unlink: a bookmark is no place to stay', async () => {
  const { call, fake } = await withTrilium(NOTES);
  fake.db.addNote({ noteId: '_lbBookmarks', title: 'Bookmarks', type: 'doc', mime: '' }, '');
  fake.db.addBranch('efgh', '_lbBookmarks');
  errorOf(await call('organize_note', { action: 'unlink', branchId: 'abcd_efgh' }));
  expect(fake.db.note('efgh')).toBeDefined();
});

test('move: the new place goes before the old one is left', async () => {
  const trilium = await withTrilium(NOTES);
  const { call, fake } = trilium;
  meddle(trilium, '/etapi/branches', () => {
    fake.db.branches.get('ijkl_efgh')!.deleteId = 'theirs';
  });
  const refused = errorOf(
    await call('organize_note', { action: 'move', noteId: 'efgh', newParentNoteId: 'ijkl' }),
  );
  expect(refused.suggestion).toContain('abcd_efgh');
  expect(fake.db.branch('abcd_efgh')).toBeDefined();
  expect(fake.db.note('efgh')).toBeDefined();
});

test('what no revision keeps is in the answer, and is enough to put it back', async () => {
  const { ok, fake } = await withTrilium(NOTES);
  Object.assign(fake.db.branch('abcd_efgh')!, { prefix: 'old', notePosition: 70 });
  const place = { branchId: 'abcd_efgh', parentNoteId: 'abcd', prefix: 'old', notePosition: 70 };
  const moved = await ok('organize_note', { action: 'move', noteId: 'efgh', newParentNoteId: 'ijkl' });
  expect(moved.json.previous).toMatchObject(place);
  await ok('organize_note', { action: 'clone', noteId: 'efgh', parentNoteId: 'abcd', prefix: 'old' });
  const positions = [{ branchId: 'abcd_efgh', notePosition: 70 }];
  const reordered = await ok('organize_note', {
    action: 'reorder',
    parentNoteId: 'abcd',
    notePositions: positions,
  });
  expect(reordered.json.previousPositions).toEqual([{ branchId: 'abcd_efgh', notePosition: 10 }]);
  const unlinked = await ok('organize_note', { action: 'unlink', branchId: 'abcd_efgh' });
  expect(unlinked.json.previous).toMatchObject(place);

  const label = { noteId: 'abcd', type: 'label', name: 'l' };
  await ok('set_attribute', { ...label, value: '1', position: 30 });
  const updated = await ok('set_attribute', { ...label, value: '2' });
  expect(updated.json).toMatchObject({ outcome: 'updated', previous: { value: '1', position: 30 } });
  const replaced = await ok('set_attribute', { ...label, value: '2', isInheritable: true });
  expect(replaced.json).toMatchObject({
    outcome: 'replaced',
    previous: { value: '2', isInheritable: false },
  });
  const { attributeId } = replaced.json;
  const deleted = await ok('delete_attribute', { attributeId });
  expect(deleted.json).toMatchObject({ ...label, value: '2', position: 30, isInheritable: true });
});

/** The note is answered only when they have changed it, after its old content was read. */
function overtake({ fake }: WithTrilium): void {
  let letGo = () => {};
  const until = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  fake.faults.fate = ({ path }) => (path.endsWith('/notes/abcd') ? { kind: 'frozen', until } : undefined);
  meddle({ fake } as WithTrilium, '/notes/abcd/content', () => {
    fake.edit('abcd', THEIRS);
    letGo();
  });
}

test('get_note: the text is the one its blobId stands for, though both are asked for at once', async () => {
  const trilium = await withTrilium(NOTES);
  overtake(trilium);
  const { json, content } = await trilium.ok('get_note', { noteId: 'abcd' });
  expect(content[1]?.text).toBe(THEIRS);
  expect(json.blobId).toBe(trilium.fake.db.note('abcd')?.blobId);
});

test('append: what they wrote while it was read stays', async () => {
  const trilium = await withTrilium(NOTES);
  overtake(trilium);
  const [tool, args] = DESTROYING.append!;
  await trilium.ok(tool, args);
  expect(trilium.fake.text('abcd')).toBe(`${THEIRS}<p>new</p>`);
});
