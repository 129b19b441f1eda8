import { vi } from 'vitest';

/** Waits until the check holds: at once where it does, as long as a busy machine takes where it does not yet. */
export function eventually<T>(check: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(check, { timeout: 40_000, interval: 20 });
}
