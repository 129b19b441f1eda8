/** Extraction on labelled lines of public notes: what people write for themselves, in five languages. */
import { describe, expect, it } from 'vitest';
import {
  f1Of,
  type LabelledNote,
  measureLines,
  readLabelledNotes,
  SUBJECTS,
} from '../../bench/quality/extraction/measure.ts';

const LINES = new URL('../../bench/quality/extraction/lines.jsonl', import.meta.url);
const LEAST_F1 = 0.85;

describe('extraction on lines of public notes', () => {
  const notes = readLabelledNotes(LINES);

  it.each(SUBJECTS)('finds %s well enough', async (subject) => {
    const counts = (await measureLines(notes))[subject].all!;
    expect(f1Of(counts), JSON.stringify(counts)).toBeGreaterThanOrEqual(LEAST_F1);
  });

  it('counts a loop that is missed and one that is none', async () => {
    const note: LabelledNote = {
      language: 'en',
      source: 'here',
      path: 'note.md',
      licence: 'none',
      lines: [
        ['L', 'Nothing in this line says so.'],
        ['', ''],
        ['', '- [ ] water the plants'],
        ['l', '- [ ] perhaps'],
        ['L@Ana>2026-12-01', '- [ ] call Ana'],
      ],
    };
    expect((await measureLines([note])).loops).toEqual({
      all: { found: 1, wrong: 1, missed: 1 },
      en: { found: 1, wrong: 1, missed: 1 },
    });
  });

  it('has lines of at least four languages, all of them openly licensed', () => {
    expect(new Set(notes.map(({ language }) => language)).size).toBeGreaterThanOrEqual(4);
    for (const { licence } of notes) expect(licence).toMatch(/^(?:MIT|BSD-3-Clause|CC-BY-SA-[34]\.0)$/);
  });
});
