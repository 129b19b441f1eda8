/** A session does not replace or delete a note whose present text it was not shown. */
import { describe, expect, it } from 'vitest';
import type { SeedNote } from '../kit/trilium/seed.ts';
import { errorOf, writesOf } from '../wire/trilium/support.ts';
import { withHistory } from './history-kit.ts';

const NOTES: readonly SeedNote[] = [
  { id: 'plan', title: 'Plan', content: '<p>one</p><p>two</p>' },
  { id: 'PLAN', title: 'Another', content: '<p>other</p>' },
];

const replace = (noteId = 'plan') =>
  ['write_note', { noteId, mode: 'replace', content: '<p>mine</p>' }] as const;
const remove = (noteId = 'plan') => ['delete_note', { noteId, action: 'delete' }] as const;

describe('a note that changed since it was read', () => {
  it.each([
    ['replaced', replace()],
    ['deleted', remove()],
  ] as const)('is not %s: the answer names the change and the next step', async (_, [tool, args]) => {
    const { ok, call, fake } = await withHistory(NOTES);
    await ok('get_note', { noteId: 'plan' });
    fake.edit('plan', '<p>one</p><p>by hand</p><p>two</p>');
    const writes = writesOf(fake).length;
    const { error, status, suggestion } = errorOf(await call(tool, args));
    expect(error).toBe('Note changed since you read it: plan');
    expect(status).toBe('409 (CONFLICT)');
    expect(suggestion).toBe(
      'It was changed by a person or program outside Quire. What changed:\n+ <p>by hand</p>\nNothing was changed. Read it again, bring in what it says now, then repeat the call.',
    );
    expect(writesOf(fake)).toHaveLength(writes);
    await ok('get_note', { noteId: 'plan' });
    await ok(tool, args);
  });

  it('names another client of Quire', async () => {
    const { ok, call, connect } = await withHistory(NOTES);
    await ok('get_note', { noteId: 'plan' });
    const other = await connect('second');
    await other.ok('write_note', { noteId: 'plan', mode: 'append', content: '<p>three</p>' });
    expect(errorOf(await call(...replace())).suggestion).toContain('another client of Quire');
    await other.ok(...replace());
  });

  it('is replaced when the caller names the present blobId itself', async () => {
    const { ok, fake } = await withHistory(NOTES);
    await ok('get_note', { noteId: 'plan' });
    fake.edit('plan', '<p>by hand</p>');
    const { blobId } = fake.db.note('plan')!;
    await ok('write_note', {
      noteId: 'plan',
      mode: 'replace',
      content: '<p>x</p>',
      expected_blob_id: blobId,
    });
  });

  it('still takes additions, edits and metadata; the session knows what it made of a text it knew', async () => {
    const { ok, call, fake } = await withHistory(NOTES);
    await ok('get_note', { noteId: 'plan' });
    await ok('write_note', { noteId: 'plan', mode: 'append', content: '<p>three</p>' });
    await ok(...replace());
    fake.edit('plan', '<p>by hand</p>');
    await ok('write_note', { noteId: 'plan', mode: 'append', content: '<p>three</p>' });
    await ok('write_note', { noteId: 'plan', mode: 'metadata', title: 'New' });
    errorOf(await call(...replace()));
  });
});

it('a note that was never read may be replaced; metadata alone shows no text', async () => {
  const { ok, fake } = await withHistory(NOTES);
  await ok('get_note', { noteId: 'plan', include_content: false });
  fake.edit('plan', '<p>by hand</p>');
  await ok(...replace());
  await ok(...remove());
});

it('ids that differ in case are different notes', async () => {
  const { ok, call, fake } = await withHistory(NOTES);
  await ok('get_note', { noteId: 'plan' });
  await ok('get_note', { noteId: 'PLAN' });
  fake.edit('plan', '<p>by hand</p>');
  await ok(...replace('PLAN'));
  errorOf(await call(...replace('plan')));
});

