/** The worker's side of `job-threads`. */
import { parentPort } from 'node:worker_threads';
import { isAppError } from './errors.ts';
import type { Job, JobFailure, ThreadMessage } from './job-threads.ts';

type JobTable = Readonly<Record<string, (...args: never[]) => unknown>>;

export function serveJobs(jobs: JobTable): void {
  const say = (message: ThreadMessage) => parentPort?.postMessage(message);
  parentPort?.on('message', ({ name, args }: Job) => {
    try {
      say({ value: jobs[name]!(...(args as never[])) });
    } catch (error) {
      say({ failure: failureOf(error) });
    }
  });
  say({ state: 'ready' });
}

function failureOf(error: unknown): JobFailure {
  if (isAppError(error)) {
    const { code, title, subject, hint, reason } = error;
    return { code, title, subject, hint, reason };
  }
  return {
    code: 'internal',
    title: 'The text could not be converted',
    subject: error instanceof Error ? error.name : undefined,
    hint: 'Ask for its HTML instead.',
    reason: undefined,
  };
}
