/** Collects close functions while something larger is opened, and runs them in reverse order. */
interface Closers {
  add(close: () => Promise<void> | void): void;
  /** Runs all of them even if some fail, then throws the first error. */
  close(): Promise<void>;
}

export function createClosers(): Closers {
  const closers: (() => Promise<void> | void)[] = [];
  return {
    add: (close) => void closers.push(close),
    async close() {
      const failures: unknown[] = [];
      for (const close of closers.splice(0).reverse())
        try {
          await close();
        } catch (error) {
          failures.push(error);
        }
      if (failures.length > 0) throw failures[0];
    },
  };
}
