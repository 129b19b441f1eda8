/**
 * A pool of workers for CPU-bound jobs, so that requests do not wait for a long one. A job that takes too long or too
 * much memory fails and ends its worker; the next job gets a new one. Workers start with the first job and end when
 * they have been idle for a while.
 */
import { Worker } from 'node:worker_threads';
import { AppError } from './errors.ts';

export interface JobThreadsOptions {
  /** The program of the workers, which answers each `Job` with a `ThreadMessage`. */
  readonly file: string;
  readonly threads: number;
  /** Of one job, from its start. */
  readonly timeoutMs: number;
  /** Further jobs are refused. */
  readonly maxWaiting: number;
  /** Idle workers end after this time. */
  readonly idleMs: number;
  readonly memory: { readonly oldMb: number; readonly youngMb: number };
}

export interface Job {
  readonly name: string;
  readonly args: readonly unknown[];
}

/** A worker's messages: that it is ready, then the outcome of each job. */
export type ThreadMessage =
  | { readonly state: 'ready' }
  | { readonly value: unknown }
  | { readonly failure: JobFailure };

export type JobFailure = Pick<AppError, 'code' | 'title' | 'subject' | 'hint' | 'reason'>;

/** No worker could be started, and the job was not begun. */
export class NoThreadError extends Error {}

interface WaitingJob extends Job {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

interface JobThread {
  readonly worker: Worker;
  isReady: boolean;
  job: WaitingJob | undefined;
  timer: NodeJS.Timeout | undefined;
}

export type JobThreads = ReturnType<typeof createJobThreads>;

export function createJobThreads(options: JobThreadsOptions) {
  const { file, timeoutMs, idleMs, memory } = options;
  const threads = new Set<JobThread>();
  const waiting: WaitingJob[] = [];

  const start = (job: WaitingJob): void => {
    let worker: Worker;
    try {
      worker = new Worker(file, {
        execArgv: [],
        env: {},
        resourceLimits: { maxOldGenerationSizeMb: memory.oldMb, maxYoungGenerationSizeMb: memory.youngMb },
      });
    } catch (cause) {
      job.reject(new NoThreadError('no thread could be started', { cause }));
      return;
    }
    const thread: JobThread = { worker, isReady: false, job: undefined, timer: undefined };
    threads.add(thread);
    worker.on('message', (message: ThreadMessage) => receive(thread, message));
    worker.on('error', (error) => leave(thread, error));
    worker.on('exit', () => leave(thread, new Error('the thread has ended')));
    begin(thread, job);
  };

  const begin = (thread: JobThread, job: WaitingJob): void => {
    clearTimeout(thread.timer);
    thread.job = job;
    thread.timer = setTimeout(() => leave(thread, tookTooLong(timeoutMs)), timeoutMs);
    thread.worker.ref();
    thread.worker.postMessage({ name: job.name, args: job.args } satisfies Job);
  };

  const receive = (thread: JobThread, message: ThreadMessage): void => {
    if ('state' in message) {
      thread.isReady = true;
      return;
    }
    const { job } = thread;
    rest(thread);
    if ('value' in message) {
      job?.resolve(message.value);
      return;
    }
    const { code, title, ...parts } = message.failure;
    job?.reject(new AppError(code, title, parts));
  };

  /** Takes the next job, or becomes idle. */
  const rest = (thread: JobThread): void => {
    clearTimeout(thread.timer);
    thread.job = undefined;
    const next = waiting.shift();
    if (next) {
      begin(thread, next);
      return;
    }
    thread.worker.unref();
    thread.timer = setTimeout(() => leave(thread, new Error('idle')), idleMs).unref();
  };

  const leave = (thread: JobThread, error: Error): void => {
    if (!threads.delete(thread)) return;
    clearTimeout(thread.timer);
    const { job, isReady, worker } = thread;
    void worker.terminate();
    job?.reject(isReady ? asFailure(error) : new NoThreadError(error.message, { cause: error }));
    const next = waiting.shift();
    if (next) start(next);
  };

  return {
    run: (name: string, args: readonly unknown[]) =>
      new Promise<unknown>((resolve, reject) => {
        const job: WaitingJob = { name, args, resolve, reject };
        const idle = [...threads].find((thread) => thread.job === undefined);
        if (idle) begin(idle, job);
        else if (threads.size < options.threads) start(job);
        else if (waiting.length < options.maxWaiting) waiting.push(job);
        else reject(tooBusy());
      }),
    /** How many threads there are. */
    count: () => threads.size,
    /** Ends all workers; their jobs fail. */
    close: async () => {
      for (const job of waiting.splice(0)) job.reject(new NoThreadError('closed'));
      const ending = [...threads].map(({ worker }) => worker.terminate());
      for (const thread of threads) leave(thread, new Error('closed'));
      await Promise.all(ending);
    },
  };
}

function asFailure(error: Error & { code?: string }): AppError {
  if (error instanceof AppError) return error;
  const isMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  const title = isMemory ? 'The text needs too much memory' : 'The text could not be converted';
  return new AppError('internal', title, {
    hint: 'Try a smaller text; other calls are not affected.',
    cause: error,
  });
}

function tookTooLong(timeoutMs: number): AppError {
  return new AppError('timeout', `The text takes longer than ${timeoutMs / 1000} s to convert`, {
    hint: 'Try a smaller text, or its HTML.',
  });
}

function tooBusy(): AppError {
  return new AppError('rate_limited', 'Too many long texts are being converted', {
    hint: 'Try again in a few seconds.',
  });
}
