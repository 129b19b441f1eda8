import { expect, test } from 'vitest';
import { type AttributeSetting, setAttribute } from '../../src/stores/trilium/attributes.ts';
import { asked, caught, start } from './kit.ts';

async function notes() {
  const { fake, client } = await start({
    notes: [
      {
        id: 'parent',
        title: 'P',
        inherited: { status: 'from above' },
        children: [{ id: 'note', title: 'N', labels: { mine: '1' }, relations: { link: 'parent' } }],
      },
      { id: 'other', title: 'O' },
    ],
  });
  const own = (id: string) =>
    fake.db
      .ownAttributes(id)
      .map(({ name, value, isInheritable }) => `${name}=${value}${isInheritable ? '!' : ''}`);
  const set = (setting: Partial<AttributeSetting>) =>
    setAttribute(client, { noteId: 'note', type: 'label', name: 'mine', value: '2', ...setting });
  return { fake, client, own, set };
}

test('an own label is changed in place', async () => {
  const { own, set } = await notes();
  expect(await set({})).toMatchObject({ outcome: 'updated', attribute: { value: '2' }, others: [] });
  expect(own('note')).toEqual(['mine=2', 'link=parent']);
});

test('an inherited one is left alone: the note gets its own', async () => {
  const { own, set } = await notes();
  expect(await set({ name: 'status', value: 'mine' })).toMatchObject({
    outcome: 'created',
    attribute: { noteId: 'note' },
  });
  expect(own('parent')).toEqual(['status=from above!']);
  expect(own('note')).toContain('status=mine');
});

test('a relation gets a new one in its place, made before the old one goes', async () => {
  const { fake, own, set } = await notes();
  const [, before] = fake.db.ownAttributes('note');
  const result = await set({ type: 'relation', name: 'link', value: 'other' });
  expect(result).toMatchObject({ outcome: 'replaced', replacedAttributeId: before?.attributeId });
  expect(result.attribute).toMatchObject({ value: 'other', position: before?.position });
  expect(own('note')).toEqual(['mine=1', 'link=other']);
  expect(asked(fake).slice(-2)).toEqual(['POST /attributes', `DELETE /attributes/${before?.attributeId}`]);
});

test('a relation to nowhere is refused, and the old one stays', async () => {
  const { own, set } = await notes();
  expect(await caught(set({ type: 'relation', name: 'link', value: 'nowhere' }))).toMatchObject({
    code: 'not_found',
    upstream: { code: 'NOTE_NOT_FOUND' },
  });
  expect(own('note')).toContain('link=parent');
});

test('whether it is inherited can be changed too', async () => {
  const { own, set } = await notes();
  expect(await set({ value: '1', isInheritable: true })).toMatchObject({ outcome: 'replaced' });
  expect(own('note')).toEqual(['link=parent', 'mine=1!']);
});

test('what is so already is not written', async () => {
  const { fake, set } = await notes();
  expect(await set({ value: '1' })).toMatchObject({ outcome: 'unchanged' });
  expect(await set({ type: 'relation', name: 'link', value: 'parent' })).toMatchObject({
    outcome: 'unchanged',
  });
  expect(asked(fake).every((line) => line.startsWith('GET '))).toBe(true);
  expect(await set({ value: '1', position: 70 })).toMatchObject({
    outcome: 'updated',
    attribute: { position: 70 },
  });
});

test('with mode add one more is added, and the others are named', async () => {
  const { own, set } = await notes();
  const added = await set({ mode: 'add' });
  expect(added.others).toHaveLength(1);
  expect(own('note')).toEqual(['mine=1', 'link=parent', 'mine=2']);
  expect(await set({ value: '2' })).toMatchObject({ outcome: 'unchanged' });
});

test('a name is found again in the spelling that Trilium gives it', async () => {
  const { own, set } = await notes();
  await set({ name: 'a b#c', value: 'x' });
  expect(await set({ name: 'a b#c', value: 'y' })).toMatchObject({ outcome: 'updated' });
  expect(own('note')).toContain('a_b_c=y');
});

test.each(['', ' ', '\t', '\n', '\u00a0', '\ufeff', '\u2003'])(
  'the blank name %j never reaches Trilium, which would break the note',
  async (name) => {
    const { fake, client, set } = await notes();
    for (const type of ['label', 'relation'] as const) {
      const wrong = { code: 'invalid_input', title: expect.stringContaining('name is blank') };
      expect(await caught(set({ name, type, value: 'other' }))).toMatchObject(wrong);
      const made = client.attributes.create({ noteId: 'note', type, name, value: 'other' });
      expect(await caught(made)).toMatchObject(wrong);
    }
    expect(asked(fake)).toEqual([]);
    expect(fake.db.damaged.size).toBe(0);
  },
);
