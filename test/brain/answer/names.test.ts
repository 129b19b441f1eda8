/** A question about a name or number that no note has is refused, however well its other words fit. */
import { describe, expect, it, test } from 'vitest';
import { ask } from '../../../src/brain/answer/ask.ts';
import { createCite } from '../../../src/brain/answer/citations.ts';
import { groundedAnswer } from '../../../src/brain/answer/grounded.ts';
import { namesIn } from '../../../src/brain/answer/names.ts';
import { openRetriever } from '../../../src/brain/retrieve/retriever.ts';
import type { Source } from '../../../src/brain/types.ts';
import { brokenSource, sourceOf } from '../kit.ts';

test.each([
  ['When did Caroline go to the LGBTQ group?', ['Caroline', 'LGBTQ']],
  ['Who won the 2022 world cup?', ['2022']],
  ['What is on the list for Monday in May?', []],
  ['Where does Dr. Ana Lima work, and when did Ana start?', ['Dr', 'Ana', 'Lima']],
  ["When was Maria's appendix taken out?", ['Maria']],
  ['Was kostet das Auto von Anna?', []],
  ['Wann beginnt der Mietvertrag?', []],
  ['caroline lease', []],
  ['', []],
])('the names in "%s"', (question, names) => {
  expect(namesIn(question)).toEqual(names);
});

describe('a question', async () => {
  const NOTES = {
    'team.md': '# Team\n\nCaroline leads the launch team of 12 people in the Postgresql project.\n',
    'bread.md': '# Bread\n\nThe winning flour for the cup cakes of the world won again.\n',
  };

  async function answers(question: string, sources?: readonly Source[]) {
    const retriever = openRetriever({ sources: sources ?? [await sourceOf(NOTES)] });
    const parts = { retriever, cite: createCite('2026-01-01T00:00:00.000Z'), models: {} };
    const request = { question, topK: 8, scope: {} };
    return {
      quick: await ask(parts, { ...request, mode: 'extractive' }),
      grounded: await groundedAnswer({ ...parts, newId: () => 'x' }, { ...request, minSupport: 0.3 }),
    };
  }

  it('about a person of the notes is answered', async () => {
    const { quick, grounded } = await answers('Who is Caroline, and what is the team of hers?');
    expect(quick.insufficientEvidence).toBe(false);
    expect(grounded.refusedReason).not.toBe('no_evidence');
  });

  it.each([
    ['Who leads the launch team of Zebulon?', 'Zebulon'],
    ['Who won the 2022 world cup?', '2022'],
    ['Tell me who leads the launch team of Zebulon', 'Zebulon'],
  ])('%s is refused, and says why', async (question, name) => {
    const { quick, grounded } = await answers(question);
    expect(quick).toMatchObject({ answer: '', insufficientEvidence: true });
    expect(quick.warnings).toContain(`No note mentions "${name}".`);
    expect(grounded).toMatchObject({ grounded: false, refusedReason: 'no_evidence', citations: [] });
  });

  it.each(['Who leads the Postgres project team?', 'Who leads the launch team of the Carolines?'])(
    '%s: part of a name, or another form of it, is enough',
    async (question) => {
      expect((await answers(question)).quick.warnings.filter((one) => one.startsWith('No note'))).toEqual([]);
    },
  );

  it('need not have its answer say how far or how often', async () => {
    const { quick } = await answers('How often did the winning flour win?');
    expect(quick.warnings.filter((one) => one.startsWith('No note'))).toEqual([]);
  });

  it('is not refused because a notebook cannot be asked', async () => {
    const sources = [await sourceOf(NOTES), brokenSource('far')];
    const { quick } = await answers('Who leads the launch team of Zebulon?', sources);
    expect(quick.warnings.filter((one) => one.startsWith('No note'))).toEqual([]);
  });
});
