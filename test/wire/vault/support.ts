/** Shared set-up of the wire tests of the vault tools. */
import { expect } from 'vitest';
import type { Answer } from '../../kit/server.ts';

/** The error in the documented shape: exactly a code and a message, in the first text block. */
export function errorOf(answer: Answer): { code: string; message: string } {
  expect(answer.isError, answer.text).toBe(true);
  expect(answer.content.every(({ type }) => type === 'text')).toBe(true);
  const parsed = JSON.parse(String(answer.content[0]?.text));
  expect(Object.keys(parsed)).toEqual(['error']);
  expect(Object.keys(parsed.error)).toEqual(['code', 'message']);
  return parsed.error;
}

export function expectCode(answer: Answer, code: string, message: string | RegExp): void {
  const error = errorOf(answer);
  expect(error.code, answer.text).toBe(code);
  if (typeof message === 'string') expect(error.message).toBe(message);
  else expect(error.message).toMatch(message);
}

/** The hint that follows an error, if any. */
export function hintOf({ content }: Answer): string {
  return String(content[1]?.text ?? '');
}
