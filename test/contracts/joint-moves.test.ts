/** Moves with all their links as one change of a notebook in PostgreSQL, while others change it. */
import { expect, test } from 'vitest';
import { moveNote } from '../../src/notes/ops/move-note.ts';
import { type NotePath, parseNotePath } from '../../src/notes/path.ts';
import type { Notebook, NoteStore } from '../../src/notes/store.ts';
import { textOf } from '../../src/notes/text/text.ts';
import { AppError } from '../../src/shared/errors.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { freshNotebook, openServer } from '../kit/postgres-notes.ts';
import { searching } from '../search/kit.ts';

const at = (path: string): NotePath => parseNotePath(path);

/** `meanwhile` comes before each joint change, as another server does. */
async function begin(
  texts: Readonly<Record<string, string>>,
  meanwhile?: (store: NoteStore) => Promise<void>,
) {
  const store = await openServer(await freshNotebook());
  for (const [path, text] of Object.entries(texts)) await store.write(at(path), text);
  const { searcher } = await searching(store);
  let joint = 0;
  const files: NoteStore = {
    ...store,
    changeAll: async (changes, options) => {
      joint++;
      await meanwhile?.(store);
      return store.changeAll!(changes, options);
    },
  };
  const notebook: Notebook = { notes: files, files, searcher, rules: [], keepsAll: false };
  return {
    joint: () => joint,
    text: async (path: string) => textOf(await store.read(at(path))),
    trashed: async () => (await store.trash!.list()).map(({ original }) => original),
    move: (from: string, to: string, more: { overwrite?: boolean; guard?: Notebook['guard'] } = {}) =>
      moveNote(
        { ...notebook, guard: more.guard },
        {
          from: from as NotePath,
          to: to as NotePath,
          overwrite: more.overwrite ?? false,
          updateLinks: true,
          dryRun: false,
        },
      ),
  };
}

const TEXTS = { 'Home.md': 'To [[plan]].', 'plan.md': 'A plan.', 'goal.md': 'A goal.' };

describeWith(postgresNeed, 'a move with its links as one change', () => {
  test('replaces no text that the caller has not seen, though it came in the last moment', async () => {
    let edits = 0;
    const { move, text, trashed } = await begin(TEXTS, async (store) => {
      if (edits++ === 0) await store.write(at('goal.md'), 'A newer goal.');
    });
    const guard = {
      assertSeen: async (path: NotePath, now?: { bytes: Uint8Array }) => {
        if (textOf({ path, bytes: now!.bytes }) !== 'A goal.') throw new AppError('conflict', 'Not seen');
      },
    } as unknown as NonNullable<Notebook['guard']>;
    await expect(move('plan.md', 'goal.md', { overwrite: true, guard })).rejects.toThrow('Not seen');
    expect(await text('goal.md')).toBe('A newer goal.');
    expect(await text('plan.md')).toBe('A plan.');
    expect(await text('Home.md')).toBe('To [[plan]].');
    expect(await trashed()).toEqual([]);
  });

  test('keeps the replaced note in the trash, as it was in the last moment', async () => {
    let edits = 0;
    const { move, text, trashed, joint } = await begin(TEXTS, async (store) => {
      if (edits++ === 0) await store.write(at('goal.md'), 'A newer goal.');
    });
    await move('plan.md', 'goal.md', { overwrite: true });
    expect(joint()).toBe(2);
    expect(await text('goal.md')).toBe('A plan.');
    expect(await text('Home.md')).toBe('To [[goal]].');
    expect(await trashed()).toEqual(['goal.md']);
  });

  test('replaces a note whose name is asked for in another Unicode form', async () => {
    const { move, text, trashed } = await begin({
      'Home.md': 'To [[plan]].',
      'plan.md': 'A plan.',
      'Caf\u00e9.md': 'x',
    });
    await move('plan.md', 'Cafe\u0301.md', { overwrite: true });
    expect(await text('Caf\u00e9.md')).toBe('A plan.');
    expect(await text('Home.md')).toBe('To [[Caf\u00e9]].');
    expect(await trashed()).toEqual(['Caf\u00e9.md']);
    await move('Cafe\u0301.md', 'Caf\u00e9.md', { overwrite: true });
    expect(await text('Caf\u00e9.md')).toBe('A plan.');
  });

  test('ends, with each note on its own, when a note with a link changes all the time', async () => {
    let edits = 0;
    const { move, text, joint } = await begin(TEXTS, async (store) => {
      await store.write(at('Home.md'), `To [[plan]], for the time ${++edits}.`);
    });
    expect(await move('plan.md', 'way.md')).toMatchObject({
      updated: [{ path: 'Home.md', links: 1 }],
      failed: [],
    });
    expect(joint()).toBe(5);
    expect(await text('Home.md')).toBe('To [[way]], for the time 5.');
  });

  test('is not tried with more notes than one change takes', async () => {
    const linking = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`n/${i}.md`, 'To [[plan]].']));
    const { move, text, joint } = await begin({ ...linking, 'plan.md': 'A plan.' });
    expect((await move('plan.md', 'way.md')).updated).toHaveLength(1001);
    expect(joint()).toBe(0);
    expect(await text('n/1000.md')).toBe('To [[way]].');
  });
});
