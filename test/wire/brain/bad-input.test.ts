/** Every value that no parameter of the second brain's tools may have: refused by name, with nothing written. */
import { readdir } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { badlyRefused, type Subject } from '../../kit/bad-input.ts';
import type { Answer } from '../../kit/server.ts';
import { NOTES, startBrain, wholeOf } from './support.ts';

const SUBJECTS: Record<string, Subject> = {
  sb_ask: {
    good: { question: 'crane?' },
    parameters: { question: 'query', top_k: 'limit', mode: 'choice', scope: 'scope' },
    required: ['question'],
  },
  sb_grounded_answer: {
    good: { question: 'crane?' },
    parameters: { question: 'query', top_k: 'limit', min_support: 'share', scope: 'scope' },
    required: ['question'],
  },
  sb_recall: {
    good: { query: 'crane' },
    parameters: {
      query: 'query',
      limit: 'limit',
      mode: 'choice',
      scope: 'scope',
      include_text: 'boolean',
      cursor: 'strictCursor',
    },
    required: ['query'],
  },
  sb_pack: {
    good: { intent: 'crane' },
    parameters: {
      intent: 'query',
      token_budget: 'limit',
      include: 'choices',
      scope: 'scope',
      format: 'choice',
    },
    required: ['intent'],
  },
  sb_ingest: {
    good: { content: 'text', dest: 'inbox' },
    parameters: {
      content: 'longText',
      title: 'oneLine',
      tags: 'tags',
      dest: 'notePath',
      on_conflict: 'choice',
      dry_run: 'boolean',
    },
    required: [],
  },
  sb_open_loops: {
    good: {},
    parameters: {
      scope: 'scope',
      kinds: 'choices',
      owner: 'query',
      due_before: 'day',
      status: 'choice',
      limit: 'limit',
      cursor: 'strictCursor',
    },
    required: [],
  },
  sb_decision_extract: {
    good: { text: 'DECISION: go' },
    parameters: { text: 'longText', since: 'day', limit: 'limit', include_low_confidence: 'boolean' },
    required: [],
  },
  sb_meeting_extract: {
    good: { text: '# M' },
    parameters: { text: 'longText', reference_date: 'day', dates: 'choice' },
    required: [],
  },
};

function refusalOf({ isError, text, content }: Answer) {
  if (!isError) return { wrong: 'accepted' };
  if (!/^Error: /.test(text) || content.length !== 1) return { wrong: 'wrong form' };
  return /Internal error/.test(text) ? { wrong: 'internal' } : { words: text };
}

test('there is a row for every tool', async () => {
  const { client } = await startBrain();
  const { tools } = await client.listTools();
  expect(Object.keys(SUBJECTS).sort()).toEqual(tools.map(({ name }) => name).sort());
});

test.each(Object.keys(SUBJECTS))('%s refuses every bad value by its name', async (tool) => {
  const { call, folder } = await startBrain();
  const before = await readdir(folder, { recursive: true });
  expect(await badlyRefused(tool, SUBJECTS, call, refusalOf)).toEqual([]);
  expect(await readdir(folder, { recursive: true })).toEqual(before);
  expect(wholeOf(await call('sb_recall', { query: 'crane' })).results.length).toBeGreaterThan(0);
});

test.each([
  ['sb_ingest', {}, 'content or path'],
  ['sb_ingest', { content: 'a', path: 'b.md' }, 'content or path'],
  ['sb_decision_extract', {}, 'text or source_path or query'],
  ['sb_decision_extract', { text: 'a', query: 'b' }, 'text or source_path or query'],
  ['sb_meeting_extract', {}, 'text or source_path'],
  ['sb_meeting_extract', { text: 'a', source_path: 'b.md' }, 'text or source_path'],
])('%s wants exactly one way to say what: %o', async (tool, args, names) => {
  const { call } = await startBrain();
  const { isError, text } = await call(tool, args);
  expect([isError, text]).toEqual([true, expect.stringContaining(`give exactly one of ${names}`)]);
});

test.each([
  ['sb_decision_extract', 'source_path'],
  ['sb_meeting_extract', 'source_path'],
])('%s reads nothing but notes', async (tool, parameter) => {
  const { call } = await startBrain([], { ...NOTES, '.git/config.md': 'secret' });
  for (const path of ['../x.md', '/etc/hostname', '.git/config.md', 'a\u0000.md', 'nope.md', 'projects']) {
    const { isError, text } = await call(tool, { [parameter]: path });
    expect([path, isError, text]).toEqual([path, true, expect.not.stringMatching(/Internal|secret/)]);
  }
});

test.each(Object.entries(SUBJECTS))(
  '%s suggests the parameter that was meant',
  async (tool, { good, parameters }) => {
    const { call } = await startBrain();
    for (const parameter of Object.keys(parameters)) {
      const typo = `${parameter.slice(0, -1)}_`;
      const { text } = await call(tool, { ...good, [typo]: 1 });
      expect(text).toContain(`unknown parameter "${typo}", did you mean "${parameter}"?`);
    }
  },
);
