/** Redaction leaves sentences alone: those that Quire itself says, and ordinary English around the names of secrets. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactText } from '../../src/shared/redact.ts';
import { cases } from '../kit/cases.ts';

const SOURCE = fileURLToPath(new URL('../../src/', import.meta.url));
const LITERAL = /'((?:[^'\\\n]|\\.){8,})'/g;
const IS_SENTENCE = /[a-z]+ [a-z]+ [a-z]+/;
/** No log has them: descriptions that begin with a mode, as a header begins with its name, and examples in JSON. */
const IS_DESCRIPTION = /^(?:auth )?jwt: |"\w+":/;

test('every sentence of the source stays as it is', async () => {
  const names = await readdir(SOURCE, { recursive: true });
  const files = names.filter((name) => name.endsWith('.ts') && !name.endsWith('.test.ts'));
  const changed: string[] = [];
  let count = 0;
  for (const name of files)
    for (const [, text = ''] of (await readFile(join(SOURCE, name), 'utf8')).matchAll(LITERAL)) {
      if (!IS_SENTENCE.test(text) || IS_DESCRIPTION.test(text)) continue;
      count += 1;
      if (redactText(text, text.length) !== text) changed.push(text);
    }
  expect(changed).toEqual([]);
  expect(count).toBeGreaterThan(1_500);
});

test('a problem with any setting keeps its words', () => {
  const names = fc.constantFrom('SB_TOKEN', 'QUIRE_AUTH_TOKENS', '--jwt-secret', 'auth.users', 'MCP_TOKEN');
  const problems = fc.constantFrom(
    'must have at least 16 characters',
    'must not be empty',
    'must be text',
    'is missing',
  );
  fc.assert(
    fc.property(names, problems, (name, problem) => {
      const text = `Invalid setting: ${name}: ${problem}`;
      expect(redactText(text)).toBe(text);
    }),
    { numRuns: cases(40) },
  );
});

test.each([
  'Bearer needs',
  'Bearer tokens0',
  'bearer token-1234',
  'Bearer with.a.dot',
  'Basic bW9kZTp4',
  'bearer headerABC',
])('%s is a secret when it is not one of those words alone', (text) => {
  const isWord = text === 'Bearer needs';
  expect(redactText(`sent ${text} to it`).includes('[redacted]')).toBe(!isWord);
});

test('a secret after a setting is still hidden', () => {
  expect(redactText('password: must')).toBe('password: [redacted]');
  expect(redactText('password: muster')).toBe('password: [redacted]');
  expect(redactText('x-api-key: is missingno')).toBe('x-api-key: [redacted]');
});
