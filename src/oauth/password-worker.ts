/**
 * Compares passwords in a thread of its own, which is started for the first of them. How many wait is for the caller
 * to bound. A thread that ends fails what it had to do, and the next comparison starts another.
 */
import { Worker } from 'node:worker_threads';
import { AppError } from '../shared/errors.ts';
import type { ComparePassword } from './passwords.ts';

interface PasswordWorker {
  readonly compare: ComparePassword;
  close(): Promise<void>;
}

/** What the thread is asked, and what it answers. */
export interface Comparison {
  readonly id: number;
  readonly password: string;
  readonly hash: string;
}
export type ComparisonOutcome =
  | { readonly id: number; readonly matches: boolean }
  | { readonly id: number; readonly problem: string };

interface Waiting {
  readonly resolve: (matches: boolean) => void;
  readonly reject: (error: AppError) => void;
}

/** `file` is the thread's program. */
export function openPasswordWorker(file: string): PasswordWorker {
  let running: { readonly thread: Worker; readonly waiting: Map<number, Waiting> } | undefined;
  let lastId = 0;

  const start = () => {
    const thread = new Worker(file, { execArgv: [], env: {} });
    const waiting = new Map<number, Waiting>();
    const started = { thread, waiting };
    const end = (problem: string) => {
      if (running === started) running = undefined;
      for (const { reject } of waiting.values()) reject(failed(problem));
      waiting.clear();
    };
    thread.on('message', (outcome: ComparisonOutcome) => {
      const asked = waiting.get(outcome.id);
      waiting.delete(outcome.id);
      if ('matches' in outcome) asked?.resolve(outcome.matches);
      else asked?.reject(failed(outcome.problem));
    });
    thread.on('error', (error) => end(error.message));
    thread.on('exit', () => end('its thread has ended'));
    // Nobody keeps a server for a thread; whoever waits for it has a connection open.
    thread.unref();
    return started;
  };

  return {
    compare: (password, hash) =>
      new Promise((resolve, reject) => {
        running ??= start();
        const id = ++lastId;
        running.waiting.set(id, { resolve, reject });
        running.thread.postMessage({ id, password, hash } satisfies Comparison);
      }),
    close: async () => void (await running?.thread.terminate()),
  };
}

function failed(problem: string): AppError {
  return new AppError('internal', 'A password could not be checked', {
    subject: problem,
    hint: 'Try again; the log of the server has the details.',
  });
}
