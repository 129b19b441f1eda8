/** Runs the checks of all notebooks of a configuration; each kind of store has its own. */
import type { Config, NotebookConfig } from '../config/schema.ts';
import { type CheckResult, runChecks } from '../shared/checks.ts';
import { silentLog } from '../shared/log.ts';
import { storeAt } from '../stores/registry.ts';
import { openServed } from './notebooks.ts';

export function examineNotebooks({ notebooks }: Config): Promise<CheckResult[]> {
  return runChecks(
    Object.entries(notebooks).map(
      ([name, notebook]) =>
        () =>
          examine(name, notebook),
    ),
  );
}

async function examine(name: string, notebook: NotebookConfig): Promise<readonly CheckResult[]> {
  return storeAt(notebook).doctor(name, async () => {
    const served = await openServed(notebook, { log: silentLog });
    await served.check();
    await served.close();
  });
}
