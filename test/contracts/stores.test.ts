import { describe } from 'vitest';
import { PathFilter } from '../../src/notes/path-filter.ts';
import { openFolderStore } from '../../src/stores/folder/store.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { guarded } from '../../src/stores/wrap/guarded.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { testStoreContract } from './store.ts';

const openFolder = async () => {
  const filter = new PathFilter();
  return openFolderStore(await temporaryFolder(), { isVisible: (path) => !filter.isHidden(path) });
};

describe('memory store', () => testStoreContract(async () => openMemoryStore()));
describe('folder store', () => testStoreContract(openFolder));
describe('folder store behind the path filter', () =>
  testStoreContract(async () => guarded(await openFolder(), new PathFilter())));
