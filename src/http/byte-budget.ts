/** How many bytes of something may be held at a time, by all who hold some together. */
export interface ByteBudget {
  /** False when there is no room for so many more. */
  reserve(bytes: number): boolean;
  release(bytes: number): void;
  readonly used: number;
}

export function createByteBudget(most: number): ByteBudget {
  let used = 0;
  return {
    reserve(bytes) {
      if (used + bytes > most) return false;
      used += bytes;
      return true;
    },
    release(bytes) {
      used -= bytes;
    },
    get used() {
      return used;
    },
  };
}
