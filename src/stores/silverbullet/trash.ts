/** Where removed pages go: `_trash/2026-11/projects/plan.md`, beside an earlier one under a name with the time in it. */
import { joinPath, type NotePath, nameOf, parentOf, stemOf } from '../../notes/path.ts';

const TRASH = '_trash';

export function isInTrash(path: NotePath): boolean {
  return path.startsWith(`${TRASH}/`);
}

export async function trashPathFor(
  path: NotePath,
  now: number,
  isTaken: (path: NotePath) => Promise<boolean>,
): Promise<NotePath> {
  const month = new Date(now).toISOString().slice(0, 7);
  const plain = `${TRASH}/${month}/${path}` as NotePath;
  if (!(await isTaken(plain))) return plain;
  const extension = nameOf(plain).slice(stemOf(plain).length);
  for (let stamp = now; ; stamp++) {
    const dated = joinPath(parentOf(plain), `${stemOf(plain)}-${stamp}${extension}`);
    if (!(await isTaken(dated))) return dated;
  }
}
