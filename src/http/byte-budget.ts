/** How many bytes of something may be held at a time: by all who hold some together, and by each of them. */
export interface ByteBudget {
  /** False when there is no room for so many more. */
  reserve(owner: string, bytes: number): boolean;
  release(owner: string, bytes: number): void;
  readonly used: number;
}

export interface ByteLimits {
  readonly sum: number;
  /** Less than the sum, so that nobody can keep all others out. */
  readonly perOwner: number;
}

export function createByteBudget({ sum, perOwner }: ByteLimits): ByteBudget {
  const held = new Map<string, number>();
  let used = 0;
  return {
    reserve(owner, bytes) {
      const own = (held.get(owner) ?? 0) + bytes;
      if (used + bytes > sum || own > perOwner) return false;
      held.set(owner, own);
      used += bytes;
      return true;
    },
    release(owner, bytes) {
      const own = (held.get(owner) ?? 0) - bytes;
      if (own > 0) held.set(owner, own);
      else held.delete(owner);
      used -= bytes;
    },
    get used() {
      return used;
    },
  };
}
