/**
 * Joins events that come too often: by key, a burst at once, then one at each interval, the last one of which is always
 * delivered.
 */
interface CoalesceOptions {
  readonly everyMs: number;
  readonly burst?: number;
  /** Keys held at once; events of further keys are dropped. */
  readonly most?: number;
  /** An event was replaced by a later one, or dropped. */
  readonly onJoined: () => void;
}

interface Pending {
  tokens: number;
  at: number;
  timer?: NodeJS.Timeout | undefined;
  deliver?: (() => void) | undefined;
}

const MAX_KEYS = 256;

export interface Coalescer {
  add(key: string | number, deliver: () => void): void;
  /** Delivers what waits under the key at once, and forgets the key; whether there was something. */
  finish(key: string | number): boolean;
  close(): void;
}

export function createCoalescer({
  everyMs,
  burst = 1,
  most = MAX_KEYS,
  onJoined,
}: CoalesceOptions): Coalescer {
  const held = new Map<string | number, Pending>();
  const isQuiet = ({ tokens, at, timer }: Pending) =>
    timer === undefined && tokens + (performance.now() - at) / everyMs >= burst;
  const pendingOf = (key: string | number): Pending | undefined => {
    const known = held.get(key);
    if (known) return known;
    if (held.size >= most) for (const [old, one] of held) if (isQuiet(one)) held.delete(old);
    if (held.size >= most) return undefined;
    const made = { tokens: burst, at: performance.now() };
    held.set(key, made);
    return made;
  };
  const fire = (one: Pending) => {
    const { deliver } = one;
    clearTimeout(one.timer);
    one.timer = undefined;
    one.deliver = undefined;
    deliver?.();
  };
  return {
    add(key, deliver) {
      const one = pendingOf(key);
      if (!one) return onJoined();
      const now = performance.now();
      one.tokens = Math.min(burst, one.tokens + (now - one.at) / everyMs);
      one.at = now;
      if (one.timer === undefined && one.tokens >= 1) {
        one.tokens--;
        return deliver();
      }
      if (one.deliver) onJoined();
      one.deliver = deliver;
      one.timer ??= setTimeout(
        () => {
          one.tokens = 0;
          one.at = performance.now();
          fire(one);
        },
        (1 - one.tokens) * everyMs,
      ).unref();
    },
    finish(key) {
      const one = held.get(key);
      held.delete(key);
      const isWaiting = one?.deliver !== undefined;
      if (one) fire(one);
      return isWaiting;
    },
    close() {
      for (const { timer } of held.values()) clearTimeout(timer);
      held.clear();
    },
  };
}
