/**
 * Converts the texts of Trilium notes. Short texts are converted at once, long ones in a worker thread, so that other
 * callers do not wait; texts that are too long are refused.
 */
import { AppError, isAppError } from '../../shared/errors.ts';
import { type JobThreads, NoThreadError } from '../../shared/job-threads.ts';
import type { Log } from '../../shared/log.ts';

type Conversions = typeof import('./html/conversions.ts').conversions;
type TextConversion = Exclude<keyof Conversions, 'cleanedFile'>;

/** Conversion between callers' text and the HTML that Trilium stores. Loaded on first use. */
export type Conversion = {
  readonly [Name in TextConversion]: (...args: Parameters<Conversions[Name]>) => string | Promise<string>;
} & {
  /** The file without active content; the identical bytes when there is none. */
  cleanFile(mime: string, bytes: Uint8Array): Uint8Array | Promise<Uint8Array>;
};

interface ConversionOptions {
  /** Threads with the program `startup/workers/convert.ts`; without them everything is converted at once. */
  readonly threads?: JobThreads;
  readonly log?: Log;
  /** Delay between the first short text and the start of a thread for long ones: more notes are likely to be read. */
  readonly warmUpAfterMs?: number;
}

/** Some ten milliseconds of work. */
const CONVERTED_AT_ONCE = 32 * 1024;
/** Without a thread: about a quarter of a second, in which no other caller is answered. */
const AT_ONCE_WITHOUT_THREAD = 512 * 1024;
export const LONGEST_CONVERTED = 10_000_000;

export function createConversion({ threads, log, warmUpAfterMs = 1_000 }: ConversionOptions): Conversion {
  const run = runnerOver(threads, { log, warmUp: warmUpOf(threads, warmUpAfterMs) });
  return {
    toHtml: (...args) => run('toHtml', ...args),
    toMarkdown: (...args) => run('toMarkdown', ...args),
    clean: (...args) => run('clean', ...args),
    edited: (...args) => run('edited', ...args),
    joined: (...args) => run('joined', ...args),
    appended: (...args) => run('appended', ...args),
    cleanFile: async (mime, bytes) => {
      const { mayAct } = await import('./html/clean.ts');
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
  let hasWarned = false;
  const atOnce: Runner = async (name, ...args) => {
    const { conversions } = await import('./html/conversions.ts');
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
      if (!hasWarned) log?.('warn', 'no thread for long texts could be started', { error: error.message });
      hasWarned = true;
      if (size > AT_ONCE_WITHOUT_THREAD) throw withoutThread(size);
      return atOnce(name, ...args);
    }
  };
}

/** Starts a thread unless there is one. After a failure no further attempt is made. */
function warmUpOf(threads: JobThreads | undefined, afterMs: number): () => void {
  let isDone = threads === undefined;
  return () => {
    if (isDone || !threads || threads.count() > 0) return;
    isDone = true;
    setTimeout(() => {
      threads.run('warmUp', []).then(
        () => (isDone = false),
        () => {},
      );
    }, afterMs).unref();
  };
}

interface NoteMarkdown {
  readonly text: string;
  /** Why the text is HTML. */
  readonly problem?: AppError;
}

/** The markdown of a text note, or its HTML (valid inside markdown) when it cannot be converted. */
export async function noteMarkdown(
  toMarkdown: (html: string) => string | Promise<string>,
  html: string,
): Promise<NoteMarkdown> {
  try {
    return { text: await toMarkdown(html) };
  } catch (error) {
    // A full queue is not a property of the note: a later attempt succeeds.
    if (!isAppError(error) || error.code === 'rate_limited') throw error;
    return { text: html, problem: error };
  }
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
