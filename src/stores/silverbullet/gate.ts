/** Whether the server takes changes at all. Every page of a read-only server says it may be written; only this does not. */
import { AppError } from '../../shared/errors.ts';
import type { SilverBulletClient } from './client.ts';

export interface Gate {
  /** Throws `read_only`. Asks once, and again while the answer is no. */
  assertOpen(path: string): Promise<void>;
  /** A write failed: perhaps because that has changed. */
  recheck(path: string): Promise<void>;
}

export function createGate(client: SilverBulletClient): Gate {
  let isOpen = false;
  const ask = async (path: string) => {
    isOpen = !(await client.config()).readOnly;
    if (!isOpen)
      throw new AppError('read_only', 'SilverBullet is read-only', {
        subject: path,
        hint: 'The server runs with SB_READ_ONLY. Nothing was changed.',
      });
  };
  return {
    assertOpen: async (path) => {
      if (!isOpen) await ask(path);
    },
    recheck: ask,
  };
}
