/**
 * A queue of embedding jobs for a model that takes one small batch at a time. The job with the fewest texts left
 * goes first (shortest job first), so that a query never waits for a notebook.
 */
export type EmbedBatch = (texts: readonly string[]) => Promise<readonly Float32Array[]>;

interface Job {
  readonly id: number;
  readonly texts: readonly string[];
  readonly made: Float32Array[];
}

type JobOutcome = { readonly vectors: readonly Float32Array[] } | { readonly problem: string };

/** Batch size: larger batches are hardly faster, and delay the next job. */
const TEXTS_AT_ONCE = 2;

export function createEmbedJobs(embed: EmbedBatch, done: (id: number, outcome: JobOutcome) => void) {
  const jobs = new Map<number, Job>();
  let isRunning = false;

  const step = async ({ id, texts, made }: Job) => {
    try {
      made.push(...(await embed(texts.slice(made.length, made.length + TEXTS_AT_ONCE))));
      if (made.length < texts.length) return;
      if (jobs.delete(id)) done(id, { vectors: made });
    } catch (error) {
      if (jobs.delete(id)) done(id, { problem: error instanceof Error ? error.message : String(error) });
    }
  };
  const run = async () => {
    isRunning = true;
    for (let job = shortest(jobs); job; job = shortest(jobs)) {
      await step(job);
      // Lets new jobs enter the queue before the next batch.
      await new Promise<void>((resolve) => setImmediate(resolve));
    }
    isRunning = false;
  };
  return {
    add(id: number, texts: readonly string[]) {
      jobs.set(id, { id, texts, made: [] });
      if (!isRunning) void run();
    },
    drop: (id: number) => void jobs.delete(id),
  };
}

function shortest(jobs: ReadonlyMap<number, Job>): Job | undefined {
  let best: Job | undefined;
  const left = ({ texts, made }: Job) => texts.length - made.length;
  for (const job of jobs.values()) if (!best || left(job) < left(best)) best = job;
  return best;
}
