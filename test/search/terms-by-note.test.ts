import { expect, it } from 'vitest';
import { documentOf } from '../../src/search/index/document.ts';
import { NoteIndex } from '../../src/search/index/note-index.ts';
import { termsByNote } from '../../src/search/meaning/terms-by-note.ts';
import { runAtOnce } from '../../src/shared/async/time-slices.ts';
import { at } from './kit.ts';

const TERMS = ['garden', 'gardens', 'water', 'tool', 'fence'];

async function indexOf(notes: number): Promise<NoteIndex> {
  const index = new NoteIndex();
  for (let note = 0; note < notes; note++) {
    const text = TERMS.filter((_, term) => (note * 7 + term) % 3 > 0)
      .flatMap((term, place) => Array(1 + ((note + place) % 4)).fill(term))
      .join(' ');
    const path = at(`${note}.md`);
    const meta = { path, size: text.length, lastModified: note };
    await index.put(meta, text, await documentOf(path, text), async () => {});
  }
  return index;
}

/** By note: the weight of each row. */
function turned(index: NoteIndex, entriesAtOnce?: number): Record<number, Record<number, number>> {
  const found: Record<number, Record<number, number>> = {};
  const rowOf = (term: string) => TERMS.findIndex((known) => known.startsWith(term.slice(0, 4)));
  const wanted = Uint8Array.from({ length: index.span }, (_, note) => (note === 5 ? 0 : 1));
  const steps = termsByNote(
    index,
    { wanted, rowOf },
    ({ number, rows, weights, from, to }) => {
      expect(found[number]).toBeUndefined();
      const ofNote: Record<number, number> = {};
      found[number] = ofNote;
      for (let entry = from; entry < to; entry++) {
        const row = rows[entry]!;
        // Entries of one term stand side by side.
        if (row in ofNote) expect(rows[entry - 1]).toBe(row);
        ofNote[row] = (ofNote[row] ?? 0) + weights[entry]!;
      }
    },
    entriesAtOnce,
  );
  runAtOnce(steps);
  return found;
}

it('gives each wanted note its terms and weights, however few notes are turned round at a time', async () => {
  const index = await indexOf(40);
  const whole = turned(index);
  expect(Object.keys(whole)).toHaveLength(39);
  expect(whole[1]).toEqual(ofNote(1));
  expect(whole[38]).toEqual(ofNote(38));
  for (const few of [1, 7, 50]) expect(turned(index, few)).toEqual(whole);
});

/** As the text of a note says; two words are one term. */
function ofNote(note: number): Record<number, number> {
  const weights: Record<number, number> = {};
  TERMS.filter((_, term) => (note * 7 + term) % 3 > 0).forEach((term, place) => {
    const row = term === 'gardens' ? 0 : TERMS.indexOf(term);
    weights[row] = (weights[row] ?? 0) + 1 + ((note + place) % 4);
  });
  return weights;
}
