import { describe, expect, test } from 'vitest';
import { holdsText, isTextMime } from './content-kind.ts';
import { decodeContent, decodeEmbedded } from './stored-bytes.ts';

const bytes = (body: string | Uint8Array) => (typeof body === 'string' ? body : [...body]);

describe('content', () => {
  test.each<[string, string, string, string | number[]]>([
    ['hello', 'text/plain', 'text/plain', 'hello'],
    ['aGk=', 'text/plain', 'text/plain', 'aGk='],
    ['{"a":1}', 'application/json', 'application/json', '{"a":1}'],
    ['<svg/>', 'image/svg+xml', 'image/svg+xml', '<svg/>'],
    ['return 1', 'application/javascript;env=backend', 'application/javascript;env=backend', 'return 1'],
    ['aGk=', 'image/png', 'image/png', [104, 105]],
    ['aG\nk', 'application/pdf', 'application/pdf', [104, 105]],
    ['', 'application/pdf', 'application/pdf', []],
    ['data:image/png;base64,aGk=', 'text/plain', 'image/png', [104, 105]],
    ['data:text/plain;charset=utf-8;base64,aGk=', 'image/png', 'text/plain;charset=utf-8', [104, 105]],
    ['data:,a%20b', 'image/png', 'text/plain', [97, 32, 98]],
  ])('%s as %s', (content, mime, own, body) => {
    const decoded = decodeContent(content, mime);
    expect(decoded.mime).toBe(own);
    expect(bytes(decoded.body)).toEqual(body);
  });

  test.each([
    'not base64!',
    'abcde',
    'ab=c',
    '====',
    'a===',
    'data:image/png;base64',
    'data:image/png;base64,!!',
    'data:,%zz',
  ])('refuses %s', (content) => {
    expect(() => decodeContent(content, 'image/png')).toThrow(
      expect.objectContaining({ code: 'invalid_input' }),
    );
  });
});

test('an embedded file is base64 whatever its type', () => {
  expect(bytes(decodeEmbedded('aGk=', 'text/plain').bytes)).toEqual([104, 105]);
  expect(decodeEmbedded('data:text/csv;base64,aGk=', 'image/png').mime).toBe('text/csv');
  expect(() => decodeEmbedded('hello there', 'text/plain')).toThrow('cannot be read');
});

test('the essence of the mime type decides what is text', () => {
  for (const mime of [
    'text/html',
    'Text/X-Python',
    'application/json; charset=utf-8',
    'application/ld+json',
    'image/svg+xml',
  ])
    expect(isTextMime(mime)).toBe(true);
  for (const mime of ['image/png', 'application/pdf', 'application/zip;x=text/plain', ''])
    expect(isTextMime(mime)).toBe(false);
  expect(holdsText({ type: 'book', mime: '' })).toBe(true);
  expect(holdsText({ type: 'file', mime: 'application/pdf' })).toBe(false);
  expect(holdsText({ type: 'code', mime: 'application/javascript;env=backend' })).toBe(true);
});
