/**
 * Work that many ask for at the same moment: those who ask while it is under way share the next run, which begins after
 * all of them asked, so that nobody gets a result older than their question.
 */
export type SharedRuns<Result> = (key: string, run: () => Promise<Result>) => Promise<Result>;

interface Entry<Result> {
  readonly running: Promise<Result>;
  next?: Promise<Result>;
}

export function createSharedRuns<Result>(): SharedRuns<Result> {
  const entries = new Map<string, Entry<Result>>();
  const start = (key: string, run: () => Promise<Result>): Promise<Result> => {
    const entry: Entry<Result> = { running: run() };
    entries.set(key, entry);
    const end = () => void (entry.next === undefined && entries.delete(key));
    entry.running.then(end, end);
    return entry.running;
  };
  return (key, run) => {
    const entry = entries.get(key);
    if (!entry) return start(key, run);
    const again = () => start(key, run);
    entry.next ??= entry.running.then(again, again);
    return entry.next;
  };
}
