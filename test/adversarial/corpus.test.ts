/** The sample notes; the adversarial ones are in the long suite. */
import { expect, test } from 'vitest';
import { describeCorpus } from './every-note.ts';
import { makeVault } from './make-vault.ts';

test('the adversarial notebook is the same on every run', () => {
  expect(makeVault()).toEqual(makeVault());
  expect(Object.keys(makeVault()).length).toBeGreaterThan(150);
});

describeCorpus('examples');
