/** Folders of notes as people name them: `~`, Obsidian vaults, and a first folder where there is none. */
import { readdir, writeFile } from 'node:fs/promises';
import { join, relative, resolve, sep } from 'node:path';
import { isErrno, isFolder } from '../../shared/fs/errno.ts';
import { fromHome, readableFolder } from '../../shared/fs/folder.ts';
import { makeFolders } from '../../shared/fs/make-folders.ts';

export interface NotesFolder {
  /** Absolute. */
  readonly path: string;
  readonly isObsidian: boolean;
  /** How many notes it holds; counting ends at `MAX_COUNTED`. */
  readonly notes: number;
  /** Does not exist yet; see `makeFolder`. */
  readonly isNew?: true;
}

export interface FolderPlaces {
  readonly workingFolder: string;
  readonly home: string;
}

export const MAX_COUNTED = 10_000;
const MAX_FOLDERS = 2_000;
const NOTE = /\.(?:md|markdown|txt)$/i;

export const FIRST_FOLDER = 'notes';
const WELCOME = `# Welcome

This folder holds your notes: plain text files that you and your AI assistant can both read and write.

Things to ask your assistant:

- What is in my notes?
- Write a note about the books I want to read.
- Which tasks are still open?

Every change an assistant makes is recorded. \`quire history\` lists the changes, and \`quire undo --last\` takes the last one back.
`;

/** Refuses what is no readable folder. */
export async function notesFolder(given: string, places: FolderPlaces): Promise<NotesFolder> {
  const path = expanded(given, places);
  await readableFolder(path);
  return { path, isObsidian: await isFolder(join(path, '.obsidian')), notes: await countNotes(path) };
}

export function expanded(given: string, { workingFolder, home }: FolderPlaces): string {
  return resolve(workingFolder, fromHome(given.trim(), home));
}

/** The folder to offer: the working folder if notes are in it, else one below it. */
export async function usualFolder(workingFolder: string): Promise<'.' | typeof FIRST_FOLDER> {
  return (await countNotes(workingFolder, 1)) > 0 ? '.' : FIRST_FOLDER;
}

export function newFolder(path: string): NotesFolder {
  return { path, isObsidian: false, notes: 0, isNew: true };
}

/** Makes a new folder, with a welcome note in it. */
export async function makeFolder(path: string): Promise<void> {
  await makeFolders(path);
  await writeFile(join(path, 'Welcome.md'), WELCOME, { flag: 'wx' }).catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST')) throw error;
  });
}

/** Hidden folders and installed packages do not count. */
async function countNotes(folder: string, most = MAX_COUNTED): Promise<number> {
  let [count, folders] = [0, 0];
  const waiting = [folder];
  for (let next = waiting.shift(); next !== undefined && folders < MAX_FOLDERS; next = waiting.shift()) {
    folders += 1;
    const entries = await readdir(next, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      if (entry.name.startsWith('.') || entry.name === 'node_modules') continue;
      if (entry.isDirectory()) waiting.push(join(next, entry.name));
      else if (entry.isFile() && NOTE.test(entry.name)) count += 1;
    }
    if (count >= most) return most;
  }
  return count;
}

/** As it is written into a file of `base`: relative below that, else absolute. */
export function pathIn(base: string, path: string): string {
  const inside = relative(base, path);
  if (inside === '') return '.';
  const isBelow = inside.split(sep)[0] !== '..' && resolve(base, inside) === path && !/^[a-z]:/i.test(inside);
  return isBelow ? `./${inside.split(sep).join('/')}` : path;
}
