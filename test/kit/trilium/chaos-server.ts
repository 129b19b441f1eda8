/** A Trilium that may be killed at any time: what was committed then is what the next one finds. */
import {
  type ChaosServer,
  noteName,
  type Orders,
  ownWord,
  savedState,
  saveState,
  serveChaos,
  tell,
} from '../chaos-server.ts';
import { Database } from './database.ts';
import { openTrilium } from './open.ts';

const TABLES = ['notes', 'branches', 'attributes', 'attachments', 'revisions', 'blobs'] as const;
type Tables = Record<(typeof TABLES)[number], Map<string, never>>;

await serveChaos(async (orders): Promise<ChaosServer> => {
  const db = databaseOf(orders);
  const fake = await openTrilium({
    ...(db ? { db } : { notes: seedNotes(orders) }),
    port: orders.port,
  });
  const save = () => saveState(orders, Object.fromEntries(TABLES.map((table) => [table, fake.db[table]])));
  fake.faults.after = ({ method, path }) => {
    if (method !== 'GET') save();
    else if (path.endsWith('/content')) tell({ kind: 'read', isTorn: false });
  };
  return {
    url: fake.url,
    trouble: (fate, latencyMs) => Object.assign(fake.faults, { fate, latencyMs }),
    edit: async (name, text) => {
      fake.edit(name, `<p>${text}</p>`);
      save();
    },
    texts: () =>
      Object.fromEntries(
        [...fake.db.notes.keys()].flatMap((id) => {
          const note = fake.db.note(id);
          return note ? [[note.title, fake.text(id)]] : [];
        }),
      ),
  };
});

function seedNotes({ notes }: Orders) {
  return Array.from({ length: notes }, (_, n) => ({
    id: noteName(n),
    title: noteName(n),
    content: `<p>${ownWord(n)} and other words</p>`,
  }));
}

function databaseOf(orders: Orders): Database | undefined {
  const saved = savedState<Tables>(orders);
  if (!saved) return undefined;
  const db = new Database();
  for (const table of TABLES) for (const [id, row] of saved[table]) db[table].set(id, row);
  return db;
}
