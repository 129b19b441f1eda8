/**
 * Conversion of the texts of Trilium notes. Short ones are converted at once; long ones in a thread, so that nobody
 * waits for another's note; too long ones not at all.
 */
import { AppError } from '../shared/errors.ts';
import { createJobThreads, type JobThreads, NoThreadError } from '../shared/job-threads.ts';
import type { Log } from '../shared/log.ts';
import type { Conversion } from '../surfaces/trilium/backend.ts';

export interface ConversionOptions {
  /** The thread's program; without it everything is done at once. */
  readonly file?: string | undefined;
  readonly log?: Log | undefined;
  /** How long after a short text a thread is made ready for long ones: whoever reads one note reads more. */
  readonly warmUpAfterMs?: number;
}

/** Some ten milliseconds of work. */
export const CONVERTED_AT_ONCE = 32 * 1024;
/** Where there is no thread: about a quarter of a second, in which nobody else is answered. */
const AT_ONCE_WITHOUT_THREAD = 512 * 1024;
export const LONGEST_CONVERTED = 10_000_000;

const THREADS = {
  threads: 2,
  timeoutMs: 30_000,
  maxWaiting: 32,
  /** A new thread takes twice as long for its first text. */
  idleMs: 10 * 60_000,
  /** Ten million characters need about half of it. */
  memory: { oldMb: 1024, youngMb: 48 },
};

type Conversions = typeof import('../stores/trilium/html/conversions.ts').conversions;

export function createConversion({ file, log, warmUpAfterMs = 1_000 }: ConversionOptions): Conversion {
  const threads = file === undefined ? undefined : createJobThreads({ file, ...THREADS });
  const run = runnerOver(threads, { log, warmUp: warmUpOf(threads, warmUpAfterMs) });
  return {
    toHtml: (markdown, options) => run('toHtml', markdown, options),
    toMarkdown: (html) => run('toMarkdown', html),
    clean: (html) => run('clean', html),
    edited: (before, after) => run('edited', before, after),
    joined: (before, addition) => run('joined', before, addition),
    appended: (before, addition) => run('appended', before, addition),
    cleanFile: async (mime, bytes) => {
      const { mayAct } = await import('../stores/trilium/html/clean.ts');
      return mayAct(mime) ? ((await run('cleanedFile', mime, bytes)) ?? bytes) : bytes;
    },
  };
}

type Runner = <Name extends keyof Conversions>(
  name: Name,
  ...args: Parameters<Conversions[Name]>
) => Promise<ReturnType<Conversions[Name]>>;

interface RunnerOptions {
  readonly log: Log | undefined;
  readonly warmUp: () => void;
}

function runnerOver(threads: JobThreads | undefined, { log, warmUp }: RunnerOptions): Runner {
  let isToldOf = false;
  const atOnce: Runner = async (name, ...args) => {
    const { conversions } = await import('../stores/trilium/html/conversions.ts');
    // The table has a function of these arguments under each name, which the compiler cannot follow.
    const convert = conversions[name] as unknown as (
      ...given: typeof args
    ) => ReturnType<Conversions[typeof name]>;
    return convert(...args);
  };
  return async (name, ...args) => {
    const size = sizeOf(args);
    if (size > LONGEST_CONVERTED) throw tooLong(size);
    if (!threads || size <= CONVERTED_AT_ONCE) {
      warmUp();
      return atOnce(name, ...args);
    }
    try {
      return (await threads.run(name, args)) as ReturnType<Conversions[typeof name]>;
    } catch (error) {
      if (!(error instanceof NoThreadError)) throw error;
      if (!isToldOf) log?.('warn', 'no thread for long texts could be started', { error: error.message });
      isToldOf = true;
      if (size > AT_ONCE_WITHOUT_THREAD) throw withoutThread(size);
      return atOnce(name, ...args);
    }
  };
}

/** Has a thread ready, unless there is one. Where none can be had, it is not tried again. */
function warmUpOf(threads: JobThreads | undefined, afterMs: number): () => void {
  let isOver = threads === undefined;
  return () => {
    if (isOver || !threads || threads.count() > 0) return;
    isOver = true;
    setTimeout(() => {
      threads.run('warmUp', []).then(
        () => (isOver = false),
        () => {},
      );
    }, afterMs).unref();
  };
}

function sizeOf(args: readonly unknown[]): number {
  let size = 0;
  for (const arg of args) if (typeof arg === 'string' || arg instanceof Uint8Array) size += arg.length;
  return size;
}

function tooLong(size: number): AppError {
  return new AppError('invalid_input', 'The text is too long to be converted', {
    subject: `${size} characters`,
    hint: `At most ${LONGEST_CONVERTED} are. Split it into several notes.`,
    reason: 'too_large',
    details: { size, limit: LONGEST_CONVERTED },
  });
}

function withoutThread(size: number): AppError {
  return new AppError('internal', 'The text cannot be converted now', {
    subject: `${size} characters`,
    hint: 'A text of this length needs a thread of its own, and none could be started. Free memory, or restart Quire.',
  });
}
