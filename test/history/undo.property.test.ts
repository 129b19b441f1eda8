/** Random histories on every store: what was changed can be undone. Few cases here, more in test/long, many by `npm run fuzz`. */
import { describe, test } from 'vitest';
import { checkHistories, SPACES } from './spaces.ts';

describe.each(Object.entries(SPACES))('%s', (_, kind) => {
  test('undoing everything in reverse restores every byte, and undoing that does too', () =>
    checkHistories('all', kind));
  test('undoing change by change, the newest first, restores every byte', () => checkHistories('each', kind));
  test('undoing any one change restores exactly its part, or is a conflict that changed nothing', () =>
    checkHistories('one', kind));
});
