import { describe, expect, it } from 'vitest';
import { conflictIn } from '../../../src/brain/answer/conflict.ts';
import { scoreSentences } from '../../../src/brain/answer/extractive.ts';
import { libraryOf } from '../../kit/brain.ts';

async function conflictOf(notes: Record<string, string>, question: string) {
  const { retriever } = libraryOf(notes);
  const found = await retriever.retrieve({ query: question, limit: 8, mode: 'keyword', scope: {} });
  return conflictIn(await scoreSentences(question, found, retriever.similarity));
}

describe('notes contradict each other', () => {
  it.each([
    ['by a date', 'The rocket launch is on 5 May.', 'The rocket launch is on 12 May.', 'rocket launch'],
    ['by a weekday', 'The team meets on Monday.', 'The team meets on Thursday.', 'team meets'],
    [
      'by a number',
      'The bridge budget is 40,000 euros.',
      'The bridge budget is 55,000 euros.',
      'bridge budget',
    ],
    ['by a number in words', 'The cluster has three nodes.', 'The cluster has 5 nodes.', 'cluster nodes'],
    [
      'by what a thing is',
      'The owner of the release is Ana.',
      'Owner of the release: Ben',
      'owner of the release',
    ],
    [
      'by denying',
      'The office is open on holidays.',
      'The office is not open on holidays.',
      'office open holidays',
    ],
  ])('%s', async (_, a, b, question) => {
    expect(await conflictOf({ 'a.md': a, 'b.md': b }, question)).toHaveLength(2);
  });
});

const TALK = (one: string, other: string) =>
  `${one}: I have ${one.length} dogs.\n\n${other}: Nice.\n\n${one}: Yes.`;

describe('notes do not contradict each other', () => {
  it.each([
    [
      'when they say the same',
      'The rocket launch is on 5 May.',
      'The rocket launch is on May 5th.',
      'rocket launch',
    ],
    [
      'when they speak of different things',
      'The rocket launch is on 5 May.',
      'The rocket test is on 12 May at the coast.',
      'rocket',
    ],
    ['when times differ too', 'Revenue in 2024 was 5 million.', 'Revenue in 2025 was 7 million.', 'revenue'],
    [
      'when one is about the past',
      'The budget was originally 40 euros for pens.',
      'The budget is 55 euros for pens.',
      'budget pens',
    ],
    [
      'when each has a thing of its own',
      'Bake the cake at 180 degrees.',
      'Bake the pie at 190 degrees.',
      'bake degrees',
    ],
    ['when two people speak of themselves', TALK('Jo', 'Kim'), TALK('Kim', 'Jo'), 'dogs'],
    ['when both can be true', 'Ana reviews the bridge plan.', 'Ben reviews the bridge plan.', 'bridge plan'],
  ])('%s', async (_, a, b, question) => {
    expect(await conflictOf({ 'a.md': a, 'b.md': b }, question)).toBeUndefined();
  });

  it('when what they are about stands in their titles', async () => {
    const notes = {
      'alpha.md': '# Alpha project\n\nStatus: on hold\n\nThe budget is 40 euros.\n',
      'beta.md': '# Beta project\n\nStatus: active\n\nThe budget is 50 euros.\n',
    };
    expect(await conflictOf(notes, 'status of the project')).toBeUndefined();
    expect(await conflictOf(notes, 'status')).toBeUndefined();
    expect(await conflictOf(notes, 'budget of the project')).toBeUndefined();
  });

  it('when they are of different days', async () => {
    const notes = {
      'daily/2026-01-01.md': 'My weight is 80 kg.',
      'daily/2026-01-02.md': 'My weight is 79 kg.',
    };
    expect(await conflictOf(notes, 'my weight')).toBeUndefined();
  });

  it('when a note says both', async () => {
    expect(
      await conflictOf({ 'a.md': 'Launch window is 5 May. Launch window is 12 May.' }, 'launch window'),
    ).toBeUndefined();
  });
});
