/** What the notes cannot answer is refused before a model is asked, with the reason and what is nearest. */
import { describe, expect, it, test } from 'vitest';
import { hasKind, kindOf } from '../../../src/brain/answer/answer-kind.ts';
import { ask } from '../../../src/brain/answer/ask.ts';
import { createCite } from '../../../src/brain/answer/citations.ts';
import { groundedAnswer } from '../../../src/brain/answer/grounded.ts';
import { openRetriever } from '../../../src/brain/retrieve/retriever.ts';
import type { ChatModel } from '../../../src/llm/types.ts';
import { sourceOf } from '../kit.ts';

const NOTES = {
  'talk.md': `# Caroline and Melanie, 25 May 2023

Melanie: I ran a charity race for mental health last Saturday.

Caroline: That sounds great, Mel!

Melanie: Thanks, Caroline! After the race I realized that self-care is important.

Caroline: I am researching adoption agencies this summer. It was my dream to have a family.

Melanie: Good luck with the adoption, Caroline! My dog Biscuit sleeps under the piano.
`,
  'recipes/cake.md':
    '# Cup cakes\n\nThe flour of 2022 won again: the cup cakes of the world are baked with it.\n',
  'recipes/bread.md': '# Bread\n\nBake the bread at 230 degrees for 40 minutes.\n',
  'miete.md': '# Wohnung\n\nDer Vertrag für die Wohnung beginnt am 3. März.\n',
};

const SECTIONS = {
  'log.md':
    '# Log\n\n## 2026-07-01\n\nSlept for five hours.\n\n## 2026-07-08\n\nThe first laugh of the little one!\n',
  'town.md': '# Town\n\n## Ben\n\nKeeps the bakery.\n\n## Ana\n\nWants the old mill back.\n',
  'clubs.md': '- Chess 12 EUR a month\n- Rowing costs 40 EUR a month at the harbour\n',
  'paint.md': '# Paint\n\nBathroom: oyster, let it dry for 90 minutes.\n\nPainter: Ana, 0171 2233445\n',
};

async function answers(question: string, provider?: ChatModel, notes: Record<string, string> = NOTES) {
  const retriever = openRetriever({ sources: [await sourceOf(notes)] });
  const parts = { retriever, cite: createCite('2026-01-01T00:00:00.000Z'), models: { provider } };
  const request = { question, topK: 8, scope: {} };
  return {
    quick: await ask(parts, { ...request, mode: 'auto' }),
    grounded: await groundedAnswer({ ...parts, newId: () => 'x' }, { ...request, minSupport: 0.45 }),
  };
}

describe('a mistyped question', () => {
  it('is answered as the notes spell it, and says so', async () => {
    const { quick, grounded } = await answers('What is Caroline reasearching this summer?');
    const taken = 'Taken as "What is Caroline researching this summer?".';
    expect(quick.answer).toContain('adoption agencies');
    expect(quick.warnings).toContain(taken);
    expect(grounded.warnings).toContain(taken);
  });

  it.each([
    ['a name', 'What did Melannie realize after the race?'],
    ['another word', 'What is Caroline adaptation about?'],
    ['a short word', 'Which raec did Melanie run?'],
  ])('is left as it is where it may be %s', async (_, question) => {
    const { grounded } = await answers(question);
    expect(grounded.warnings?.filter((one) => one.startsWith('Taken as')) ?? []).toEqual([]);
  });
});

describe('a question is refused', () => {
  it.each([
    ['that mixes two people up', 'What did Caroline realize after her charity race?'],
    ['about a thing that no note has', 'When did Caroline sell the houseboat?'],
    ['whose words fit a note by chance', 'Who won the 2022 world cup?'],
    ['for a time that no line has', 'When do we bake the bread at 230 degrees?'],
  ])('%s', async (_, question) => {
    const { quick, grounded } = await answers(question);
    expect(quick).toMatchObject({ answer: '', insufficientEvidence: true, confidence: 0, citations: [] });
    expect(grounded).toMatchObject({ grounded: false, answer: null, citations: [] });
    for (const { warnings } of [quick, grounded])
      expect(warnings?.filter((one) => one.startsWith('Nearest: '))).toHaveLength(1);
  });

  it('with the reason, and the path and heading of what is nearest', async () => {
    const { grounded } = await answers('What did Caroline realize after her charity race?');
    expect(grounded.warnings).toEqual(
      expect.arrayContaining([
        'What fits best is not about Caroline.',
        'Nearest: talk.md, under "Caroline and Melanie, 25 May 2023".',
      ]),
    );
    const { quick } = await answers('When did Caroline sell the houseboat?');
    expect(quick.warnings).toContain('No note mentions "houseboat".');
  });

  it('before a model is asked', async () => {
    let asked = 0;
    const complete = async () => {
      asked++;
      return { text: 'Self-care is important [1].', model: 'm', stopReason: 'end' as const };
    };
    const model = { name: 'm', complete };
    await answers('What did Caroline realize after her charity race?', model);
    await answers('When did Caroline sell the houseboat?', model);
    expect(asked).toBe(0);
    await answers('What did Melanie realize after her charity race?', model);
    expect(asked).toBe(2);
  });
});

