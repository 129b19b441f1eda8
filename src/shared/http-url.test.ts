import { expect, test } from 'vitest';
import { httpUrl } from './http-url.ts';

test.each([
  ['https://notes.example//', 'https://notes.example'],
  ['http://Notes.example:80/Team', 'http://Notes.example:80/Team'],
  ['https://bücher.example/', 'https://xn--bcher-kva.example'],
  ['https://notes.example/größe', 'https://notes.example/gr%C3%B6%C3%9Fe'],
])('the address %s is %s', (given, kept) => {
  expect(httpUrl.parse(given)).toBe(kept);
});

test('an address with another protocol is refused', () => {
  expect(httpUrl.safeParse('ftp://notes.example').success).toBe(false);
});
