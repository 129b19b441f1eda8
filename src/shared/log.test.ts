import { expect, test } from 'vitest';
import { createLog, type LogFormat } from './log.ts';

function lineOf(format: LogFormat, message: string, fields: Record<string, unknown>): string {
  const lines: string[] = [];
  createLog('info', (line) => lines.push(line), format)('info', message, fields);
  return lines.join('');
}

const HOSTILE = 'a\n[WRITE] tool=x\r\u0085\u2028\u2029\u009b31m\u001b[0m\u202e"end';

test('a line of text is one line, whatever the values hold', () => {
  const line = lineOf('text', '[WRITE]', { tool: 'create_page', page: HOSTILE, bytes: 3 });
  expect(line).toMatch(/ \[WRITE\] tool=create_page page=".*" bytes=3\n$/);
  expect(line.slice(0, -1)).toMatch(/^[\x20-\x7e]+$/);
});

test('and so is one of JSON, with the values as they were', () => {
  const line = lineOf('json', '[WRITE]', { page: HOSTILE });
  expect(line.slice(0, -1)).toMatch(/^[\x20-\x7e]+$/);
  expect(JSON.parse(line)).toMatchObject({ message: '[WRITE]', page: HOSTILE });
});
