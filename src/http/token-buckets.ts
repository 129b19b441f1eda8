/**
 * How often one key may ask, as a bucket that fills steadily: a burst at once, then so many a second. Counted in
 * memory, for a bounded number of keys; beyond it, who has been quiet for longest is forgotten, and its bucket full.
 */
interface BucketOptions {
  readonly perSecond: number;
  readonly burst: number;
  readonly maxKeys?: number;
  /** In milliseconds. */
  readonly now?: () => number;
}

/** The seconds to wait; undefined when the request may go on. */
type TokenBuckets = (key: string) => number | undefined;

const USUAL_MAX_KEYS = 20_000;

export function createTokenBuckets(options: BucketOptions): TokenBuckets {
  const { perSecond, burst, maxKeys = USUAL_MAX_KEYS, now = () => performance.now() } = options;
  /** In the order of their last request. */
  const buckets = new Map<string, { readonly left: number; readonly at: number }>();
  return (key) => {
    const at = now();
    const before = buckets.get(key) ?? { left: burst, at };
    const left = Math.min(burst, before.left + ((at - before.at) / 1000) * perSecond);
    const isEnough = left >= 1;
    buckets.delete(key);
    buckets.set(key, { left: isEnough ? left - 1 : left, at });
    if (buckets.size > maxKeys) buckets.delete(buckets.keys().next().value ?? key);
    return isEnough ? undefined : Math.max(1, Math.ceil((1 - left) / perSecond));
  };
}
