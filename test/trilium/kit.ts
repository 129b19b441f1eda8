/** A client and the fake it talks to, for one test. */
import { expect, onTestFinished } from 'vitest';
import type { AppError } from '../../src/shared/errors.ts';
import {
  type ClientOptions,
  createTriliumClient,
  type TriliumClient,
} from '../../src/stores/trilium/client.ts';
import { type FakeOptions, type FakeTrilium, startTrilium, TOKEN } from '../kit/trilium/server.ts';
import type { Fate } from '../kit/trilium/trilium.ts';

export function clientFor(url: string, options: Partial<ClientOptions> = {}): TriliumClient {
  const client = createTriliumClient({
    url,
    token: TOKEN,
    allow: 'loopback',
    retryPauses: [5, 5],
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

export async function start(
  options: FakeOptions = {},
  client: Partial<ClientOptions> = {},
): Promise<{ fake: FakeTrilium; client: TriliumClient }> {
  const fake = await startTrilium(options);
  return { fake, client: clientFor(fake.url, client) };
}

export const caught = async (work: Promise<unknown> | (() => Promise<unknown>)): Promise<AppError> =>
  (typeof work === 'function' ? work() : work).then(
    () => expect.unreachable('it should have failed'),
    (error: AppError) => error,
  );

/** The first requests go wrong, the later ones do not. */
export function failing(times: number, fate: Fate): () => Fate | undefined {
  let left = times;
  return () => (left-- > 0 ? fate : undefined);
}

/** The requests so far, without their query strings. */
export function asked(fake: FakeTrilium): string[] {
  return fake.requests.map((request) => request.replace(/\?.*/, '').replace('/etapi', ''));
}
