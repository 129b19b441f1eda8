/** The edits that changes made together are, for those who record or propose them. */
import type { EditTexts, NewEdit } from '../../notes/edit-recorder.ts';
import type { NotePath } from '../../notes/path.ts';
import type { JointChange, Note } from '../../notes/store.ts';
import { isAppError } from '../../shared/errors.ts';

export interface JointEdit {
  readonly edit: NewEdit;
  readonly texts: EditTexts;
}

/** A later edit finds what an earlier one leaves. */
export async function editsOf(
  changes: readonly JointChange[],
  current: (path: NotePath, version: string | null | undefined) => Promise<Note | undefined>,
): Promise<readonly JointEdit[]> {
  const left = new Map<NotePath, Uint8Array | undefined>();
  const textAt = async (path: NotePath, version?: string | null) =>
    left.has(path) ? left.get(path) : (await current(path, version).catch(unlessTooLarge))?.bytes;
  const edits: JointEdit[] = [];
  for (const change of changes) {
    if (change.kind === 'move') {
      const { from, to } = change;
      const bytes = await textAt(from, change.ifVersion);
      const replaced = change.overwrite ? await textAt(to, change.replaces) : undefined;
      edits.push({
        edit: { kind: 'move', path: from, to },
        texts: { before: bytes, after: bytes, replaced },
      });
      left.set(from, undefined);
      left.set(to, bytes);
      continue;
    }
    const { path } = change;
    const before = await textAt(path, change.ifVersion);
    const after = change.kind === 'write' ? change.content : undefined;
    const kind = change.kind === 'remove' ? 'delete' : before ? 'write' : 'create';
    edits.push({ edit: { kind, path }, texts: { before, after } });
    left.set(path, after);
  }
  return edits;
}

/** Files too large to be read as notes can be moved and removed; the trash alone keeps them. */
export function unlessTooLarge(error: unknown): undefined {
  if (!isAppError(error, 'unsupported')) throw error;
}

/** The change with its paths in the form in which the store keeps them. */
export function spelled(change: JointChange, spelling: (path: NotePath) => NotePath): JointChange {
  if (change.kind === 'move') return { ...change, from: spelling(change.from), to: spelling(change.to) };
  return { ...change, path: spelling(change.path) };
}
