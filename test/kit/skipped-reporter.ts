/** Says at the end which tests did not run, and what would switch them on. */
import type { Reporter, TestModule } from 'vitest/node';
import { needIn } from './needs.ts';

export default class SkippedReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    // With -t, what was not asked for is skipped too.
    const skipped = modules.flatMap((module) => [...module.children.allTests('skipped')]);
    const lines = skippedLines(skipped.map(({ fullName }) => fullName));
    if (lines.length > 0) process.stdout.write(`${lines.join('\n')}\n\n`);
  }
}

export function skippedLines(fullNames: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const fullName of fullNames) {
    const need = needIn(fullName);
    if (need !== undefined) counts.set(need, (counts.get(need) ?? 0) + 1);
  }
  return [...counts]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([need, count]) => ` skipped: ${count} ${count === 1 ? 'test needs' : 'tests need'} ${need}`);
}
