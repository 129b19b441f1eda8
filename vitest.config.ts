import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** These change modules for themselves or look at the whole heap, so no other file may share a process with them. */
const APART = ['test/search/few-watches.test.ts', 'test/tidy-memory.test.ts'];
/** Minutes of load, crashes and bad weather: `npm run test:long`. */
const LONG = ['test/long/**/*.test.ts'];
/** Their relays and sockets must not wait for what another file left to the same process. */
const LONG_APART = ['test/long/server-network.test.ts'];

/** A property that is tried with many times the cases takes many times as long. */
const patience = Math.max(1, Number(process.env.QUIRE_FUZZ_RUNS ?? 1));

const LONG_TIMEOUT = 600_000 * patience;

const shared = {
  setupFiles: ['test/setup.ts'],
  testTimeout: 60_000 * patience,
  hookTimeout: 60_000,
  // What is polled for comes later on a busy machine.
  expect: { poll: { timeout: 40_000, interval: 20 } },
};

/** These wait or take minutes: begun first, they go on while others work, and none is left alone at the end. */
const WAITING =
  /\/(?:[a-z]*-weather|chaos[a-z-]*|conformance|pass-through|console-load|history-[a-z]+|malicious-server|undo-trilium)\.test\.ts$/;

class WaitingFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isWaiting = ({ moduleId }: TestSpecification) => WAITING.test(moduleId);
    return [...sorted.filter(isWaiting), ...sorted.filter((file) => !isWaiting(file))];
  }
}

/** SQL files are imported as text, as in the build. */
const sql = {
  name: 'sql',
  transform: (text: string, file: string) =>
    file.endsWith('.sql') ? { code: `export default ${JSON.stringify(text)}`, map: null } : undefined,
};

export default defineConfig({
  test: {
    sequence: { sequencer: WaitingFirst },
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', './test/kit/skipped-reporter.ts'],
    // Most tests wait for processes and disks, so one more than there are processors keeps two of them busy.
    maxWorkers: Math.max(3, availableParallelism() - 1),
    projects: [
      {
        plugins: [sql],
        test: {
          ...shared,
          name: 'gate',
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...APART, ...LONG, '**/node_modules/**'],
          // What is imported is compiled once for all files of a worker.
          isolate: false,
        },
      },
      { plugins: [sql], test: { ...shared, name: 'apart', include: APART } },
      {
        plugins: [sql],
        test: {
          ...shared,
          name: 'long',
          include: LONG,
          exclude: [...LONG_APART, '**/node_modules/**'],
          testTimeout: LONG_TIMEOUT,
          isolate: false,
        },
      },
      {
        plugins: [sql],
        test: { ...shared, name: 'long-apart', include: LONG_APART, testTimeout: LONG_TIMEOUT },
      },
    ],
  },
});
