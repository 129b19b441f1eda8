/** The action class of a capability, by its name and its server's annotations. */
import { describe, expect, test } from 'vitest';
import { scanDefinition } from '../../src/governance/catalog/scan/scan.ts';
import { classify } from '../../src/governance/policy/classify.ts';
import { wordsOf } from '../../src/governance/policy/verbs.ts';
import { serverOf } from './kit.ts';
import { TOOL_NAMES } from './tool-names.ts';

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
  ...'wipe truncate erase destroy terminate exec eval spawn shell'
    .split(' ')
    .map((verb) => [verb, 'destructive']),
  ...'create add update edit write set put insert append move rename save'
    .split(' ')
    .map((verb) => [verb, 'local_write']),
  ...'send post publish invite pay execute run upload transfer deploy merge push commit'
    .split(' ')
    .map((verb) => [verb, 'external']),
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
  expect(classify(tool('wipe_list'), stdio())).toBe('destructive');
  expect(classify(tool('ponder_list'), stdio())).toBe('external');
  expect(classify(tool('example_list_notes'), stdio())).toBe('read_only');
  expect(classify(tool('get_and_d\u0435lete'), stdio())).toBe('destructive');
  expect(classify(tool('g\u0435t_notes'), stdio({ trust: 'trusted' }))).toBe('external');
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

const ORDER = ['read_only', 'local_write', 'external', 'destructive'];
const rank = (actionClass: string) => ORDER.indexOf(actionClass);

test.each([
  ['wipe_disk', 'destructive'],
  ['transfer_funds', 'external'],
  ['truncate_table', 'destructive'],
  ['exec_cmd', 'destructive'],
  ['wipedisk', 'destructive'],
  ['read_and_push', 'external'],
])('%s of a server that is reviewed is %s, whatever the server says of it', (name, expected) => {
  for (const trust of ['reviewed', 'trusted']) {
    const server = stdio({ trust });
    expect(classify(tool(name, { readOnlyHint: true, destructiveHint: false }), server)).toBe(expected);
  }
  expect(scanDefinition(tool(name, { readOnlyHint: true }))).toMatchObject([{ code: 'capability.mismatch' }]);
  const lowered = stdio({ trust: 'reviewed', action_classes: { [name]: 'read_only' } });
  expect(classify(tool(name), lowered)).toBe('read_only');
});

test('a description that says it destroys counts against a readOnlyHint', () => {
  const said = { ...tool('tidy', { readOnlyHint: true }), description: 'Permanently deletes old drafts.' };
  expect(classify(said, stdio({ trust: 'trusted' }))).toBe('destructive');
});

test('a change that was seen counts, and only the configuration lowers it', () => {
  const seen = { class: 'local_write', what: 'list_changed', detail: 'tools', at: 1 } as const;
  expect(classify(tool('get_x'), stdio(), seen)).toBe('local_write');
  expect(classify(tool('delete_x'), stdio(), seen)).toBe('destructive');
  expect(classify(tool('get_x'), stdio({ action_classes: { get_x: 'read_only' } }), seen)).toBe('read_only');
});

describe('names of tools of public servers', () => {
  const CLASS = { read: 'read_only', write: 'local_write', act: 'external', destroy: 'destructive' } as const;
  const judged = TOOL_NAMES.map(({ name, effect }) => ({
    name,
    effect,
    expected: CLASS[effect],
    // The liar: every tool is said to read only, on a server that is trusted.
    found: classify(tool(name, { readOnlyHint: true }), stdio({ trust: 'trusted' })),
  }));
  const namesWhere = (isSo: (one: (typeof judged)[number]) => boolean) =>
    judged.filter(isSo).map(({ name, found }) => `${name}: ${found}`);

  test('are at least 150, and each once', () => {
    expect(new Set(TOOL_NAMES.map(({ name }) => name)).size).toBe(TOOL_NAMES.length);
    expect(TOOL_NAMES.length).toBeGreaterThanOrEqual(150);
  });

  test('that change something never pass for reading', () => {
    expect(namesWhere(({ effect, found }) => effect !== 'read' && found === 'read_only')).toEqual([]);
  });

  test('that destroy are destructive', () => {
    expect(namesWhere(({ effect, found }) => effect === 'destroy' && found !== 'destructive')).toEqual([]);
  });

  test('that read are not destructive, and few need an approval', () => {
    expect(namesWhere(({ effect, found }) => effect === 'read' && found === 'destructive')).toEqual([]);
    const held = namesWhere(({ effect, found }) => effect === 'read' && found !== 'read_only');
    expect(held).toEqual(['resolve-library-id: local_write']);
  });

  test('are classed as labelled, or one step stricter', () => {
    const wrong = namesWhere(({ expected, found }) => rank(found) < rank(expected));
    expect(wrong).toEqual([]);
    const exact = judged.filter(({ expected, found }) => expected === found).length;
    expect(exact / judged.length).toBeGreaterThan(0.95);
  });
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
