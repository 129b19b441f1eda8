/** What has been opened on the way to something larger, closed again when the way ends, the last first. */
interface Closers {
  add(close: () => Promise<void> | void): void;
  /** All of them, whatever fails; the first failure is thrown in the end. */
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
