/** The same, unless the operator takes too long. */
export function orAbort<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const give = () => reject(new Error('The operator did not answer in time'));
    if (signal.aborted) give();
    signal.addEventListener('abort', give, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', give));
  });
}
