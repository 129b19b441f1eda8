import { describe, expect, it } from 'vitest';
import { decisionsIn, meetingIn } from '../../../src/brain/extract/ops/extract.ts';
import { openLoopsIn } from '../../kit/extract.ts';

const NOTE = { sourcePath: 'a.md', referenceDate: '2026-11-16' };
const loops = (text: string) => openLoopsIn(text, NOTE);
const kinds = async (text: string) => (await loops(text)).map(({ kind, text: words }) => [kind, words]);

describe('open loops', () => {
  it('are not looked for in code, comments, frontmatter and quotes of others', async () => {
    const text = [
      '---\ntodo: "TODO: in frontmatter"\n---',
      '```\n- [ ] fenced\nTODO: fenced\n```',
      '    TODO: indented',
      'Say `TODO: inline` to it.',
      '<!-- TODO: hidden -->',
      '%% TODO: hidden too %%',
      '%%\n- [ ] hidden block\n%%',
      '> - [ ] of somebody else\n> TODO: theirs',
      '- [ ] mine',
    ].join('\n\n');
    expect(await kinds(text)).toEqual([['task', 'mine']]);
    const quotes = await openLoopsIn(text, { ...NOTE, includeQuotes: true });
    expect(quotes.map((loop) => loop.text)).toEqual(['of somebody else', 'theirs', 'mine']);
  });

  it.each([
    ['- [ ] a', 'open'],
    ['- [x] a', 'done'],
    ['* [X] a', 'done'],
    ['+ [-] a', 'cancelled'],
    ['1. [/] a', 'in_progress'],
    ['2) [>] a', 'deferred'],
    ['- [ ] a ✅ 2026-11-01', 'done'],
    ['- [ ] a ❌ 2026-11-01', 'cancelled'],
  ])('of %s are %s', async (text, status) => {
    expect((await loops(text)).map((loop) => loop.status)).toEqual([status]);
  });

  it('carry what Obsidian Tasks writes', async () => {
    const [loop] = await loops(
      '- [ ] Paint ⏫ ➕ 2026-11-01 ⏳ 2026-11-20 🛫 2026-11-18 📅 2026-12-01 🔁 every month 🆔 ab1 #home',
    );
    expect(loop).toMatchObject({
      text: 'Paint #home',
      priority: 'high',
      created: '2026-11-01',
      scheduled: '2026-11-20',
      due: '2026-12-01',
      tags: ['home'],
      confidence: 0.95,
    });
  });

  it('carry what Dataview and SilverBullet write', async () => {
    const text =
      '- [ ] a [due:: 2026-12-01] [owner:: Ana] [priority:: low]\n- [ ] b (due:: 2026-12-02)\n- [ ] c [due: "2026-12-03"]';
    expect(
      (await loops(text)).map(({ text: words, due, owner, priority }) => ({ words, due, owner, priority })),
    ).toEqual([
      { words: 'a', due: '2026-12-01', owner: 'Ana', priority: 'low' },
      { words: 'b', due: '2026-12-02' },
      { words: 'c', due: '2026-12-03' },
    ]);
  });

  it('of todo.txt are read by its rules: contexts are no owners', async () => {
    const text =
      '(A) 2026-11-01 call +car @phone due:2026-12-01\nx 2026-11-03 2026-10-01 post\n(B) 2026-11-02 write @desk\n';
    expect(await openLoopsIn(text, { sourcePath: 'lists/todo.txt' })).toMatchObject([
      { status: 'open', priority: 'high', created: '2026-11-01', due: '2026-12-01' },
      { status: 'done', created: '2026-10-01' },
      { status: 'open', priority: 'medium' },
    ]);
    expect(
      (await openLoopsIn(text, { sourcePath: 'todo.txt' })).every(({ owner }) => owner === undefined),
    ).toBe(true);
  });

  it('may be marked', async () => {
    const text = [
      'TODO: a',
      'FIXME: b',
      'OPENLOOP: c',
      'Q: d',
      'QUESTION: e',
      'WAITING: f',
      'WAITING FOR @ana g',
      'FOLLOW-UP: h',
      'BLOCKED: i',
      'K #todo',
      'L #waiting',
      'M #question',
      'N #openloop',
    ].join('\n');
    expect((await kinds(text)).map(([kind]) => kind)).toEqual([
      'todo',
      'todo',
      'openloop',
      'question',
      'question',
      'waiting_for',
      'waiting_for',
      'follow_up',
      'waiting_for',
      'todo',
      'waiting_for',
      'question',
      'openloop',
    ]);
    expect((await loops(text)).every(({ confidence }) => confidence === 0.9)).toBe(true);
  });

  it('are questions only where questions are asked', async () => {
    const text =
      '# Diary\nWho knows?\n\n# Open questions\n- Who pays?\n- A remark.\n\nWhen do we start?\n\n# Else\n- Why not?\n';
    expect(await kinds(text)).toEqual([
      ['question', 'Who pays?'],
      ['question', 'When do we start?'],
    ]);
  });

  it('have "as soon as possible" as a priority, not as a date', async () => {
    expect(await loops('TODO: reply ASAP')).toMatchObject([{ priority: 'highest' }]);
    expect((await loops('TODO: reply ASAP'))[0]).not.toHaveProperty('due');
  });

  it('keep their names when they are closed, dated or moved, and have each their own', async () => {
    const ids = async (text: string) => (await loops(text)).map(({ id }) => id);
    const before = await ids('# A\n- [ ] same\n- [ ] same\n- [ ] other\n');
    expect(new Set(before).size).toBe(3);
    expect(await ids('intro\n\n# A\n\nmore\n\n- [x] same\n- [ ] same 📅 2026-12-01\n- [ ] Other\n')).toEqual(
      before,
    );
    expect(await ids('# B\n- [ ] same\n')).not.toEqual(before.slice(0, 1));
  });

  it('count relative dates from the note’s own day, else from its last change, never from now', async () => {
    const due = async (text: string, more: object) => (await openLoopsIn(text, more))[0]?.due;
    const text = '- [ ] a by Friday';
    expect(await due(text, {})).toBeUndefined();
    expect(await due(text, { lastModified: Date.parse('2026-03-02') })).toBe('2026-03-06');
    expect(
      await due(text, { lastModified: Date.parse('2026-03-02'), sourcePath: 'Daily/2025-01-06.md' }),
    ).toBe('2025-01-10');
    expect(await due(`---\ndate: 2024-07-01\n---\n${text}`, { sourcePath: '2025-01-06.md' })).toBe(
      '2024-07-05',
    );
  });
});