it('`seen` also refuses what was never read; `free` refuses nothing', async () => {
  const strict = await withHistory(NOTES, { overwrite: 'seen' });
  for (const [tool, args] of [replace(), remove()])
    expect(errorOf(await strict.call(tool, args)).error).toBe('Note was not read in this session: plan');
  await strict.ok('get_note', { noteId: 'plan' });
  await strict.ok(...replace());
  const free = await withHistory(NOTES, { overwrite: 'free' });
  await free.ok('get_note', { noteId: 'plan' });
  free.fake.edit('plan', '<p>by hand</p>');
  await free.ok(...replace());
});

it('answers carry the version for clients without sessions', async () => {
  const { connect, fake } = await withHistory(NOTES);
  const { client } = await connect();
  const answer = await client.callTool({ name: 'get_note', arguments: { noteId: 'plan' } });
  expect(answer._meta).toMatchObject({ 'quire/version': fake.db.note('plan')?.blobId });
});

it('guards without a history, too, and then records nothing', async () => {
  const { ok, call, fake, history } = await withHistory(NOTES, { isOff: true });
  expect(history).toBeUndefined();
  await ok('get_note', { noteId: 'plan' });
  fake.edit('plan', '<p>by hand</p>');
  expect(errorOf(await call(...replace())).suggestion).toContain('another writer');
});

it('costs no request on reads, and few on writes', async () => {
  const counts = async (isOff: boolean) => {
    const { ok, fake } = await withHistory(NOTES, { isOff });
    const asked: Record<string, number> = {};
    const count = async (name: string, tool: string, args: Record<string, unknown>) => {
      await fake.settled();
      const before = fake.requests.length;
      const answer = await ok(tool, args);
      asked[name] = fake.requests.length - before;
      return answer.json;
    };
    const noteId = 'plan';
    await count('get_note', 'get_note', { noteId });
    await count('get_attributes', 'get_attributes', { noteId });
    await count('create_note', 'create_note', {
      parentNoteId: 'root',
      title: 'N',
      type: 'text',
      content: 'x',
    });
    await count('replace', 'write_note', { noteId, mode: 'replace', content: '<p>x</p>' });
    await count('append', 'write_note', { noteId, mode: 'append', content: '<p>y</p>' });
    await count('edit', 'write_note', {
      noteId,
      mode: 'edit',
      changes: [{ old_string: 'y', new_string: 'z' }],
    });
    await count('metadata', 'write_note', { noteId, mode: 'metadata', title: 'T' });
    const label = { noteId, type: 'label', name: 'l', value: '1' };
    const { attributeId } = await count('new label', 'set_attribute', label);
    await count('set label', 'set_attribute', { ...label, value: '2' });
    await count('delete label', 'delete_attribute', { attributeId });
    const file = { ownerId: noteId, role: 'data', mime: 'text/csv', title: 'f', content: 'a' };
    const { attachmentId } = await count('new attachment', 'create_attachment', file);
    await count('write attachment', 'write_attachment', { attachmentId, mode: 'replace', content: 'b' });
    await count('delete attachment', 'delete_attachment', { attachmentId });
    await count('clone', 'organize_note', { action: 'clone', noteId, parentNoteId: 'PLAN' });
    await count('unlink', 'organize_note', { action: 'unlink', branchId: 'PLAN_plan' });
    await count('move', 'organize_note', { action: 'move', noteId, newParentNoteId: 'PLAN' });
    await count('new day', 'get_special_note', { kind: 'day', date: '2026-02-27' });
    await count('day', 'get_special_note', { kind: 'day', date: '2026-02-27' });
    await count('delete_note', 'delete_note', { noteId, action: 'delete' });
    await count('undelete', 'delete_note', { noteId, action: 'undelete' });
    return asked;
  };
  const [without, recorded] = [await counts(true), await counts(false)];
  const more = Object.entries(recorded).map(([name, n]) => [name, n - without[name]!] as const);
  expect(Object.fromEntries(more.filter(([, n]) => n !== 0))).toMatchInlineSnapshot(`
    {
      "day": 1,
      "delete attachment": 1,
      "delete_note": 3,
      "new day": 5,
      "replace": 1,
      "undelete": 1,
      "write attachment": 1,
    }
  `);
});
