/** 200 kills at random points of a mixed load. */
import { test } from 'vitest';
import { killAgainAndAgain } from '../history/crash.ts';

test('a server killed under load 200 times loses no acknowledged change, and all of them can be undone', () =>
  killAgainAndAgain(200, 20_261_117));
