/** Looks over every notebook of a configuration the way a server would use it, and says what is wrong. */
import { randomBytes } from 'node:crypto';
import type { Config, NotebookConfig } from '../config/schema.ts';
import { isAppError } from '../shared/errors.ts';
import { silentLog } from '../shared/log.ts';
import { openServed } from './notebooks.ts';

export interface NotebookCheck {
  readonly level: 'ok' | 'warn' | 'error';
  readonly what: string;
  /** What to do about it. */
  readonly next?: string;
}

export async function examine({ notebooks }: Config): Promise<Map<string, readonly NotebookCheck[]>> {
  const found = new Map<string, readonly NotebookCheck[]>();
  for (const [name, notebook] of Object.entries(notebooks)) found.set(name, await examineOne(notebook));
  return found;
}

async function examineOne(notebook: NotebookConfig): Promise<readonly NotebookCheck[]> {
  if (notebook.silverbullet) return examineSpace(notebook);
  return notebook.trilium ? examineTrilium(notebook) : [await examineNotes(notebook)];
}

async function examineSpace({ silverbullet }: NotebookConfig): Promise<readonly NotebookCheck[]> {
  const { createSilverBulletClient } = await import('../stores/silverbullet/client.ts');
  const { checkSilverBullet } = await import('../stores/silverbullet/doctor.ts');
  const client = createSilverBulletClient({ ...silverbullet!, retryPauses: [] });
  try {
    return await checkSilverBullet(client);
  } finally {
    client.close();
  }
}

async function examineTrilium({ trilium }: NotebookConfig): Promise<readonly NotebookCheck[]> {
  const { createTriliumClient } = await import('../stores/trilium/client.ts');
  const { checkTrilium } = await import('../stores/trilium/doctor.ts');
  const { url, token, subtree } = trilium!;
  const clientWith = (given: string) =>
    createTriliumClient({ url, token: given, allow: 'private', retryPauses: [] });
  try {
    const client = clientWith(token);
    const stranger = clientWith(randomBytes(24).toString('base64url'));
    return await checkTrilium({ url, client, stranger, subtree }).finally(() => {
      client.close();
      stranger.close();
    });
  } catch (error) {
    return [problemOf(error)];
  }
}

async function examineNotes(config: NotebookConfig): Promise<NotebookCheck> {
  try {
    const served = await openServed(config, { log: silentLog });
    await served.check();
    await served.close();
    return { level: 'ok', what: 'The folder can be read.' };
  } catch (error) {
    return problemOf(error);
  }
}

function problemOf(error: unknown): NotebookCheck {
  if (!isAppError(error)) throw error;
  return { level: 'error', what: error.message, next: error.hint ?? 'Check the path and its permissions.' };
}
