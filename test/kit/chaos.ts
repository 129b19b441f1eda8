/**
 * A far server on its worst day under the real program: for a while it is dead, frozen, slow, failing or breaking off
 * its answers, another client writes to it, and the program itself is killed. Afterwards every note is found by its own
 * word, what was acknowledged stands there, and no answer said there is nothing where it could not know.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type ChaosBackend, startBackend } from './chaos-backend.ts';
import { noteName, ownWord } from './chaos-server.ts';
import { randomFrom } from './random.ts';
import type { Answer, ServerProcess } from './server.ts';
import { temporaryFolder } from './temp.ts';

export interface ChaosOptions {
  readonly seconds: number;
  readonly seed: number;
}

/** One kind of server, and how the program is asked about notes on it. */
export interface ChaosParts extends ChaosOptions {
  /** The fake server's program, beside this file. */
  readonly server: string;
  /** The first so many of the notes are edited by another client; whether they tear while they are. */
  readonly contested: number;
  readonly tears: boolean;
  readonly notes: number;
  readonly start: (url: string, cacheFolder: string) => Promise<ServerProcess>;
  readonly search: (program: ServerProcess, word: string) => Promise<Answer>;
  readonly write: (program: ServerProcess, name: string, text: string) => Promise<Answer>;
  /** Whether the answer of a search names the note. */
  readonly names: (answer: Answer, name: string) => boolean;
  readonly hasHits: (answer: Answer) => boolean;
  readonly isError: (answer: Answer) => boolean;
}

const LONGEST_CALL_MS = 60_000;
/** Three seconds are promised; the rest is for a busy machine. A request to a frozen server takes longer to give up. */
const LONGEST_SEARCH_MS = 12_000;
const AFTERWARDS_MS = 60_000;
const SNAPSHOT_MS = 40_000;
/** At the very least, in each ten seconds; a busy machine gets more time for them. */
const LEAST = { hits: 3, writes: 3 };
const MORE_TIME_MS = 30_000;

interface Tally {
  hits: number;
  writes: number;
  programKills: number;
  /** Of the program, when there was a saved index to start from. */
  killsWithSnapshot: number;
  backendKills: number;
  freezes: number;
}

export async function survivesChaos(parts: ChaosParts): Promise<void> {
  const backend = await startBackend(parts.server, parts);
  const day = new BadDay(parts, backend, await temporaryFolder());
  await day.live();
  expect(day.claims).toEqual([]);
  expect(day.late).toEqual([]);
  const { tally } = day;
  const least = leastOf(parts);
  expect(tally.hits).toBeGreaterThanOrEqual(least.hits);
  expect(tally.writes).toBeGreaterThanOrEqual(least.writes);
  expect(tally.programKills).toBeGreaterThanOrEqual(2);
  expect(tally.killsWithSnapshot).toBeGreaterThanOrEqual(1);
  expect(tally.backendKills).toBeGreaterThanOrEqual(1);
  expect(tally.freezes).toBeGreaterThanOrEqual(1);
  if (parts.tears) expect(backend.reads.torn).toBeGreaterThan(0);
  const stored = await backend.finish();
  for (const [name, text] of day.acknowledged)
    expect([name, stored[name]]).toEqual([name, expect.stringContaining(text)]);
  await day.expectAllFound(stored);
}

function leastOf({ seconds }: ChaosOptions): typeof LEAST {
  const share = Math.floor(seconds / 10);
  return { hits: LEAST.hits * share, writes: LEAST.writes * share };
}

class BadDay {
  readonly claims: string[] = [];
  /** Searches that took too long. */
  readonly late: string[] = [];
  readonly acknowledged = new Map<string, string>();
  readonly tally: Tally = {
    hits: 0,
    writes: 0,
    programKills: 0,
    killsWithSnapshot: 0,
    backendKills: 0,
    freezes: 0,
  };
  readonly #parts: ChaosParts;
  readonly #backend: ChaosBackend;
  readonly #cacheFolder: string;
  readonly #random: () => number;
  #program!: ServerProcess;
  #isOver = false;

  constructor(parts: ChaosParts, backend: ChaosBackend, cacheFolder: string) {
    this.#parts = parts;
    this.#backend = backend;
    this.#cacheFolder = cacheFolder;
    this.#random = randomFrom(parts.seed);
  }

