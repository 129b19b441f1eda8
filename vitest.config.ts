import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    // Most tests wait for processes and disks, and the processes they start want a processor too.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // Nothing of the user's own is read or written.
    env: { XDG_CACHE_HOME: join(tmpdir(), 'quire-test-cache') },
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
