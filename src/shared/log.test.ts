import { expect, test } from 'vitest';
import { createLog, type LogFormat, type LogShape, type LogThreshold } from './log.ts';

function lineOf(
  format: LogFormat,
  message: string,
  fields: Record<string, unknown>,
  shape: LogShape = 'messages',
): string {
  const lines: string[] = [];
  createLog('info', (line) => lines.push(line), { format, shape })('info', message, fields);
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

const CALL = {
  session: '2f1c...',
  tool: 'get_note',
  duration_ms: 11,
  ok: false,
  error: 'trilium',
  status: 404,
};

test('an event is a name with fields, none of them in quotes that need none', () => {
  expect(lineOf('text', 'tool_call', CALL, 'events')).toMatch(
    /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO {2}tool_call session=2f1c\.\.\. tool=get_note duration_ms=11 ok=false error=trilium status=404\n$/,
  );
  const asked = { method: 'GET', path: '/health', status: 200, remote: '::1' };
  expect(lineOf('text', 'http_request', asked, 'events')).toContain(
    ' INFO  http_request method=GET path=/health status=200 remote=::1\n',
  );
});

test('and in JSON it stands under ts, level and event, in this order', () => {
  const line = lineOf('json', 'tool_call', CALL, 'events');
  expect(line.replace(/^\{"ts":"[^"]+"/, '{"ts":""')).toBe(
    '{"ts":"","level":"info","event":"tool_call","session":"2f1c...","tool":"get_note","duration_ms":11,"ok":false,"error":"trilium","status":404}\n',
  );
});

test.each<LogFormat>(['text', 'json'])('of an address an event holds the host, as %s', (format) => {
  const err = 'no answer from https://anna:pw@notes.example.com:8443/a/b?c=d and http://[::1]:80/x';
  const line = lineOf(format, 'tool failed', { err }, 'events');
  expect(line).toContain('"no answer from notes.example.com and [::1]"');
  expect(line).toContain('tool_failed');
  expect(lineOf(format, 'listening', { origin: 'http://a.example/x' })).toContain('http://a.example/x');
});

test.each<[LogThreshold, string]>([
  ['silent', ''],
  ['error', 'error'],
  ['warn', 'warn error'],
  ['info', 'info warn error'],
  ['debug', 'debug info warn error'],
])('at %s this is written: %s', (lowest, written) => {
  const levels: string[] = [];
  const log = createLog(lowest, (line) => levels.push(JSON.parse(line).level));
  for (const level of ['debug', 'info', 'warn', 'error'] as const) log(level, 'x');
  expect(levels.join(' ')).toBe(written);
});