describe('decisions', () => {
  const decisionTexts = async (text: string) =>
    (await decisionsIn(text, NOTE)).map(({ decision }) => decision);

  it.each([
    'We decided to sell the car.',
    'I have decided that the roof stays.',
    'The team agreed on Thursday.',
    'We agreed to wait.',
    'Going with oak over pine.',
    'We settled on blue.',
    'They chose the train over the plane.',
    "We won't do the party.",
    'Today we decided to leave.',
    'Wir haben uns für Holz entschieden.',
  ])('are found in: %s', async (text) => {
    expect(await decisionTexts(text)).toEqual([text]);
  });

  it.each([
    'We have not yet decided on the colour.',
    'We should decide whether to paint.',
    'If we decided to go, it would rain.',
    'Who decided that?',
    'We need to decide on a date.',
    'They agreed to disagree.',
    'Nobody agreed to pay.',
    'Once we have agreed on a date, I write.',
    'We could not agree to that.',
  ])('are not found in: %s', async (text) => {
    expect(await decisionTexts(text)).toEqual([]);
  });

  it('of records have all the record says', async () => {
    const madr = `---
status: superseded by ADR-0009
date: 2026-01-02
deciders: Ana, Ben
---
# Use files

## Considered Options
* Files
* A database

## Decision Outcome
Chosen option: "Files", because they are simple.

### Consequences
* Good, because people can read them.
`;
    expect(await decisionsIn(madr)).toMatchObject([
      {
        title: 'Use files',
        decision: 'Files',
        status: 'superseded',
        date: '2026-01-02',
        deciders: ['Ana', 'Ben'],
        rationale: 'they are simple',
        alternatives: ['A database'],
        consequences: ['Good, because people can read them.'],
        method: 'madr',
        confidence: 0.95,
      },
    ]);
    const nygard =
      '# 3. Log\n\nDate: 2026-02-03\n\n## Status\n\nAccepted\n\nSupersedes ADR 2\n\n## Context\n\nMuch.\n\n## Decision\n\nWe will log.\n\n## Consequences\n\nDisks fill.\n';
    expect(await decisionsIn(nygard)).toMatchObject([
      {
        title: 'Log',
        decision: 'We will log.',
        status: 'accepted',
        date: '2026-02-03',
        method: 'nygard',
        supersedes: 'ADR 2',
        consequences: ['Disks fill.'],
      },
    ]);
  });

  it('say why and over what, and how sure they are', async () => {
    const [phrase] = await decisionsIn('We went with oak instead of pine because it lasts.');
    expect(phrase).toMatchObject({
      rationale: 'it lasts',
      alternatives: ['pine'],
      method: 'phrase',
      confidence: 0.6,
    });
    expect(await decisionsIn('DECISION (proposed): oak')).toMatchObject([
      { decision: 'oak', status: 'proposed', confidence: 0.9 },
    ]);
    expect(await decisionsIn('## Decisions\n- oak\n')).toMatchObject([
      { decision: 'oak', method: 'section', confidence: 0.8 },
    ]);
  });

  it('that are only leaned towards are returned when asked for', async () => {
    expect(await decisionsIn('We are leaning towards oak.')).toEqual([]);
    expect(await decisionsIn('We are leaning towards oak.', { includeLowConfidence: true })).toMatchObject([
      { status: 'proposed', confidence: 0.4 },
    ]);
  });
});

