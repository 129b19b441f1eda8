type Close = () => Promise<void> | void;

/** Collects close functions while something larger is opened, and runs them in reverse order. */
export function createClosers() {
  const closers: Close[] = [];
  return {
    add: (close: Close) => void closers.push(close),
    /** Runs all of them even if some fail, then throws the first error. */
    async close(): Promise<void> {
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
