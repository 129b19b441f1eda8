import { expect, test } from 'vitest';
import { createLog } from './log.ts';

function textLine(message: string, fields: Record<string, unknown>): string {
  const lines: string[] = [];
  createLog('info', (line) => lines.push(line), 'text')('info', message, fields);
  return lines.join('');
}

test('a line of text is one line, whatever the values hold', () => {
  const hostile = 'a\n[WRITE] tool=x\r\u0085\u2028\u2029\u009b31m\u001b[0m\u202e"end';
  const line = textLine('[WRITE]', { tool: 'create_page', page: hostile, bytes: 3 });
  expect(line).toMatch(/ \[WRITE\] tool=create_page page=".*" bytes=3\n$/);
  expect(line.slice(0, -1)).toMatch(/^[\x20-\x7e]+$/);
});
