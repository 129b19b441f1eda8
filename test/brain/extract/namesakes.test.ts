/** One person by several names. */
import { describe, expect, it } from 'vitest';
import { namesOfPerson, personCalled, personOfNote } from '../../../src/brain/extract/meetings/namesakes.ts';
import { createLoopCache } from '../../../src/brain/extract/ops/library-scan.ts';
import { openLoops } from '../../../src/brain/extract/ops/open-loops.ts';
import { createLibrary } from './library-kit.ts';

const note = (path: string, ...aliases: string[]) => personOfNote(path, { aliases })!;

describe('the names of a person', () => {
  const mei = note('People/Mei Chen.md', 'MC');

  it.each(['Mei Chen', 'mei chen', 'MC', 'Mei'])('are all of the note, and the first name: %s', (wanted) => {
    expect(
      namesOfPerson(wanted, [mei, note('People/Omar Haddad.md')])
        .map((name) => name.toLowerCase())
        .sort(),
    ).toEqual(['mc', 'mei', 'mei chen']);
  });

  it('are without a first name that another person has', () => {
    expect(namesOfPerson('Mei Chen', [mei, note('People/Mei Tanaka.md')])).toEqual(['Mei Chen', 'MC']);
    expect(namesOfPerson('Mei Chen', [mei, personCalled('Mei Tanaka')])).toEqual(['Mei Chen', 'MC']);
    expect(namesOfPerson('Mei', [mei, note('People/Mei Tanaka.md')])).toEqual(['Mei']);
  });

  it('are without an alias that another person has', () => {
    const people = [note('Mei Chen.md', 'Mei'), note('Mei Tanaka.md', 'Mei')];
    expect(namesOfPerson('Mei', people)).toEqual(['Mei']);
    expect(namesOfPerson('Mei Chen', people)).toEqual(['Mei Chen']);
  });

  it('are not made rarer by a note about a thing', () => {
    expect(namesOfPerson('Mei Chen', [mei, note('Work/Mei Review.md')]).sort()).toEqual([
      'MC',
      'Mei',
      'Mei Chen',
    ]);
  });

  it('are the one that is given where no note has it', () => {
    expect(namesOfPerson('Zora', [mei])).toEqual(['Zora']);
  });
});

describe('open loops of an owner', () => {
  const tasks = {
    'Notes/a.md': '- [ ] water the ferns [owner:: Elisabeth Moreau]\n- [ ] paint [owner:: Liz]\n',
    'Notes/b.md': '- [ ] call @mei\n- [ ] write [owner:: Mei Chen]\n',
  };
  const owned = async (owner: string, notes: Record<string, string>) => {
    const library = createLibrary({ ...tasks, ...notes });
    const answer = await openLoops(
      library,
      { owner },
      { now: Date.parse('2026-11-16'), cache: createLoopCache() },
    );
    return answer.loops.map(({ text }) => text).sort();
  };

  it.each(['Liz', 'Elisabeth Moreau', 'Elisabeth'])('are found by any name: %s', async (owner) => {
    const person = { 'People/Elisabeth Moreau.md': '---\naliases: [Liz]\n---\n' };
    expect(await owned(owner, person)).toEqual(['paint', 'water the ferns']);
  });

  it('are not guessed where two share a first name', async () => {
    const one = { 'Mei Chen.md': '---\naliases:\n  - Mei\n---\n' };
    expect(await owned('Mei Chen', one)).toEqual(['call @mei', 'write']);
    expect(await owned('Mei Chen', { ...one, 'Mei Tanaka.md': 'Friend.' })).toEqual(['write']);
    expect(await owned('Mei Chen', { ...one, 'Notes/c.md': '- [ ] sing [owner:: Mei Tanaka]\n' })).toEqual([
      'write',
    ]);
  });
});
