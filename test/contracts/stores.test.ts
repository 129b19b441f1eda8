import { describe, expect, it, onTestFinished } from 'vitest';
import { PathFilter } from '../../src/notes/path-filter.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { type StoreKindName, storeAt } from '../../src/stores/registry.ts';
import { createSilverBulletClient } from '../../src/stores/silverbullet/client.ts';
import { openSilverBulletStore } from '../../src/stores/silverbullet/store.ts';
import { cleanFile } from '../../src/stores/trilium/html/clean.ts';
import { openTriliumStore } from '../../src/stores/trilium/store.ts';
import { guarded } from '../../src/stores/wrap/guarded.ts';
import type { Dialect } from '../kit/silverbullet/dialect.ts';
import { startSilverBullet } from '../kit/silverbullet/server.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { start } from '../trilium/kit.ts';
import { testStoreContract } from './store.ts';

const openFolder = async () => {
  const filter = new PathFilter();
  return openFolderStore(await temporaryFolder(), { isVisible: (path) => !filter.isHidden(path) });
};

/** With any name: the contract holds some that SilverBullet's own editor could not open. */
const openSilverBullet = (dialect: Dialect) => async () => {
  const { url, token } = await startSilverBullet({ dialect });
  const store = openSilverBulletStore(createSilverBulletClient({ url, token }), { anyName: true });
  onTestFinished(() => store.close());
  return store;
};

describe('memory store', () => testStoreContract(async () => openMemoryStore()));
describe('folder store', () => testStoreContract(openFolder));
describe('folder store behind the path filter', () =>
  testStoreContract(async () => guarded(await openFolder(), new PathFilter())));
describe('SilverBullet store, 2.10 and later', () => testStoreContract(openSilverBullet('rust')));
describe('SilverBullet store, 2.8', () => testStoreContract(openSilverBullet('go')));

/**
 * Texts as they are: what a conversion does to them is the conversion's business. A byte order mark is spelt out, as
 * Trilium drops one at the begin of a text.
 */
const verbatim = {
  toMarkdown: (html: string) => html.replace(/^&#xFEFF;/, '\uFEFF'),
  toHtml: (markdown: string) => markdown.replace(/^\uFEFF/, '&#xFEFF;'),
};

describe('trilium store', () =>
  testStoreContract(async () =>
    openTriliumStore({ client: (await start()).client, markdown: verbatim, cleanFile }),
  ));

/** The identities that names of saved indexes are made of, pinned since earlier versions. A new kind has a row of its own. */
const IDENTITIES: Record<StoreKindName, [Parameters<typeof storeAt>[0], unknown]> = {
  folder: [{ folder: '/notes/../notes' }, '/notes'],
  silverbullet: [{ silverbullet: { url: 'https://host', token: 't' } }, 'https://host'],
  trilium: [{ trilium: { url: 'https://host', token: 't' } }, ['https://host', undefined]],
  postgres: [
    { postgres: 'postgres://me:secret@host:5433/team?sslmode=require', schema: 'notes' },
    ['postgres', 'host:5433/team', 'notes'],
  ],
};

describe('the identity of a store', () => {
  it.each(Object.entries(IDENTITIES))(
    'of kind %s is the one its saved index has',
    (_, [location, identity]) => {
      expect(storeAt(location).identity).toEqual(identity);
    },
  );

  it('differs between kinds', () => {
    const identities = Object.values(IDENTITIES).map(([location]) =>
      JSON.stringify(storeAt(location).identity),
    );
    expect(new Set(identities).size).toBe(identities.length);
  });
});
