/**
 * A hash chain: an append-only log in which each line has the hash of the one before, so that a later change shows.
 * A note beside it has the last hash, sealed by a key outside the folder, so that a missing end shows too. Several
 * processes may append. Acknowledged lines are on the disk. Nothing is added to a chain that was changed, until a person
 * acknowledges it: a new one begins then, and the old one is kept.
 */
import { stat } from 'node:fs/promises';
import { ifPresent } from '../shared/fs/errno.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import { onceDone } from '../shared/memoize.ts';
import type { ChainAnchor } from './chain-anchor.ts';
import {
  BrokenChain,
  type CheckedChain,
  type CheckedPlace,
  checkChain,
  checkParts,
  stampParts,
  witnessesOf,
} from './chain-check.ts';
import { exportChain } from './chain-export.ts';
import {
  type ChainEnd,
  type ChainEntry,
  type ChainFileState,
  type ChainFiles,
  type ChainLine,
  type ChainPart,
  ChainWriter,
  chainFiles,
  FIRST_PREV,
  hashOf,
} from './chain-files.ts';
import { type FollowOptions, followChain } from './chain-follow.ts';
import { quickChain } from './chain-quick.ts';
import { type ChainReport, readChain, readChainBack, verifyChain, verifyUnderLock } from './chain-read.ts';
import type { ChainSeal } from './chain-seal.ts';
import { createFileMutex } from './file-mutex.ts';
import { appendLines, cutTo } from './line-file.ts';

export interface ChainOptions {
  readonly folder: string;
  /** The name of its files. */
  readonly name: string;
  readonly now?: () => number;
  /** The file is rotated before it grows larger. */
  readonly maxBytes?: number;
  /** The number of rotated files to keep; the chain has a line about the removal of older ones. */
  readonly keepParts?: number;
  /** Acknowledged lines are in the file, and on the disk a moment later. */
  readonly quick?: boolean;
  /** Reports the lines of all processes, at `catchUp` and before `room` is called. */
  readonly follow?: FollowOptions;
  /** Without it the end is noted without a seal. */
  readonly seal?: () => Promise<ChainSeal | undefined>;
  readonly anchor?: ChainAnchor;
}

/** A chain, wherever it is kept. */
export interface Chain {
  /**
   * Appends if there is room, once the lines before are known; whether it did, at once where that is known. Every line of
   * another process takes room for one at most, so that as many may be unknown as still leave some.
   */
  appendIf(room: () => number, entries: readonly ChainEntry[]): boolean | Promise<boolean>;
  /** Resolves when the lines are acknowledged. */
  append(...entries: ChainEntry[]): Promise<void>;
  /** Reports lines of other processes soon. */
  catchUp(): void;
  /**
   * Throws `BrokenChain` when the chain is not as it was left. The first look waits for an answer; later ones are
   * taken now and then, beside the work.
   */
  ready(): Promise<void>;
  /** Whether it has no line yet. */
  isNew(): Promise<boolean>;
  /**
   * Begins a new chain after a broken one, which is kept; its first line is made of `entryOf`. Undefined when the chain
   * is whole.
   */
  acknowledge(
    entryOf: (report: ChainReport, kept: string) => ChainEntry,
  ): Promise<{ readonly report: ChainReport; readonly kept: string } | undefined>;
  /** Resolves once everything is on the disk. */
  flush(): Promise<void>;
  /** Lines in order, those since a time; invalid ones are left out. */
  read(options?: { readonly since?: number }): AsyncGenerator<ChainLine>;
  /** Lines from the newest to the oldest, those before a number. */
  readBack(options?: { readonly before?: number }): AsyncGenerator<ChainLine>;
  verify(options?: { readonly signal?: AbortSignal }): Promise<ChainReport>;
  /** All lines as they are written, then the sealed end, to verify elsewhere. */
  export(options?: { readonly since?: number }): AsyncGenerator<string>;
}

const MAX_BYTES = 8 * 1024 * 1024;
const KEEP_PARTS = 16;
const TORN_SHOWN = 400;
/** So often a process looks at the whole chain again. */
const RECHECK_MS = 60_000;
/** So often a broken chain is looked at again: it may have been acknowledged. */
const BROKEN_MS = 250;

