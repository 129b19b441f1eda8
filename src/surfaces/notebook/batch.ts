/** Runs one task per path; what fails is reported beside what succeeds. */
import { type NotePath, parseNotePath } from '../../notes/path.ts';
import { mapConcurrently } from '../../shared/async/semaphore.ts';
import { type AppError, isAppError } from '../../shared/errors.ts';

interface Batch<T> {
  readonly ok: T[];
  readonly err: { path: string; error: string }[];
}

export async function batch<T>(
  paths: readonly string[],
  task: (path: NotePath) => Promise<T>,
  signal: AbortSignal,
): Promise<Batch<T>> {
  const results = await mapConcurrently(
    paths,
    5,
    async (raw) => {
      try {
        return { value: await task(parseNotePath(raw)) };
      } catch (error) {
        if (!isAppError(error)) throw error;
        return { path: raw.trim(), error: reasonOf(error) };
      }
    },
    signal,
  );
  const ok: T[] = [];
  const err: { path: string; error: string }[] = [];
  for (const result of results) {
    if ('value' in result) ok.push(result.value as T);
    else err.push(result);
  }
  return { ok, err };
}

/** The path stands beside it already. */
function reasonOf(error: AppError): string {
  return error.code === 'not_found' || error.hint === undefined
    ? error.title
    : `${error.title}. ${error.hint}`;
}
