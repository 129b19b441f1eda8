/**
 * A far server on its worst day under the real program: for a while it is dead, frozen, slow, failing or breaking off
 * its answers, and the program itself is killed. Afterwards every note is found by its own word, what was
 * acknowledged stands there, and no answer said there is nothing where it could not know.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { randomFrom } from './random.ts';
import type { Answer } from './server.ts';

export type Trouble =
  | { readonly kind: 'reset'; readonly applies: boolean }
  | { readonly kind: 'status'; readonly status: number; readonly applies: boolean }
  | { readonly kind: 'frozen'; readonly until: Promise<unknown> }
  | { readonly kind: 'half' };

/** The program, and how it is asked about notes called `<word>`. */
export interface Program {
  readonly pid: number;
  search(word: string): Promise<Answer>;
  write(name: string, text: string): Promise<Answer>;
}

export interface ChaosParts {
  /** Each holds its own word: `unique0x`, `unique1x` and so on. */
  readonly notes: number;
  readonly seconds: number;
  readonly seed: number;
  /** What becomes of the next requests. */
  readonly trouble: (fate: () => Trouble | undefined) => void;
  readonly slow: (latencyMs: () => number) => void;
  readonly start: () => Promise<Program>;
  /** Whether the answer of a search names the note. */
  readonly names: (answer: Answer, name: string) => boolean;
  readonly isError: (answer: Answer) => boolean;
  /** What stands on the server. */
  readonly stored: (name: string) => string | undefined;
}

export const noteName = (n: number) => `page${n}`;
export const ownWord = (n: number) => `unique${n}x`;

const LONGEST_CALL_MS = 60_000;
const AFTERWARDS_MS = 60_000;

export async function survivesChaos(parts: ChaosParts): Promise<void> {
  const random = randomFrom(parts.seed);
  const pick = (below: number) => Math.floor(random() * below);
  let program = await parts.start();
  const acknowledged = new Map<string, string>();
  const claims: string[] = [];
  const ended = performance.now() + parts.seconds * 1_000;
  let isOver = false;
  const isLeft = () => performance.now() < ended;

  const searchOnce = async () => {
    const n = pick(parts.notes);
    const answer = await inTime(program.search(ownWord(n)));
    // No answer and an error claim nothing.
    if (!answer || parts.isError(answer) || parts.names(answer, noteName(n))) return;
    claims.push(`${ownWord(n)}: ${answer.text.slice(0, 300)}`);
  };
  const writeOnce = async (n: number) => {
    const [name, text] = [`added${n}`, `written${n}x`];
    const answer = await inTime(program.write(name, text));
    if (answer && !parts.isError(answer)) acknowledged.set(name, text);
  };
  const clients = [
    (async () => {
      while (isLeft()) {
        await searchOnce();
        await sleep(5);
      }
    })(),
    (async () => {
      for (let n = 0; isLeft(); n++) {
        await writeOnce(n);
        await sleep(50);
      }
    })(),
  ];
  const weather = (async () => {
    for (let round = 0; isLeft(); round++) {
      let thaw = () => {};
      const thawed = new Promise<void>((resolve) => {
        thaw = resolve;
      });
      const moods: readonly (() => Trouble | undefined)[] = [
        () => ({ kind: 'reset', applies: random() < 0.3 }),
        () => ({ kind: 'frozen', until: thawed }),
        () => undefined,
        () => (random() < 0.4 ? { kind: 'status', status: 503, applies: random() < 0.3 } : undefined),
        () => (random() < 0.4 ? { kind: 'half' } : undefined),
      ];
      const mood = round % moods.length;
      parts.slow(mood === 2 ? () => random() * 200 : () => 0);
      parts.trouble(moods[mood]!);
      await sleep(300 + random() * 1_500);
      thaw();
      parts.trouble(() => undefined);
      parts.slow(() => 0);
      if (mood === 1) {
        process.kill(program.pid, 'SIGKILL');
        program = await parts.start();
      }
      await sleep(200 + random() * 500);
    }
  })();
  await Promise.all([...clients, weather]);
  isOver = true;
  expect(isOver && claims).toEqual([]);
  await expectAllFound(parts, program, acknowledged);
}

async function expectAllFound(
  parts: ChaosParts,
  program: Program,
  acknowledged: ReadonlyMap<string, string>,
): Promise<void> {
  const latest = performance.now() + AFTERWARDS_MS;
  const expected = [
    ...Array.from({ length: parts.notes }, (_, n) => [noteName(n), ownWord(n)] as const),
    ...acknowledged,
  ];
  let missing = expected;
  while (missing.length > 0 && performance.now() < latest) {
    const left: (readonly [string, string])[] = [];
    for (const [name, word] of missing) {
      const answer = await inTime(program.search(word));
      if (!answer || parts.isError(answer) || !parts.names(answer, name)) left.push([name, word]);
    }
    missing = left;
    if (missing.length > 0) await sleep(500);
  }
  expect(missing).toEqual([]);
  for (const [name, text] of acknowledged)
    expect([name, parts.stored(name)]).toEqual([name, expect.stringContaining(text)]);
}

/** Undefined when the call failed, as it does when its program was killed. */
async function inTime(call: Promise<Answer>): Promise<Answer | undefined> {
  call.catch(() => {});
  return Promise.race([call.catch(() => undefined), sleep(LONGEST_CALL_MS, undefined, { ref: false })]);
}
