import { describe } from 'vitest';
import { PathFilter } from '../../src/notes/path-filter.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { openTriliumStore } from '../../src/stores/trilium/store.ts';
import { guarded } from '../../src/stores/wrap/guarded.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { start } from '../trilium/kit.ts';
import { testStoreContract } from './store.ts';

const openFolder = async () => {
  const filter = new PathFilter();
  return openFolderStore(await temporaryFolder(), { isVisible: (path) => !filter.isHidden(path) });
};

describe('memory store', () => testStoreContract(async () => openMemoryStore()));
describe('folder store', () => testStoreContract(openFolder));
describe('folder store behind the path filter', () =>
  testStoreContract(async () => guarded(await openFolder(), new PathFilter())));

/** Texts as they are: what a conversion does to them is the conversion's business. */
const verbatim = { toMarkdown: (html: string) => html, toHtml: (markdown: string) => markdown };

describe('trilium store', () =>
  testStoreContract(async () => openTriliumStore({ client: (await start()).client, markdown: verbatim })));
