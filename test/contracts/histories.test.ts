/** Histories and proposals in folders and in PostgreSQL. */
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, onTestFinished } from 'vitest';
import { FolderProposals } from '../../src/history/folder-proposals.ts';
import { postgresHistory } from '../../src/history/postgres/engine.ts';
import { silentLog } from '../../src/shared/log.ts';
import { historyIn } from '../history/kit.ts';
import { describeWith } from '../kit/needs.ts';
import { postgresNeed } from '../kit/postgres.ts';
import { openState, sharedDatabase } from '../kit/postgres-state.ts';
import { temporaryFolder } from '../kit/temp.ts';
import { type HistoryPlaceUnderTest, testHistoryContract } from './history.ts';
import { testProposalsContract } from './proposals.ts';

/** Small, so that changes and texts are spread over several. */
const SEGMENT_BYTES = 2_500;
const MB = 1024 * 1024;
const LONG_AFTER_MS = 300_000;

function inFolder(folder: string): HistoryPlaceUnderTest {
  return {
    open: (options) => historyIn(folder, { segmentBytes: SEGMENT_BYTES, ...options }),
    async afterCrash() {
      const copy = await temporaryFolder();
      await cp(folder, copy, { recursive: true, filter: (file) => !file.endsWith('.lock') });
      return inFolder(copy);
    },
    later: () => {},
  };
}

describe('in a folder', () => {
  testHistoryContract(async () => inFolder(await temporaryFolder()));
  testProposalsContract(async () => {
    const folder = join(await temporaryFolder(), 'proposals');
    return (options) => new FolderProposals({ folder, log: silentLog, ...options });
  });
});

describeWith(postgresNeed, 'in PostgreSQL', () => {
  let places = 0;
  const newEngine = async () => postgresHistory(await openState(await sharedDatabase()));

  testHistoryContract(async () => {
    const [engine, name] = [await newEngine(), `notes ${places++}`];
    let ahead = 0;
    const place: HistoryPlaceUnderTest = {
      open: (options = {}) => {
        const now = () => (options.now?.() ?? Date.now()) + ahead;
        const history = engine.openHistory(name, {
          days: 90,
          maxBytes: 100 * MB,
          log: silentLog,
          ...options,
          now,
        });
        onTestFinished(() => history.close());
        return history;
      },
      afterCrash: async () => {
        place.later();
        return place;
      },
      later: () => {
        ahead += LONG_AFTER_MS;
      },
    };
    return place;
  });
  testProposalsContract(async () => {
    const [engine, name] = [await newEngine(), `notes ${places++}`];
    return (options) => engine.openProposals(name, { log: silentLog, ...options });
  });
});