describe('a meeting', () => {
  it('has a head', async () => {
    const { meeting, agenda } = await meetingIn(
      '# Sync\n\nDate: 16 November 2026\nTime: 2:00pm - 3:30pm\nAttendees: Ana, [[Ben]] (chair) and @chen\nAbsent: Dora\n\n## Agenda\n1. Roof\n2. Door\n',
    );
    expect(meeting).toEqual({
      title: 'Sync',
      date: '2026-11-16',
      start: '14:00',
      end: '15:30',
      attendees: ['Ana', 'Ben', 'chen'],
      absent: ['Dora'],
    });
    expect(agenda.map(({ text }) => text)).toEqual(['Roof', 'Door']);
  });

  it('assigns actions to attendees and to names with an @; else it only repeats the name', async () => {
    const { actionItems } = await meetingIn(
      'Attendees: Ana, Ben\n\n## Actions\n- Ana: a\n- **Ben**: b\n- c (Ana)\n- [[Ben]] d\n- Ana will e\n- f [owner:: Ben]\n- @zoe g\n- Yan to h\n- i\n',
      NOTE,
    );
    expect(actionItems.map(({ owner, ownerText }) => [owner, ownerText])).toEqual([
      ['Ana', 'Ana'],
      ['Ben', 'Ben'],
      ['Ana', 'Ana'],
      ['Ben', 'Ben'],
      ['Ana', 'Ana'],
      ['Ben', 'Ben'],
      ['zoe', '@zoe'],
      [undefined, 'Yan'],
      [undefined, undefined],
    ]);
  });

  it('has no action where no attendee will do something', async () => {
    const { actionItems } = await meetingIn(
      'Attendees: Ana\n\nIt will rain. Yan will call. Ana will be late. Ana will not come.\n',
      NOTE,
    );
    expect(actionItems).toEqual([]);
  });

  it('written as a transcript has its speakers as attendees and owners', async () => {
    const { meeting, actionItems } = await meetingIn(
      '[00:01:02] Ana: Hello.\n[00:01:10] Ben: I will send the plan by Friday.\n[00:01:20] Ana: Fine.\n',
      NOTE,
    );
    expect(meeting.attendees).toEqual(['Ana', 'Ben']);
    expect(actionItems).toMatchObject([
      { owner: 'Ben', due: '2026-11-20', dueText: 'by Friday', confidence: 0.6 },
    ]);
  });

  it('has risks, questions, follow-ups and a summary of the rest', async () => {
    const notes = await meetingIn(
      '# M\n## Notes\n- The roof is old. It leaks.\n- Risk: rain\n## Open questions\n- Who pays?\n## Follow-ups\n- Ask the bank\n## Parking lot\n- The cellar\n',
    );
    expect(notes.risks.map(({ text }) => text)).toEqual(['rain']);
    expect(notes.questions.map(({ text }) => text)).toEqual(['Who pays?']);
    expect(notes.followUps.map(({ text }) => text)).toEqual(['Ask the bank', 'The cellar']);
    expect(notes.notesSummary.map(({ text }) => text)).toEqual(['The roof is old.']);
  });
});

describe('the heading over a finding', () => {
  it.each([
    ['a line of = below it', 'Plans\n===\nTODO: mark', 'Plans'],
    [
      'a long one',
      `${'A title of many words '.repeat(4).trim()}\n---\nTODO: mark`,
      'A title of many words A title',
    ],
    ['in a callout', '> [!note] Plans\n> of ours\n> ===\n> TODO: mark', 'Plans of ours'],
    ['a line of = behind a callout', '> [!todo] x\n> quoted\n===\nTODO: mark', ''],
    ['a line of = behind a list', '- x\n===\nTODO: mark', ''],
    ['a rule behind a quote', '> x\n---\nTODO: mark', ''],
    ['a rule behind a blank line', 'We met.\n\n---\n\nTODO: mark', ''],
    ['a line of = behind a blank line', 'We met.\n\n===\n\nTODO: mark', ''],
    ['a line of = behind a paragraph that left its list', '- x\nmore\n===\nTODO: mark', ''],
  ])('%s', async (_, text, anchor) => {
    const [loop] = (await loops(text)).filter(({ text: words }) => words === 'mark');
    expect(loop?.evidence.anchor.slice(0, 29)).toBe(anchor);
  });

  it('leaves what stands before a rule a finding', async () => {
    expect(await kinds('TODO: first\n\n---\n\nTODO: second')).toEqual([
      ['todo', 'first'],
      ['todo', 'second'],
    ]);
  });
});
