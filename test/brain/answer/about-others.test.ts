/** A fact of somebody else in the same paragraph is no answer. */
import { describe, expect, it } from 'vitest';
import { answerTo } from './kit.ts';

describe('a question is refused', () => {
  it.each([
    [
      'whose answer is of others before them',
      'How many dogs do the Schmidts have?',
      'The Webers have two dogs. The Schmidts have a pool.',
    ],
    [
      'whose answer is of others behind them',
      'Do the Webers have a pool?',
      'The Webers have two dogs. The Schmidts have a pool.',
    ],
    [
      'whose answer is of others in the next paragraph',
      'When does Atlas end?',
      'Atlas began in March.\n\nBorealis ends in June.',
    ],
    [
      'whose answer stands behind the label of others',
      'Which pool do the Webers have?',
      '- Webers: two dogs\n- Schmidts: a pool',
    ],
    [
      'whose answer is of a relative',
      'How many cats does Ana have?',
      'Ana is a nurse. Her brother has three cats.',
    ],
    [
      'whose answer is of a relative, who is a pronoun then',
      'How many cats does Ana have?',
      'Ana is a nurse. Her brother is a cook. He has three cats.',
    ],
    [
      'whose answer is of a name that stands in a sentence elsewhere',
      'What lamp did Ana buy?',
      'Ana painted the hall. Nino bought a lamp.\n\nWe met Nino in Bern.',
    ],
    [
      'whose answer is of a name, who is a pronoun then',
      'How many nights did Rosa stay?',
      'Rosa flew to Oslo. Tim flew to Porto. He stayed three nights.',
    ],
    [
      'whose answer stands before a sentence that begins with them',
      'How many dogs do the Schmidts have?',
      'Two dogs live at number five. The Schmidts have a pool.',
    ],
    [
      'whose answer is of others, before a sentence that names them',
      'What boiler did Petrov fix?',
      'Nino Adamo can fix a boiler. The plumber was Mr Petrov.',
    ],
    [
      'for a person who is that of others',
      'Who is the vet of the Schmidts?',
      "The Schmidts have a pool. The Webers' vet is Dr Keller.",
    ],
    [
      'about one with the same title',
      'When does Dr Petrov open the practice?',
      'Dr Keller opens the practice on 3 March. Dr Petrov is on holiday.',
    ],
  ])('%s', async (_, question, note) => {
    expect((await answerTo(question, note)).answer).toBe('');
  });
});

describe('a question is answered', () => {
  it.each([
    [
      'by the sentence with the name',
      'How many dogs do the Webers have?',
      'The Webers have two dogs. The Schmidts have a pool.',
      'two dogs',
    ],
    [
      'by one with the name of the right doctor',
      'When does Dr Petrov open the practice?',
      'Dr Keller opens the practice on 3 March. Dr Petrov opens the practice on 5 April.',
      'Dr Petrov opens',
    ],
    [
      'by a later one without a name',
      'What is the budget of Atlas?',
      'Atlas starts in May. Ben leads it. The budget is 30,000 euros.',
      '30,000',
    ],
    [
      'by a later one with a pronoun',
      'How much does Atlas cost?',
      'Atlas starts in May. Ben leads it. It costs 30,000 euros.',
      '30,000',
    ],
    [
      'by an earlier one that goes on to the name',
      'What did Petrov fix?',
      'Fixed the boiler for 240 euros. The plumber was Mr Petrov.',
      'Fixed the boiler',
    ],
    [
      'by one of the next paragraph',
      'What is the budget of Atlas?',
      'Atlas starts in May.\n\nThe budget is 30,000 euros.',
      '30,000',
    ],
    [
      'by one that opens with the name of the one who is asked for',
      'Who leads Atlas?',
      'Atlas starts in May. Ben leads it.',
      'Ben leads it.',
    ],
    [
      'by the relative who is asked for',
      'How many cats does the brother of Ana have?',
      'Ana is a nurse. Her brother has three cats.',
      'three cats',
    ],
    [
      'by an entry behind the name, whatever its label',
      'What is the phone of Petrov?',
      '- Name: Petrov\n- Phone: 0171 2233445',
      '0171',
    ],
  ])('%s', async (_, question, note, says) => {
    expect((await answerTo(question, note)).answer).toContain(says);
  });

  it('by any sentence under the name, whoever else it begins with', async () => {
    const note = '# Atlas\n\nThe Webers pay 30,000 euros.\n';
    expect((await answerTo('How many euros do we get for Atlas?', note)).answer).toContain('30,000');
  });
});