describe('a question is answered', () => {
  it.each([
    ['by the line of the one it names', 'What did Melanie realize after her charity race?', 'self-care'],
    [
      'by the line of the one whose name it shortens',
      'What did Mel realize after her charity race?',
      'self-care',
    ],
    [
      'by a line that names nobody, of the one who says it',
      'What is Caroline researching?',
      'Caroline: I am',
    ],
    [
      'about one who does not speak by the line that names him',
      'Where does Biscuit sleep?',
      'Biscuit sleeps under the piano.',
    ],
    ['in other languages, whatever their words', 'Wann beginnt der Vertrag für die Wohnung?', '3. März'],
  ])('%s', async (_, question, says) => {
    const { quick, grounded } = await answers(question);
    expect(quick.answer).toContain(says);
    expect(grounded.answer).toContain(says);
  });

  it.each([
    ['by a line under the heading with the name', 'What does Ana want?', 'Wants the old mill back.'],
    ['by a line under the heading with the day', 'When was the first laugh?', 'first laugh'],
    ['by a price, which need not say that it is one', 'How much does Chess cost a month?', 'Chess 12 EUR'],
    ['by a number alone', "What is the painter's number?", '0171 2233445'],
    ['by an amount alone', 'How long does the oyster dry?', '90 minutes'],
  ])('%s', async (_, question, says) => {
    const { quick, grounded } = await answers(question, undefined, SECTIONS);
    expect(quick.answer.split('\n')[0]).toContain(says);
    expect(grounded.answer).toContain(says);
  });

  it.each([
    ['Wie hoch ist der Mitgliedsbeitrag?', '48 Euro'],
    ['Wann wurde die Heizung installiert?', 'installiert: 2019-08-15'],
    ['Combien coûte le loyer du bail ?', '980 euros'],
    ['Wann wurde der Kamin installiert?', undefined],
    ['厨房的瓷砖是什么颜色？', '浅灰色'],
    ['厨房的窗户是什么颜色？', undefined],
  ])('in other languages, if most of what is asked is there: %s', async (question, says) => {
    const { grounded } = await answers(question, undefined, {
      'verein.md': '# Verein\n\nDer Mitgliedsbeitrag steigt auf 48 Euro im Jahr.\n',
      'heizung.md': '---\ninstalliert: 2019-08-15\n---\n# Heizung\n\nDer Druck liegt bei 1,5 bar.\n',
      'appartement.md': '# Appartement\n\nLe loyer du bail est de 980 euros.\n',
      '装修.md': '# 装修\n\n厨房的瓷砖选了浅灰色。\n',
    });
    if (says === undefined) expect(grounded.answer).toBeNull();
    else expect(grounded.answer).toContain(says);
  });

  it('with who said it, where the sentence itself does not', async () => {
    const { quick } = await answers('What was the dream of Caroline about a family?');
    expect(quick.answer).toContain('Caroline: It was my dream to have a family.');
  });
});

test.each([
  ['When is the launch?', 'a time', 'The launch is on 5 May.', 'The launch is a matter for the team.'],
  ['How many nodes are there?', 'an amount', 'The cluster has three nodes.', 'The cluster has nodes.'],
  ['Who leads the team?', 'a person', 'It is led by Ana.', 'It is led well.'],
  ['Who taught him?', 'a person', 'The neighbour taught him.', 'The lessons were good.'],
  ['Where is the crane?', 'a place', 'It stands at the harbour.', 'It stands.'],
  ['Why is it closed?', 'a reason', 'Closed because of the storm.', 'Closed yesterday.'],
] as const)('%s wants %s', (question, kind, answer, other) => {
  expect(kindOf(question)).toBe(kind);
  expect([hasKind(kind, answer), hasKind(kind, other)]).toEqual([true, false]);
});

test('a line of a dated note has a time', () => {
  expect(hasKind('a time', 'The pump broke.', 'daily/2026-01-02.md')).toBe(true);
  expect(kindOf('What is the launch date?')).toBeUndefined();
});
