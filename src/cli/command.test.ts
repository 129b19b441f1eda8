import { afterEach, expect, test, vi } from 'vitest';
import { notebookCommand } from '../config/commands/notebook.ts';
import { explainOnTerminal } from './command.ts';

afterEach(() => vi.restoreAllMocks());

const command = { spec: notebookCommand, usage: '', flags: {} };

function saidBy(explain: () => void): string {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  explain();
  return write.mock.calls.map(([text]) => String(text)).join('');
}

test('a server over stdio that a person starts says that it waits for a client', () => {
  expect(saidBy(() => explainOnTerminal(command, {}, true))).toContain('quire connect adds it');
});

test('it says nothing to a client, and nothing where the log is silent', () => {
  expect(saidBy(() => explainOnTerminal(command, {}, false))).toBe('');
  expect(saidBy(() => explainOnTerminal({ ...command, logLevel: 'silent' }, {}, true))).toBe('');
});
