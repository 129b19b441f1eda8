/** The last warnings about each notebook, taken from the log on its way. */
import type { NotebookWarning } from '../../console/pages/notebooks.ts';
import type { Log } from '../../shared/log.ts';
import { redact, redactText } from '../../shared/redact.ts';

const MOST = 20;

export interface NotebookWarnings {
  /** The log of one notebook. */
  logOf(notebook: string): Log;
  /** The newest first. */
  of(notebook: string): readonly NotebookWarning[];
}

export function keepWarnings(log: Log): NotebookWarnings {
  const kept = new Map<string, NotebookWarning[]>();
  return {
    logOf: (notebook) => (level, message, fields) => {
      log(level, message, fields);
      if (level !== 'warn' && level !== 'error') return;
      const details = JSON.stringify(redact(fields ?? {}));
      const own = kept.get(notebook) ?? [];
      kept.set(notebook, [{ at: Date.now(), message: redactText(message), details }, ...own].slice(0, MOST));
    },
    of: (notebook) => kept.get(notebook) ?? [],
  };
}
