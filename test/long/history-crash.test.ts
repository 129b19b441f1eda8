/** 100 kills at random points of a mixed load; `npm run fuzz` has many more, from other seeds. */
import { test } from 'vitest';
import { killAgainAndAgain } from '../history/crash.ts';
import { cases, propertySeed } from '../kit/cases.ts';

test('a server killed under load 100 times loses no acknowledged change, and all of them can be undone', () =>
  killAgainAndAgain(cases(100), propertySeed));
