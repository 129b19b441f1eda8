import { expect, test } from 'vitest';
import { remembered } from './backend.ts';

test('the same text is converted once, another one anew, and only some are kept', async () => {
  let count = 0;
  const convert = remembered((text) => `${text}${count++}`);
  expect([await convert('a'), await convert('a'), await convert('b')]).toEqual(['a0', 'a0', 'b1']);
  for (let at = 0; at < 16; at++) await convert(String(at));
  expect(await convert('a')).toBe('a18');
});

test('what is kept has a length all together', async () => {
  let count = 0;
  const convert = remembered((text) => `${text}${count++}`);
  for (const letter of 'abc') await convert(letter.repeat(3_000_000));
  expect((await convert('a'.repeat(3_000_000))).endsWith('3')).toBe(true);
});

test('remembers a text of megabytes, and converts it once for two callers at the same time', async () => {
  let calls = 0;
  const convert = remembered(async (text) => {
    calls++;
    return text.toUpperCase();
  });
  const long = 'a'.repeat(3_000_000);
  await Promise.all([convert(long), convert(long)]);
  await convert(long);
  expect(calls).toBe(1);
});

test('does not remember a failure', async () => {
  let calls = 0;
  const convert = remembered(async () => {
    if (calls++ === 0) throw new Error('busy');
    return 'done';
  });
  await expect(convert('a')).rejects.toThrow('busy');
  expect(await convert('a')).toBe('done');
});
