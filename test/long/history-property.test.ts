/** Random histories on every store, more than in the gate; `npm run fuzz` has many more, from other seeds. */
import { describe, test } from 'vitest';
import { checkHistories, SPACES } from '../history/spaces.ts';

const TIMES = 16;

describe.each(Object.entries(SPACES))('%s', (_, kind) => {
  test.each(['all', 'each', 'one'] as const)('what was changed can be undone: %s', (what) =>
    checkHistories(what, kind, TIMES),
  );
});