export function openChain(options: ChainOptions): Chain {
  const { folder, name, now = Date.now, maxBytes = MAX_BYTES, keepParts = KEEP_PARTS, anchor } = options;
  let seal: ChainSeal | undefined;
  const loadSeal = onceDone(async () => {
    seal = await options.seal?.();
  });
  const files = chainFiles(folder, name, () => seal);
  const inMutex = createFileMutex(files.lock);
  const follower = options.follow && followChain(files.current, options.follow);
  const tell = (end: ChainEnd) => anchor?.tell(end);
  const quick = options.quick
    ? quickChain(files, { maxBytes, inMutex, onWritten: follower?.wrote, onNoted: tell })
    : undefined;
  const writerAt = (end: ChainEnd) => new ChainWriter(end, new Date(now()).toISOString());
  let seen: CheckedPlace | undefined;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let broken: BrokenChain | undefined;

  /** Under the lock. Throws `BrokenChain`. */
  const check = async (from: CheckedPlace | undefined): Promise<CheckedChain> => {
    try {
      const witnesses = await witnessesOf(files, seal, await anchor?.read());
      const found = await checkChain(files, witnesses, from);
      if (from === undefined) {
        await checkParts(files, verifyAll);
        checkedAt = performance.now();
      }
      broken = undefined;
      seen = found.place;
      return found;
    } catch (error) {
      seen = undefined;
      if (error instanceof BrokenChain) broken = error;
      checkedAt = performance.now();
      throw error;
    }
  };
  const verifyAll = async () => {
    const [problem] = (await verifyNow()).problems;
    if (problem) throw new BrokenChain(problem);
  };
  const verifyNow = async () => verifyUnderLock(files, { seal, anchored: await anchor?.read() });
  const prepare = async () => {
    await makePrivateFolder(folder);
    await loadSeal();
  };
  const left = async (end: ChainEnd) => {
    await files.writeEnd(end);
    seen = undefined;
    tell(end);
    quick?.left(end);
  };

  const appendSlowly = async (assertMay: () => void, entries: readonly ChainEntry[]) => {
    await prepare();
    await inMutex(async ({ assertHeld }) => {
      assertMay();
      // A look at the new lines alone does not tell that a changed log is whole again.
      const found = await check(broken ? undefined : (quick?.place() ?? seen));
      if (!found.isNoted) await files.writeEnd(found.end);
      const writer = writerAt(found.end);
      if (found.torn.length > 0) {
        await cutTo(files.current, found.place?.size ?? 0, assertHeld);
        writer.add(repairOf(found.torn));
      }
      // A log of an earlier version: what is in it is taken as it stands.
      if (seal && found.isNoted && found.seal === 'plain') writer.add(sealingOf(seal, found.end));
      const size = found.place?.size ?? 0;
      if (size > 0 && size + JSON.stringify(entries).length > maxBytes) {
        await assertHeld();
        writer.add(await rotate(files, await files.parts(), found.end.seq, keepParts));
        await stampParts(files);
      }
      for (const entry of entries) writer.add(entry);
      await appendLines(files.current, writer.text, assertHeld);
      await left(writer.end);
    });
  };

  const appendIf = (room: () => number, entries: readonly ChainEntry[]): boolean | Promise<boolean> => {
    const assertMay = (found?: ChainFileState) => {
      follower?.catchUp(found);
      if (room() <= 0) throw new NotAppended();
    };
    const write = (from: ChainEnd, found: ChainFileState) => {
      assertMay(found);
      const writer = writerAt(from);
      for (const entry of entries) writer.add(entry);
      return writer;
    };
    const refused = (error: unknown) => {
      if (error instanceof NotAppended) return false;
      throw error;
    };
    try {
      if (!broken && quick?.append(write)) return true;
      return appendSlowly(assertMay, entries).then(() => true, refused);
    } catch (error) {
      return refused(error);
    }
  };

  const checkAll = async () => {
    await prepare();
    await inMutex(() => check(undefined));
  };
  let rechecking: Promise<void> | undefined;

  return {
    appendIf,
    append: async (...entries: ChainEntry[]) =>
      void (await appendIf(() => Number.POSITIVE_INFINITY, entries)),
    catchUp: () => follower?.catchUp(),
    async ready(): Promise<void> {
      const age = performance.now() - checkedAt;
      if (broken ? age < BROKEN_MS : age < RECHECK_MS) {
        if (broken) throw broken;
        return;
      }
      rechecking ??= checkAll().finally(() => {
        rechecking = undefined;
      });
      if (broken || checkedAt === Number.NEGATIVE_INFINITY) return rechecking;
      rechecking.catch(() => {});
    },
    isNew: async () => (await ifPresent(stat(files.current))) === undefined,
    read: (given) => readChain(folder, name, given),
    readBack: (given) => readChainBack(folder, name, given),
    async verify(given) {
      await loadSeal();
      return verifyChain(folder, name, { ...given, seal, anchored: await anchor?.read() });
    },
    async *export(given) {
      await loadSeal();
      yield* exportChain(folder, name, { ...given, seal });
    },
    async acknowledge(entryOf) {
      await prepare();
      return inMutex(async ({ assertHeld }) => {
        const report = await verifyNow();
        if (report.isWhole) return undefined;
        const { noted, outside, seal: state } = await witnessesOf(files, seal, await anchor?.read());
        const known = [...outside, ...(noted && state === 'sealed' ? [noted] : [])].map(({ seq }) => seq);
        const last = Math.max(0, ...known);
        const found = report.end?.seq ?? 0;
        const from = found > last && found < last + MAX_SKIPPED ? found : last;
        await assertHeld();
        const kept = await files.setAside(new Date(now()).toISOString());
        const writer = writerAt({ seq: from, hash: FIRST_PREV });
        writer.add(entryOf(report, kept));
        await appendLines(files.current, writer.text, assertHeld);
        await left(writer.end);
        await stampParts(files);
        broken = undefined;
        return { report, kept };
      });
    },
    flush: async () => {
      await quick?.flush();
      await anchor?.flush();
    },
  };
}

/** A number of a changed line is not believed if it is further ahead of what is known. */
export const MAX_SKIPPED = 1_000_000;

/** Leaves the critical section without a write. */
class NotAppended extends Error {}

function sealingOf({ key }: ChainSeal, { seq }: ChainEnd) {
  return { event: 'sealed', key: key.id, lines: seq };
}

/** For a line that is unfinished, and so was never acknowledged. */
function repairOf(torn: Buffer) {
  return {
    event: 'repaired',
    bytes: torn.length,
    sha256: hashOf(torn.toString('utf8')),
    text: torn.toString('utf8', 0, TORN_SHOWN),
  };
}

async function rotate(files: ChainFiles, parts: readonly ChainPart[], last: number, keepParts: number) {
  await files.rotate(last);
  const all = [...parts.map((part) => part.last), last];
  const gone = all.slice(0, Math.max(0, all.length - keepParts));
  // After a crash before the line is written, the next rotation finds the parts again.
  await files.remove(parts.filter((part) => gone.includes(part.last)));
  return { event: 'rotated', oldest: (gone.at(-1) ?? 0) + 1 };
}
