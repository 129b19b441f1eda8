/** The checks of every notebook of a configuration: each kind of store has its own. */
import type { Config, NotebookConfig } from '../config/schema.ts';
import { type CheckResult, resultsFor, runChecks } from '../shared/checks.ts';
import { silentLog } from '../shared/log.ts';
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
  const { silverbullet, trilium } = notebook;
  if (silverbullet) {
    const { examineSilverBullet } = await import('../stores/silverbullet/doctor.ts');
    return examineSilverBullet(name, silverbullet);
  }
  if (trilium) {
    const { examineTrilium } = await import('../stores/trilium/doctor.ts');
    return examineTrilium(name, trilium);
  }
  return [await examineFolder(name, notebook)];
}

async function examineFolder(name: string, notebook: NotebookConfig): Promise<CheckResult> {
  const { ok, failWith } = resultsFor(name);
  try {
    const served = await openServed(notebook, { log: silentLog });
    await served.check();
    await served.close();
    return ok('folder', 'The folder can be read.');
  } catch (error) {
    return failWith('folder', error, 'Check the path and its permissions.');
  }
}
