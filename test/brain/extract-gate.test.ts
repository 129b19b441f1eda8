/** Extraction on labelled notes: good enough for every kind, and the published figures are those of today. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { extractionPage } from '../../scripts/extract-figures.ts';
import { f1, KINDS, measure, readCorpus } from '../corpus/extract/gate.ts';

const FOLDER = fileURLToPath(new URL('../corpus/extract', import.meta.url));
const LEAST_F1 = 0.9;
const LEAST_NOTES = 60;

describe('extraction on labelled notes', async () => {
  const sets = { tuned: readCorpus(FOLDER, 'tuned'), 'held-out': readCorpus(FOLDER, 'held-out') };
  const measured = { tuned: await measure(sets.tuned), 'held-out': await measure(sets['held-out']) };

  it('has enough of them, a third held out', () => {
    const [tuned, heldOut] = [sets.tuned.length, sets['held-out'].length];
    expect(tuned + heldOut).toBeGreaterThanOrEqual(LEAST_NOTES);
    expect(heldOut / (tuned + heldOut)).toBeGreaterThan(0.33);
  });

  it.each(KINDS.flatMap((kind) => [['tuned', kind] as const, ['held-out', kind] as const]))(
    'is good enough on %s notes for: %s',
    (set, kind) => {
      const { figures, mistakes } = measured[set];
      expect(
        f1(figures[kind]),
        mistakes.filter((mistake) => mistake.includes(kind)).join('\n'),
      ).toBeGreaterThanOrEqual(LEAST_F1);
    },
  );

  it('is published as it is', async () => {
    const page = await readFile(
      new URL('../../docs/understand/second-brain-extraction.md', import.meta.url),
      'utf8',
    );
    expect(page, 'run npm run docs').toBe(await extractionPage(FOLDER));
  });
});
