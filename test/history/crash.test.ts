import { test } from 'vitest';
import { killAgainAndAgain } from './crash.ts';

test('a server killed under load five times loses no acknowledged change, and all of them can be undone', () =>
  killAgainAndAgain(5, 1));
