/** Shared set-up of the wire tests of the page tools. */
import { expect } from 'vitest';
import type { NoteStore } from '../../../src/notes/store.ts';
import { textOf } from '../../../src/notes/text/text.ts';
import { openMemoryStore } from '../../../src/stores/memory.ts';
import type { Answer } from '../../kit/server.ts';

export interface PageError {
  readonly error: string;
  readonly status: number;
  readonly message: string;
  readonly remediation: string;
  readonly [detail: string]: unknown;
}

/** The failure in the documented shape: one ordinary text block, without the flag that hides it. */
export function errorOf(answer: Answer): PageError {
  expect(answer.isError, answer.text).toBe(false);
  expect(answer.content).toHaveLength(1);
  const payload = JSON.parse(answer.text) as PageError;
  expect(payload, answer.text).toMatchObject({
    error: expect.stringMatching(/^[a-z_]+$/),
    status: expect.any(Number),
    message: expect.stringMatching(/\S/),
    remediation: expect.stringMatching(/\S/),
  });
  const keys = Object.keys(payload);
  expect(keys.slice(0, 3)).toEqual(['error', 'status', 'message']);
  expect(keys.at(-1)).toBe('remediation');
  return payload;
}

export function expectCode(answer: Answer, code: string, details: Record<string, unknown> = {}): PageError {
  const payload = errorOf(answer);
  expect(payload, answer.text).toMatchObject({ error: code, ...details });
  return payload;
}

/** The answer worked: no error in it. */
export function expectOk(answer: Answer): Answer {
  expect(answer.json?.error, answer.text).toBeUndefined();
  expect(answer.isError, answer.text).toBe(false);
  return answer;
}

/** The second block of read_page. */
export function bodyOf(answer: Answer): string {
  expect(answer.content, answer.text).toHaveLength(2);
  return String(answer.content[1]?.text);
}

/** Notes in memory that can neither move nor stat, as some servers cannot; with a clock of the test's own. */
export function plainStore(seed: Readonly<Record<string, string>> = {}, now?: () => number): NoteStore {
  const { move: _, stat: __, listFolder: ___, ...store } = openMemoryStore(seed, now);
  return store;
}

export async function contentsOf(store: NoteStore): Promise<Record<string, string>> {
  const metas = await store.list();
  return Object.fromEntries(
    await Promise.all(metas.map(async ({ path }) => [path, textOf(await store.read(path))] as const)),
  );
}
