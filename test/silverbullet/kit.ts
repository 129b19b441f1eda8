/** A store over a fake SilverBullet, with the fake at hand. */
import { onTestFinished } from 'vitest';
import { type NotePath, parseNotePath } from '../../src/notes/path.ts';
import type { NoteStore } from '../../src/notes/store.ts';
import { textOf } from '../../src/notes/text/text.ts';
import type { AppError } from '../../src/shared/errors.ts';
import { type ClientOptions, createSilverBulletClient } from '../../src/stores/silverbullet/client.ts';
import { openSilverBulletStore, type SilverBulletOptions } from '../../src/stores/silverbullet/store.ts';
import type { Dialect } from '../kit/silverbullet/dialect.ts';
import { type FakeOptions, type FakeSilverBullet, startSilverBullet } from '../kit/silverbullet/server.ts';
import type { Fate } from '../kit/silverbullet/space.ts';

export const DIALECTS: readonly Dialect[] = ['rust', 'go'];

export const at = (path: string): NotePath => parseNotePath(path);

export interface StoreSetup {
  readonly fake: FakeSilverBullet;
  readonly store: NoteStore;
  text(path: string): Promise<string>;
  /** Requests that change something, since the last time this was asked. */
  changes(): string[];
}

export function storeOver(
  { url, token }: Pick<FakeSilverBullet, 'url' | 'token'>,
  options: SilverBulletOptions & Pick<ClientOptions, 'timeoutMs'> = {},
): NoteStore {
  const { timeoutMs, ...rest } = options;
  const client = createSilverBulletClient({
    url,
    token,
    retryPauses: [5, 10],
    ...(timeoutMs !== undefined && { timeoutMs }),
  });
  const store = openSilverBulletStore(client, { pauses: [10, 20, 40], ...rest });
  onTestFinished(() => store.close());
  return store;
}

export async function served(options: FakeOptions = {}, how: SilverBulletOptions = {}): Promise<StoreSetup> {
  const fake = await startSilverBullet(options);
  const store = storeOver(fake, how);
  let seen = 0;
  return {
    fake,
    store,
    text: async (path) => textOf(await store.read(at(path))),
    changes: () => {
      const all = fake.requests.slice(seen).filter((line) => !line.startsWith('GET'));
      seen = fake.requests.length;
      return all;
    },
  };
}

/** The error, or the value of what should have failed. */
export const caught = (work: Promise<unknown>): Promise<AppError> =>
  work.then(
    (value) => {
      throw new Error(`it should have failed, and gave ${JSON.stringify(value)}`);
    },
    (error: AppError) => error,
  );

/** Sets the fates of the next requests of one method, one after the other. */
export function fates(fake: FakeSilverBullet, method: string, ...list: (Fate | undefined)[]): void {
  const left = [...list];
  fake.faults.fate = (request) =>
    request.method === method && request.name.startsWith('/.fs/') && !request.isForeign
      ? left.shift()
      : undefined;
}
