/** What lies in a folder and is no note for Quire: names that are no text, links that lead out, devices. Hidden files are counted only. */
import { Buffer } from 'node:buffer';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface UnlistedFiles {
  readonly problems: readonly { readonly path: string; readonly reason: string }[];
  readonly hidden: number;
}

/** `isListed` says whether the store shows a file under this path; linked folders are shown at their real place. */
export async function unlistedFiles(
  folder: string,
  isListed: (path: string) => boolean,
  isHidden: (path: string) => boolean,
): Promise<UnlistedFiles> {
  const problems: { path: string; reason: string }[] = [];
  let hidden = 0;
  const enter = async (place: Buffer, prefix: string): Promise<void> => {
    let entries: Dirent<Buffer>[];
    try {
      entries = await readdir(place, { withFileTypes: true, encoding: 'buffer' });
    } catch (error) {
      const { code = String(error) } = error as NodeJS.ErrnoException;
      problems.push({ path: prefix, reason: `the folder cannot be read (${code})` });
      return;
    }
    for (const entry of entries) {
      const name = entry.name.toString('utf8');
      const path = prefix + name;
      if (isHidden(path)) hidden++;
      else if (Buffer.compare(Buffer.from(name), entry.name) !== 0)
        problems.push({ path, reason: 'the name is not UTF-8' });
      else if (entry.isDirectory())
        await enter(Buffer.concat([place, Buffer.from('/'), entry.name]), `${path}/`);
      else if (entry.isFile() && !isListed(path)) problems.push({ path, reason: 'the file cannot be read' });
      else if (!entry.isFile() && !isListed(path)) problems.push({ path, reason: 'it is no ordinary file' });
    }
  };
  await enter(Buffer.from(join(folder)), '');
  return { problems, hidden };
}
