/** Reads the settings of note apps in a folder: files of fixed names, not over links, and of bounded size. */
import { Buffer } from 'node:buffer';
import type { NotePath } from '../../notes/path.ts';
import { type ReadSettings, unreadableSettings } from '../../notes/vault-settings.ts';
import { isAppError } from '../../shared/errors.ts';
import { readableFolder } from '../../shared/fs/folder.ts';
import { onPath } from './read-file.ts';
import { withFile } from './root.ts';

const LARGEST = 256 * 1024;

export function folderSettings(folder: string): ReadSettings {
  return async (file) => {
    const path = file as string as NotePath;
    const root = { real: await readableFolder(folder), isVisible: (found: NotePath) => found === path };
    try {
      return await onPath(path, () =>
        withFile(root, path, async (handle) => {
          const entry = await handle.stat();
          if (!entry.isFile()) throw unreadableSettings(file, 'Not a file');
          if (entry.size > LARGEST) throw unreadableSettings(file, 'Too large');
          const buffer = Buffer.alloc(entry.size);
          const { bytesRead } = await handle.read(buffer, 0, buffer.length, 0);
          return buffer.subarray(0, bytesRead).toString('utf8');
        }),
      );
    } catch (error) {
      if (isAppError(error, 'not_found')) return undefined;
      throw error;
    }
  };
}
