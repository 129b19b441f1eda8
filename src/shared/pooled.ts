/** Maps with at most `width` tasks under way, results in input order; stops taking new items once aborted or failed. */
export async function pooled<In, Out>(
  items: readonly In[],
  width: number,
  task: (item: In) => Promise<Out>,
  signal?: AbortSignal,
): Promise<Out[]> {
  const results: Out[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      signal?.throwIfAborted();
      const at = next++;
      results[at] = await task(items[at] as In);
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  return results;
}
