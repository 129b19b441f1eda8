/** Looks over every notebook of a configuration the way a server would use it, and says what is wrong. */
import { openServed } from './app.ts';
import type { Config, NotebookConfig } from './config/schema.ts';
import { isAppError } from './shared/errors.ts';
import { silentLog } from './shared/log.ts';

export interface Finding {
  readonly level: 'ok' | 'warn' | 'error';
  readonly what: string;
  /** What to do about it. */
  readonly next?: string;
}

export async function examine({ notebooks }: Config): Promise<Map<string, readonly Finding[]>> {
  const found = new Map<string, readonly Finding[]>();
  for (const [name, notebook] of Object.entries(notebooks))
    found.set(name, notebook.silverbullet ? await examineSpace(notebook) : [await examineNotes(notebook)]);
  return found;
}

async function examineSpace({ silverbullet }: NotebookConfig): Promise<readonly Finding[]> {
  const { createSilverBulletClient } = await import('./stores/silverbullet/client.ts');
  const { checkSilverBullet } = await import('./stores/silverbullet/doctor.ts');
  const client = createSilverBulletClient({ ...silverbullet!, retryPauses: [] });
  try {
    return await checkSilverBullet(client);
  } finally {
    client.close();
  }
}

async function examineNotes(config: NotebookConfig): Promise<Finding> {
  try {
    const served = await openServed(config, { log: silentLog });
    await served.check();
    await served.close();
    return { level: 'ok', what: 'The folder can be read.' };
  } catch (error) {
    if (!isAppError(error)) throw error;
    return { level: 'error', what: error.message, next: error.hint ?? 'Check the path and its permissions.' };
  }
}
