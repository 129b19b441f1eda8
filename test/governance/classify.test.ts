/** The action class of a capability, by its name and its server's annotations. */
import { expect, test } from 'vitest';
import { classify, wordsOf } from '../../src/governance/policy/classify.ts';
import { serverOf } from './kit.ts';

const tool = (name: string, annotations?: unknown) => ({ kind: 'tool' as const, name, annotations });
const stdio = (settings: Record<string, unknown> = {}) => serverOf({ command: 'x', ...settings });
const remote = serverOf({ transport: 'streamable_http', url: 'https://a.test' });

test.each([
  ['delete_all_files', ['delete', 'all', 'files']],
  ['deleteAllFiles', ['delete', 'all', 'files']],
  ['delete-all.files/2', ['delete', 'all', 'files', '2']],
  ['HTTPGet', ['http', 'get']],
  ['reset2', ['reset', '2']],
  ['ｄｅｌｅｔｅ', ['delete']],
])('%s in words', (name, expected) => {
  expect(wordsOf(name)).toEqual(expected);
});

test.each([
  ...'delete remove drop purge close archive revoke kill reset'
    .split(' ')
    .map((verb) => [verb, 'destructive']),
  ...'create add update edit write set put insert append move rename upload save send post publish invite pay execute run'
    .split(' ')
    .map((verb) => [verb, 'local_write']),
  ...'get list read search find fetch query describe status'.split(' ').map((verb) => [verb, 'read_only']),
] as [string, string][])('%s is %s, in every way to write it', (verb, expected) => {
  const capital = verb[0]?.toUpperCase() + verb.slice(1);
  for (const name of [verb, `${verb}_thing`, `${verb}-thing`, `${verb}Thing`, `${capital}Thing`])
    expect([name, classify(tool(name), stdio())]).toEqual([name, expected]);
});

test('a verb counts as a word, not as a part of one', () => {
  for (const name of ['undeletable', 'forget', 'settings', 'runner', 'listen', 'already'])
    expect([name, classify(tool(name), stdio())]).toEqual([name, 'external']);
});

test('a destroying verb counts wherever it stands, before all others', () => {
  expect(classify(tool('get_or_delete'), stdio())).toBe('destructive');
  expect(classify(tool('issue_close'), stdio())).toBe('destructive');
  expect(classify(tool('update_and_remove'), stdio())).toBe('destructive');
});

test('a reading verb counts only where it says what is done', () => {
  expect(classify(tool('wipe_list'), stdio())).toBe('external');
  expect(classify(tool('example_list_notes'), stdio())).toBe('read_only');
  expect(classify(tool('get_and_d\u0435lete'), stdio())).toBe('external');
});

test('writing leaves the machine over HTTP, or when the server says so', () => {
  expect(classify(tool('create_issue'), remote)).toBe('external');
  expect(classify(tool('create_issue', { openWorldHint: true }), stdio())).toBe('external');
  expect(classify(tool('delete_issue'), remote)).toBe('destructive');
});

test('hints count against a tool at once, and for it only when the server is reviewed', () => {
  expect(classify(tool('get_x', { destructiveHint: true }), stdio({ trust: 'trusted' }))).toBe('destructive');
  expect(classify(tool('ponder', { readOnlyHint: true }), stdio())).toBe('external');
  for (const trust of ['reviewed', 'trusted'])
    expect(classify(tool('ponder', { readOnlyHint: true }), stdio({ trust }))).toBe('read_only');
  expect(classify(tool('update_x', { readOnlyHint: true }), stdio({ trust: 'trusted' }))).toBe('local_write');
  expect(classify(tool('ponder', 'readOnlyHint'), stdio({ trust: 'trusted' }))).toBe('external');
});

test('the configuration has the first word', () => {
  const server = stdio({ action_classes: { delete_x: 'read_only', get_x: 'destructive' } });
  expect(classify(tool('delete_x', { destructiveHint: true }), server)).toBe('read_only');
  expect(classify(tool('get_x'), server)).toBe('destructive');
  expect(classify(tool('constructor'), server)).toBe('external');
});

test('resources, templates and prompts are read', () => {
  for (const kind of ['resource', 'template', 'prompt'] as const)
    expect(classify({ kind, name: 'file:///delete' }, stdio())).toBe('read_only');
});
