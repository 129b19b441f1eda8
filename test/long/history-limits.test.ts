/** A day of 50,000 writes: the history stays within its limit. */
import { test } from 'vitest';
import { busyDay } from '../history/kit.ts';

test('a day of 50,000 writes stays within the limit, and what is left of it is whole', () => busyDay(50_000));
