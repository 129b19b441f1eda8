import { expect, it } from 'vitest';
import { endWithinBytes } from './characters.ts';

it('ends what has at most so many bytes with a whole character', () => {
  const texts = ['plain', 'größer', 'кран', '起重机', '🙂🙂', 'a🙂b'];
  for (const text of texts)
    for (let bytes = 0; bytes <= 20; bytes++) {
      const end = endWithinBytes(text, 0, bytes);
      const part = text.slice(0, end);
      expect(part.isWellFormed()).toBe(true);
      expect(Buffer.byteLength(part)).toBeLessThanOrEqual(bytes);
      const [next = ''] = text.slice(end);
      expect(next === '' || Buffer.byteLength(part + next) > bytes).toBe(true);
    }
  expect(endWithinBytes('кран', 1, 4)).toBe(3);
});
