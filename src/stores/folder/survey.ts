/** Walks a folder of notes once, for `quire doctor`: how much there is, and which names other systems cannot hold. */
import { access, constants, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { joinPath, type NotePath, pathKey, portabilityProblem, ROOT, shownPath } from '../../notes/path.ts';
import type { Root } from './root.ts';
import { ownFolders, readFolder } from './walk.ts';

/** A count with the first few of what was counted. */
export interface Tally {
  readonly count: number;
  readonly examples: readonly string[];
}

export interface FolderSurvey {
  readonly folders: number;
  readonly notes: number;
  /** Files that are visible and no notes. */
  readonly others: number;
  /** Milliseconds since 1970, of the note that was changed last; 0 without notes. */
  readonly newestMs: number;
  readonly unreadable: Tally;
  readonly unwritable: Tally;
  /** Names that some other system cannot hold, each with the reason. */
  readonly unportable: Tally;
  /** Names that differ from another one in the same folder in case or Unicode form only. */
  readonly alike: Tally;
  /** Paths too long for programs on Windows that know no long paths. */
  readonly long: Tally;
  /** The survey ended before the folder did. */
  readonly isPartial: boolean;
}

const MAX_FILES = 200_000;
const MAX_EXAMPLES = 3;
/** Of 259, some are needed for the folder in which the notes are. */
const LONG_PATH = 200;

class Counter implements Tally {
  count = 0;
  readonly examples: string[] = [];

  add(example: string): void {
    this.count++;
    if (this.examples.length < MAX_EXAMPLES) this.examples.push(example);
  }
}

export async function surveyFolder(root: Root, isNote: (path: string) => boolean): Promise<FolderSurvey> {
  const found = { folders: 0, notes: 0, others: 0, newestMs: 0, isPartial: false };
  const unreadable = new Counter();
  const unwritable = new Counter();
  const unportable = new Counter();
  const alike = new Counter();
  const long = new Counter();

  const judge = (folder: NotePath, names: readonly string[]) => {
    const seen = new Map<string, string>();
    for (const name of names) {
      const problem = portabilityProblem(name);
      if (problem !== undefined) unportable.add(`"${shownPath(joinPath(folder, name))}" ${problem}`);
      const twin = seen.get(pathKey(name));
      if (twin !== undefined) alike.add(`"${shownPath(joinPath(folder, twin))}" and "${shownPath(name)}"`);
      seen.set(pathKey(name), name);
    }
  };

  const waiting: NotePath[] = [ROOT];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.notes + found.others > MAX_FILES) return { ...found, ...tallies(), isPartial: true };
    const content = await readFolder(root, path);
    if (!content) {
      unreadable.add(shownPath(path));
      continue;
    }
    found.folders++;
    if (!(await isWritable(join(root.real, path)))) unwritable.add(path === ROOT ? '.' : shownPath(path));
    judge(path, [...content.folders, ...content.files]);
    for (const name of content.files) {
      const file = joinPath(path, name);
      if (file.length > LONG_PATH) long.add(shownPath(file));
      if (!isNote(file)) {
        found.others++;
        continue;
      }
      found.notes++;
      const entry = await lstat(join(root.real, file)).catch(() => undefined);
      found.newestMs = Math.max(found.newestMs, entry?.mtimeMs ?? 0);
    }
    waiting.push(...ownFolders(content).map((name) => joinPath(path, name)));
  }
  return { ...found, ...tallies() };

  function tallies() {
    return { unreadable, unwritable, unportable, alike, long };
  }
}

function isWritable(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
}
