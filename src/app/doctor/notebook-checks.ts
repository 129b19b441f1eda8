/** Runs the checks of all notebooks of a configuration; each kind of store has its own. */
import type { Config } from '../../config/schema.ts';
import { PathFilter } from '../../notes/path-filter.ts';
import { type CheckResult, runChecks } from '../../shared/checks.ts';
import { silentLog } from '../../shared/log.ts';
import { storeAt } from '../../stores/registry.ts';
import { openServed } from '../notebooks.ts';
import { snapshotFileOf } from '../open-notes.ts';

export function examineNotebooks(
  { notebooks }: Config,
  places: { readonly cacheFolder?: string } = {},
): Promise<CheckResult[]> {
  const checks = Object.entries(notebooks).map(([name, notebook]) => () => {
    const { tools, extensions, ignore, readOnly } = notebook;
    const filter = new PathFilter({ allowedExtensions: extensions, ignoredPatterns: ignore });
    return storeAt(notebook).doctor(name, {
      open: async () => {
        const served = await openServed(name, notebook, { log: silentLog });
        try {
          await served.check();
        } finally {
          await served.close();
        }
      },
      readOnly,
      isVisible: (path) => !filter.isHidden(path),
      isNote: (path) => (tools === 'vault' ? !filter.isHidden(path) : filter.isAllowed(path)),
      indexFile: snapshotFileOf(notebook, places),
    });
  });
  return runChecks(checks);
}