  async live(): Promise<void> {
    await this.#startProgram();
    const weather = this.#weather().finally(() => {
      this.#isOver = true;
    });
    await Promise.all([weather, this.#searching(), this.#writing()]);
  }

  async #weather(): Promise<void> {
    const ended = performance.now() + this.#parts.seconds * 1_000;
    const moods: readonly (() => Promise<void>)[] = [
      () => this.#mood('failing'),
      () => this.#frozen(),
      () => this.#killProgram(),
      () => this.#dead(),
      () => this.#mood('half'),
      () => this.#mood('slow'),
      () => this.#mood('reset'),
      () => this.#killWithSnapshot(),
    ];
    // Each at least once, however slow the machine is.
    for (let round = 0; round < moods.length || performance.now() < ended; round++) {
      await moods[round % moods.length]!();
      await sleep(200 + this.#random() * 300);
    }
    const latest = performance.now() + MORE_TIME_MS;
    while (!this.#hasDoneEnough && performance.now() < latest) await sleep(100);
  }

  get #hasDoneEnough(): boolean {
    const { hits, writes } = leastOf(this.#parts);
    return this.tally.hits >= hits && this.tally.writes >= writes;
  }

  async #mood(mood: 'failing' | 'half' | 'slow' | 'reset'): Promise<void> {
    await this.#backend.turn(mood);
    await this.#while();
    await this.#backend.turn('calm');
  }

  /** A search that is begun while the server is frozen is answered before it goes on. */
  async #frozen(): Promise<void> {
    this.#backend.freeze();
    try {
      await Promise.all([this.#searchOnce(), this.#while()]);
      this.tally.freezes++;
    } finally {
      this.#backend.thaw();
    }
  }

  async #dead(): Promise<void> {
    await this.#backend.kill();
    this.tally.backendKills++;
    await Promise.all([this.#searchOnce(), this.#while()]);
    await this.#backend.restart();
  }

  async #killWithSnapshot(): Promise<void> {
    await expect.poll(() => this.#hasSnapshot(), { timeout: SNAPSHOT_MS }).toBe(true);
    await this.#killProgram();
  }

  async #killProgram(): Promise<void> {
    if (await this.#hasSnapshot()) this.tally.killsWithSnapshot++;
    process.kill(this.#program.pid, 'SIGKILL');
    this.tally.programKills++;
    await this.#startProgram();
  }

  async #startProgram(): Promise<void> {
    this.#program = await this.#parts.start(this.#backend.url, this.#cacheFolder);
  }

  async #hasSnapshot(): Promise<boolean> {
    const files = await readdir(join(this.#cacheFolder, 'quire')).catch(() => []);
    return files.some((name) => /^index-.*\.bin$/.test(name));
  }

  #while(): Promise<void> {
    return sleep(300 + this.#random() * 900);
  }

  async #searching(): Promise<void> {
    while (!this.#isOver) {
      await this.#searchOnce();
      await sleep(50);
    }
  }

  async #searchOnce(): Promise<void> {
    const { notes, contested, search, isError, names, hasHits } = this.#parts;
    const n = Math.floor(this.#random() * notes);
    const program = this.#program;
    const answer = await inTime(search(program, ownWord(n)), LONGEST_SEARCH_MS);
    if (answer === 'late') {
      if (program === this.#program) this.late.push(ownWord(n));
      return;
    }
    // No answer and an error claim nothing.
    if (!answer || isError(answer)) return;
    if (names(answer, noteName(n))) this.tally.hits++;
    // A page that is being edited may be empty for a moment. Other notes, with a warning that some were left out, are
    // no claim; nothing at all is one.
    else if (n >= contested && !(hasHits(answer) && hasWarning(answer)))
      this.claims.push(`${ownWord(n)}: ${answer.text.slice(0, 150)} … ${answer.text.slice(-300)}`);
  }

  async #writing(): Promise<void> {
    for (let n = 0; !this.#isOver; n++) {
      const [name, text] = [`added${n}`, `written${n}x`];
      const answer = await inTime(this.#parts.write(this.#program, name, text), LONGEST_CALL_MS);
      if (answer && answer !== 'late' && !this.#parts.isError(answer)) {
        this.acknowledged.set(name, text);
        this.tally.writes++;
      }
      await sleep(50);
    }
  }

  /** Every note by its own word, what was acknowledged, and the last edition of each note the second writer edited. */
  async expectAllFound(stored: Readonly<Record<string, string>>): Promise<void> {
    const { notes, contested, search, isError, names } = this.#parts;
    // The other writer may not have come to all of its pages.
    const editions = Array.from({ length: contested }, (_, n) => noteName(n)).flatMap((name) => {
      const [word] = /edition\d+x\d+/.exec(stored[name] ?? '') ?? [];
      return word === undefined ? [] : [[name, word] as const];
    });
    expect(editions.length).toBeGreaterThanOrEqual(contested / 4);
    let missing: (readonly [string, string])[] = [
      ...Array.from({ length: notes }, (_, n) => [noteName(n), ownWord(n)] as const),
      ...this.acknowledged,
      ...editions,
    ];
    const latest = performance.now() + AFTERWARDS_MS;
    while (missing.length > 0 && performance.now() < latest) {
      const left: (readonly [string, string])[] = [];
      for (const [name, word] of missing) {
        const answer = await inTime(search(this.#program, word), LONGEST_SEARCH_MS);
        if (!answer || answer === 'late' || isError(answer) || !names(answer, name)) left.push([name, word]);
      }
      missing = left;
      if (missing.length > 0) await sleep(500);
    }
    expect(missing).toEqual([]);
  }
}

/** `search_notes` answers with a list, and with a warning beside it. */
function hasWarning({ json, content }: Answer): boolean {
  return Array.isArray(json) ? content.length > 1 : json?.warning !== undefined;
}

/** Undefined when the call failed, as it does when its program was killed. */
async function inTime(call: Promise<Answer>, milliseconds: number): Promise<Answer | 'late' | undefined> {
  return Promise.race([call.catch(() => undefined), sleep(milliseconds, 'late' as const, { ref: false })]);
}
