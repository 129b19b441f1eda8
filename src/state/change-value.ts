/** Read, change, write: as one step, however many processes do it to the same value at the same time. */
import { setTimeout as pause } from 'node:timers/promises';
import { AppError } from '../shared/errors.ts';
import type { StateStore } from './memory.ts';

/** What to put in place of a value, and for how long; nothing to leave it as it is. */
export interface ValueChange<Value, Result> {
  readonly put?: { readonly value: Value; readonly ttlSeconds?: number };
  readonly result: Result;
}

/** So many processes at once change one value at most before the next try waits a little. */
const AT_ONCE = 3;
const MAX_TRIES = 200;
const MAX_PAUSE_MS = 20;

/** `decide` gets the value that is there, and runs again when another process was faster. */
export async function changeValue<Value, Result>(
  state: Pick<StateStore, 'get' | 'swap'>,
  key: string,
  decide: (value: Value | undefined) => ValueChange<Value, Result> | Promise<ValueChange<Value, Result>>,
): Promise<Result> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    if (tries >= AT_ONCE) await pause(Math.random() * Math.min(MAX_PAUSE_MS, tries));
    const before = await state.get<Value>(key);
    const { put, result } = await decide(before);
    if (!put || (await state.swap(key, before, put.value, put.ttlSeconds))) return result;
  }
  throw new AppError('conflict', 'Too many changes of the same thing at once', {
    hint: 'Try again in a moment.',
  });
}

/** Puts a value once: true for the first caller of all, false for every later one. */
export function claim(state: Pick<StateStore, 'swap'>, key: string, ttlSeconds: number): Promise<boolean> {
  return state.swap(key, undefined, true, ttlSeconds);
}

/** The value of a key that whoever comes first makes, and all share. */
export async function sharedValue<Value>(
  state: Pick<StateStore, 'get' | 'swap'>,
  key: string,
  make: () => Value | Promise<Value>,
): Promise<Value> {
  return changeValue<Value, Value>(state, key, async (found) => {
    if (found !== undefined) return { result: found };
    const value = await make();
    return { put: { value }, result: value };
  });
}
