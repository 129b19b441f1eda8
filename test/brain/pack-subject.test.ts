/** Packs for an intent that names somebody, by any of their names, and may say what about. */
import { describe, expect, it } from 'vitest';
import { focusOf } from '../../src/brain/pack/focus.ts';
import { buildPack } from '../../src/brain/pack/pack.ts';
import type { FoundDecision, FoundLoop } from '../../src/brain/pack/types.ts';
import { contentWords } from '../../src/notes/text/analyzer.ts';
import { libraryOf, looseCitation } from '../kit/brain.ts';

const citation = (line: number, text: string) => looseCitation('list.md', line, text);
const loop = (line: number, text: string, owner?: string): FoundLoop => {
  return { id: text, kind: 'task', text, owner, citation: citation(line, text) };
};
const decision = (line: number, text: string): FoundDecision => {
  return { title: text, decision: text, status: 'accepted', citation: citation(line, text) };
};

interface Found {
  readonly notes?: Record<string, string>;
  readonly loops?: readonly FoundLoop[];
  readonly decisions?: readonly FoundDecision[];
}

async function packFor(intent: string, { notes = {}, loops = [], decisions = [] }: Found) {
  const { library, retriever, cite, citeAt } = libraryOf(notes);
  const parts = {
    ...{ library, retriever, cite, citeAt },
    decisions: async () => decisions,
    openLoops: async () => loops,
    allowedActions: [],
    policyControls: {},
    now: () => 0,
    newId: () => '0',
  };
  const include = ['facts', 'decisions', 'open_loops', 'preferences'] as const;
  const { pack } = await buildPack(parts, { intent, tokenBudget: 8_000, include, scope: {}, format: 'json' });
  const found = [
    ...pack.openLoops.map(({ text, score }) => ({ text, score })),
    ...pack.priorDecisions.map(({ title: text, score }) => ({ text, score })),
    ...pack.relevantFacts.map(({ path: text, score }) => ({ text, score })),
  ];
  return found.sort((a, b) => b.score - a.score).map(({ text }) => text);
}

describe('the focus of an intent', () => {
  it.each([
    ['talk to Priya about the kitchen', ['Priya'], ['kitchen']],
    ['Talk about the kitchen with Priya Nair', ['Priya Nair'], ['kitchen']],
    ['discuss the kitchen with Priya', ['Priya'], ['kitchen']],
    ['mit Priya über die Küche sprechen', ['Priya'], ['küche']],
    ['parler avec Priya au sujet de la cuisine', ['Priya'], ['cuisine']],
    ['hablar con Priya sobre la cocina', ['Priya'], ['cocina']],
    ['Prepare the weekly meeting with Priya', ['Priya'], []],
    ['plan the launch of Apollo', ['Apollo'], []],
    ['paint the kitchen', [], []],
    ['write about Priya Nair', ['Priya Nair'], []],
  ])('%s', (intent, names, subject) => {
    expect(focusOf(intent)).toEqual({ names, subject: subject.flatMap(contentWords) });
  });
});

describe('a pack for a talk with somebody about something', () => {
  const found: Found = {
    notes: {
      'kitchen.md': '# Kitchen\n\nThe kitchen is three metres wide.\n',
      'choir.md': '# Choir\n\nPriya sings the alto.\n',
      'talks.md': '# Talks\n\nHow to give a good talk at a fair.\n',
    },
    loops: [
      loop(1, 'Lend the tent', 'Priya'),
      loop(2, 'Measure the kitchen'),
      loop(3, 'Choose kitchen tiles', 'Priya'),
      loop(4, 'Renew the passport'),
      loop(5, 'Give a talk at the fair'),
    ],
    decisions: [decision(6, 'The kitchen stays white'), decision(7, 'Soup on Fridays')],
  };

  it.each([
    'talk to Priya about the kitchen',
    'Talk about the kitchen with Priya',
    'discuss the kitchen with Priya',
  ])(
    'begins with what is open and decided about it, and ends with her other subjects: %s',
    async (intent) => {
      const order = await packFor(intent, found);
      expect(order[0]).toBe('Choose kitchen tiles');
      expect(order.slice(1, 3).sort()).toEqual(['Measure the kitchen', 'The kitchen stays white']);
      expect(order[3]).toBe('kitchen.md');
      expect(order.slice(4).sort()).toEqual(['Lend the tent', 'choir.md']);
    },
  );

  it('is as before where nothing is known about the subject', async () => {
    const order = await packFor('talk to Priya about the harbour', found);
    expect(order.sort()).toEqual(['Choose kitchen tiles', 'Lend the tent', 'choir.md'].sort());
  });
});

describe('a pack for somebody with several names', () => {
  const liz = { 'people/Elisabeth Moreau.md': '---\naliases: [Liz]\n---\nSings.\n' };
  const loops = [
    loop(1, 'Return the ladder', 'Elisabeth Moreau'),
    loop(2, 'Call Liz back'),
    loop(3, 'Renew the passport'),
    loop(4, 'Lend the tent', 'Omar Moreau'),
  ];
  const notes = {
    ...liz,
    'choir.md': 'Elisabeth Moreau leads the choir.\n',
    'tart.md': 'Bring the butter.\n',
  };

  it.each(['Prepare the meeting with Liz', 'Prepare the meeting with Elisabeth Moreau'])(
    'has what is written about them by any: %s',
    async (intent) => {
      const order = await packFor(intent, { notes, loops });
      expect(order.slice(0, 2).sort()).toEqual(['Call Liz back', 'Return the ladder']);
      expect(order.slice(2).sort()).toEqual(['choir.md', 'people/Elisabeth Moreau.md']);
    },
  );

  it.each(['Liz', 'Elisabeth', 'Elisabeth Moreau'])(
    'begins with their part in the subject: %s',
    async (name) => {
      const tasks = [loop(1, 'Measure the kitchen'), loop(2, 'Choose kitchen tiles', 'Liz')];
      const order = await packFor(`talk to ${name} about the kitchen`, { notes, loops: tasks });
      expect(order.slice(0, 2)).toEqual(['Choose kitchen tiles', 'Measure the kitchen']);
    },
  );

  it('guesses nothing where two share a first name', async () => {
    const both = {
      'people/Mei Chen.md': '---\naliases: [Mei]\n---\nPlays chess.\n',
      'people/Mei Tanaka.md': 'Paints.\n',
    };
    const found = [
      loop(1, 'Call back', 'Mei Chen'),
      loop(2, 'Send the plan', 'Mei Tanaka'),
      loop(3, 'Ask Mei'),
    ];
    const withChen = await packFor('Prepare the meeting with Mei Chen', { notes: both, loops: found });
    expect(withChen.sort()).toEqual(['Call back', 'people/Mei Chen.md']);
    const withMei = await packFor('Prepare the meeting with Mei', { notes: both, loops: found });
    expect(withMei).toEqual(expect.arrayContaining(['Call back', 'Send the plan', 'Ask Mei']));
  });

  it('takes a first name that nobody else has for the person', async () => {
    const one = { 'people/Mei Chen.md': 'Plays chess.\n' };
    const found = [loop(1, 'Call back', 'Mei Chen'), loop(2, 'Ask Mei'), loop(3, 'Renew the passport')];
    const order = await packFor('Prepare the meeting with Mei Chen', { notes: one, loops: found });
    expect(order.slice(0, 2).sort()).toEqual(['Ask Mei', 'Call back']);
    expect(order).not.toContain('Renew the passport');
  });
});
