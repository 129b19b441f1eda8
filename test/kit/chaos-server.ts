/**
 * A fake server as a process of its own, for a day on which it is killed and frozen. What it holds is on disk after
 * each change, so that another process on the same port goes on with it. A second writer edits some of its notes.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import { randomFrom } from './random.ts';

/** `slow`, `failing`, `half` and `reset` strike at random; `over` is calm, and the second writer has stopped. */
export type Mood = 'calm' | 'slow' | 'failing' | 'half' | 'reset' | 'over';

export type Trouble =
  | { readonly kind: 'reset'; readonly applies: boolean }
  | { readonly kind: 'status'; readonly status: number; readonly applies: boolean }
  | { readonly kind: 'half' };

export interface Orders {
  /** 0 for any. */
  readonly port: number;
  readonly seed: number;
  /** How often it was started before. */
  readonly life: number;
  readonly stateFile: string;
  readonly notes: number;
  /** The first so many are edited by the second writer. */
  readonly contested: number;
}

/** Messages to the process that started this one. */
export type News =
  | { readonly kind: 'serving'; readonly url: string }
  | { readonly kind: 'mood'; readonly mood: Mood }
  | { readonly kind: 'read'; readonly isTorn: boolean }
  | { readonly kind: 'stored'; readonly texts: Readonly<Record<string, string>> };

export interface ChaosServer {
  readonly url: string;
  trouble(fate: () => Trouble | undefined, latencyMs: () => number): void;
  /** By the second writer. */
  edit(name: string, text: string): Promise<void>;
  /** By name. */
  texts(): Record<string, string>;
}

export const noteName = (n: number) => `page${n}`;
export const ownWord = (n: number) => `unique${n}x`;
export const editionWord = (n: number, edition: number) => `edition${n}x${edition}`;
const EDIT_EVERY_MS = 400;
const EDITIONS_OF_A_LIFE = 100_000;

export function tell(news: News): void {
  process.send?.(news);
}

/** Serves until the process is ended. */
export async function serveChaos(open: (orders: Orders) => Promise<ChaosServer>): Promise<void> {
  const orders = JSON.parse(process.argv[2] ?? '') as Orders;
  const random = randomFrom(orders.seed + orders.life);
  const server = await open(orders);
  let edition = orders.life * EDITIONS_OF_A_LIFE;
  const edit = (n: number) =>
    server.edit(noteName(n), `${ownWord(n)} and other words ${editionWord(n, ++edition)}`);
  const writer = setInterval(() => void edit(Math.floor(random() * orders.contested)), EDIT_EVERY_MS);
  const fates: Readonly<Record<Mood, () => Trouble | undefined>> = {
    calm: () => undefined,
    over: () => undefined,
    slow: () => undefined,
    failing: () => (random() < 0.4 ? { kind: 'status', status: 503, applies: random() < 0.3 } : undefined),
    half: () => (random() < 0.4 ? { kind: 'half' } : undefined),
    reset: () => (random() < 0.6 ? { kind: 'reset', applies: random() < 0.3 } : undefined),
  };
  const turn = async (mood: Mood) => {
    server.trouble(fates[mood], mood === 'slow' ? () => random() * 200 : () => 0);
    if (mood === 'over') {
      clearInterval(writer);
      // One may have been cut off when the process was killed.
      for (let n = 0; n < orders.contested; n++) await edit(n);
      tell({ kind: 'stored', texts: server.texts() });
    }
    tell({ kind: 'mood', mood });
  };
  process.on('message', (mood: Mood) => void turn(mood));
  process.on('disconnect', () => process.exit());
  tell({ kind: 'serving', url: server.url });
}

export function savedState<T>({ stateFile }: Orders): T | undefined {
  return existsSync(stateFile) ? (deserialize(readFileSync(stateFile)) as T) : undefined;
}

/** Whole or not at all, whenever the process is killed. */
export function saveState({ stateFile }: Orders, state: unknown): void {
  writeFileSync(`${stateFile}.new`, serialize(state));
  renameSync(`${stateFile}.new`, stateFile);
}
