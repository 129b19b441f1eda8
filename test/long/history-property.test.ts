/** Random histories on every store, many times those of the gate. */
import { describe, test } from 'vitest';
import { checkHistories, SPACES } from '../history/spaces.ts';

const TIMES = 40;

describe.each(Object.entries(SPACES))('%s', (_, kind) => {
  test.each(['all', 'each', 'one'] as const)('what was changed can be undone: %s', (what) =>
    checkHistories(what, kind, TIMES),
  );
});
