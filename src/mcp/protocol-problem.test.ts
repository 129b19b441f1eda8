import { expect, test } from 'vitest';
import { protocolProblem } from './errors.ts';

test.each([
  [
    'Received a response for an unknown message ID: {"result":{"text":"x"}}',
    'Received a response for an unknown message ID',
  ],
  ['Invalid request: [\n  {"code":"x"}\n]', 'Invalid request'],
  ['Unknown word "secret"', 'Unknown word'],
  ['Connection closed', 'Connection closed'],
  ['{"text":"x"}', 'Error'],
  ['x'.repeat(300), 'x'.repeat(200)],
])('%j is reported as %j', (message, reported) => {
  expect(protocolProblem(new Error(message))).toBe(reported);
});
