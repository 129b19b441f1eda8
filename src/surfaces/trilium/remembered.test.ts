import { expect, test } from 'vitest';
import { remembered } from './remembered.ts';

test('the same text is converted once, another one anew, and only some are kept', async () => {
  let count = 0;
  const convert = remembered((text) => `${text}${count++}`);
  expect([await convert('a'), await convert('a'), await convert('b')]).toEqual(['a0', 'a0', 'b1']);
  for (let at = 0; at < 16; at++) await convert(String(at));
  expect(await convert('a')).toBe('a18');
  const long = 'x'.repeat(600_000);
  expect(await convert(long)).not.toBe(await convert(long));
});
