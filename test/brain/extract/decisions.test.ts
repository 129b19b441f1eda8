/** Decisions with their reasons, in the middle of lines and by people; and what is no decision. */
import { describe, expect, it } from 'vitest';
import { decisionsIn } from '../../../src/brain/extract/ops/extract.ts';

const NOTE = { sourcePath: 'Garden shed.md' };
const MEETING = { sourcePath: 'Meetings/2026-11-16.md' };
const found = (text: string, note = NOTE) => decisionsIn(text, note);
const words = async (text: string, note = NOTE) => (await found(text, note)).map(({ decision }) => decision);

describe('the rationale of a decision', () => {
  it.each([
    'Decision: build it of oak\nReason: it lasts',
    'Decision: build it of oak. Reason: it lasts.',
    'Decision: build it of oak (reason: it lasts)',
    'Decision: build it of oak – why: it lasts',
    'Decision: build it of oak because it lasts',
    'Decision: build it of oak because it lasts. It will be high.',
    '- Decision: build it of oak\n- Rationale: it lasts',
    '- Decision: build it of oak\n  - **Why:** it lasts',
    '- Decision: build it of oak\n  - costs 400\n  - Reason: it lasts',
    '- Decision: build it of oak\n  - Reasons:\n    - it lasts',
    '**Decision:** build it of oak\n\n**Rationale:**\n\nit lasts',
    '## Decisions\n\n- build it of oak\n  - Why: it lasts',
    '## Decision\n\nbuild it of oak\n\n## Rationale\n\nit lasts\n\nMore.',
    'Entscheidung: build it of oak\nGrund: it lasts',
    'Beschluss: build it of oak. Begründung: it lasts',
    'Décision : build it of oak\nRaison : it lasts',
    'Decisión: build it of oak\nMotivo: it lasts',
  ])('is read: %s', async (text) => {
    const [decision, ...others] = await found(text);
    expect(decision).toMatchObject({ rationale: 'it lasts' });
    expect(decision?.decision).toMatch(/^build it of oak/);
    expect(others).toEqual([]);
  });

  it('of a sentence is the next one', async () => {
    expect(await found('We decided to build it of oak. Reason: it lasts. It will be high.')).toMatchObject([
      { decision: 'We decided to build it of oak.', rationale: 'it lasts' },
    ]);
  });

  it('is not taken from another decision', async () => {
    const text = '- Decision: oak\n- Decision: two doors\n  - Reason: they open wide\n\nReason: none';
    expect((await found(text)).map(({ rationale }) => rationale)).toEqual([undefined, 'they open wide']);
  });
});

describe('no decision', () => {
  it.each([
    'Decision: ~~oak~~',
    '- ~~Decision: oak~~',
    'Decision: ~~oak~~ (too dear)',
    'Decision: TBD',
    'Decision: pending',
    'Decision: pending approval of the board',
    'Decision: still open',
    'Decision: not yet made',
    'Decision: to be decided',
    'Decision: TBD by Mina',
    'Decision: postponed until June',
    'Decision: we have not decided',
    '- Agenda, decisions: see below',
    'Entscheidung: noch offen',
    'Beschluss: vertagt',
    'Entschieden: noch nichts',
    'Décision : à prendre',
    'Decisión: pendiente',
    'Wir haben noch nichts entschieden.',
    '- noch nichts entschieden',
    'Not decided yet.',
    'Nothing was agreed.',
    '## Decisions\n\n- pending\n- ~~oak~~\n- noch nichts entschieden\n- nothing decided yet',
    '## Entscheidungen\n\n- offen\n',
  ])('is in: %s', async (text) => {
    expect(await words(text, NOTE)).toEqual([]);
    expect(await words(text, MEETING)).toEqual([]);
  });

  it('is made of words that only begin like that', async () => {
    expect(await words('Decision: open on Sundays until six')).toEqual(['open on Sundays until six']);
    expect(await words('Decision: open-source the plan')).toEqual(['open-source the plan']);
    expect(await words('Beschluss: nichts ändern')).toEqual(['nichts ändern']);
    expect(await words('Decision: open the shed on Sundays')).toEqual(['open the shed on Sundays']);
    expect(await words('Decision: ~~pine~~ → oak')).toEqual(['oak']);
    expect(await words('Decision: the open plan stays')).toEqual(['the open plan stays']);
  });
});

describe('a decision in the middle of a line', () => {
  it.each([
    ['- Talked about the roof, decided: we take slate', 'we take slate'],
    ['- The roof: decision: slate', 'slate'],
    ['- (Decision: slate for the roof)', 'slate for the roof'],
    ['- Roof (decided: slate), then tea', 'slate'],
    ['- Über das Dach gesprochen, entschieden: Schiefer', 'Schiefer'],
    ['- On a parlé du toit, décidé : ardoise', 'ardoise'],
    ['- Hablamos del techo, acordado: pizarra', 'pizarra'],
  ])('is read: %s', async (text, decision) => {
    expect(await words(text)).toEqual([decision]);
  });

  it('is no link', async () => {
    expect(await words('- see [[Decision: roof]]')).toEqual([]);
  });
});

describe('a decision of a person', () => {
  it.each([
    ['Mina decided to move the sale to May', ['Mina']],
    ['- Mina Okoye and Omar have agreed to move the sale', ['Mina Okoye', 'Omar']],
    ['- [[Mina Okoye|Mina]] decided to move the sale', ['Mina Okoye']],
    ['Mina hat entschieden, den Verkauf zu verschieben', ['Mina']],
    ['Mina a décidé de reporter la vente', ['Mina']],
    ['Mina decidió aplazar la venta', ['Mina']],
  ])('is one in a record of a meeting: %s', async (text, deciders) => {
    expect((await found(text, MEETING)).map((one) => one.deciders)).toEqual([deciders]);
  });

  it('is unsure in other notes, but not in a text that is given', async () => {
    const text = 'Caesar decided to cross the river.';
    expect(await words(text)).toEqual([]);
    expect(await decisionsIn(text, { ...NOTE, includeLowConfidence: true })).toHaveLength(1);
    expect(await decisionsIn(text)).toHaveLength(1);
  });

  it.each([
    'The browser decided to crash.',
    'Has Mina decided to move?',
    'Mina has not decided to move.',
    'Once Mina decided to go, we left.',
  ])('is not in: %s', async (text) => {
    expect(await words(text, MEETING)).toEqual([]);
  });
});
