/**
 * A view of a store for one call whose changes are only proposed. It shows the notes as the session has proposed them,
 * so that an assistant can build on what it proposed before; for everybody else nothing has changed.
 */
import type { EditTexts, NewEdit } from '../../notes/edit-recorder.ts';
import { isRespelled } from '../../notes/ops/links.ts';
import { readIfThere } from '../../notes/ops/update-note.ts';
import { type NotePath, nameOf, parentOf } from '../../notes/path.ts';
import type { FolderEntries, Note, NoteMeta, NoteStore } from '../../notes/store.ts';
import { AppError, isAppError } from '../../shared/errors.ts';
import { assertCondition, targetExists, versionOf } from '../condition.ts';
import { withoutMaking } from './guarded.ts';
import { editsOf, type JointEdit, spelled, unlessTooLarge } from './joint-edits.ts';

/** Notes as a session has proposed them, by path; undefined for those that it proposed to remove. */
export type ProposedNotes = ReadonlyMap<NotePath, Note | undefined>;

/** One call whose changes are reviewed. */
export interface ProposingCall {
  /** With the edits of this call. */
  proposed(): Promise<ProposedNotes>;
  /** False for an edit that may be made at once. `isBuiltOn`: it is one of proposed text. */
  isReviewed(edit: NewEdit, texts: EditTexts, isBuiltOn: boolean): boolean;
  propose(edit: NewEdit, texts: EditTexts): void;
  /** The caller reads a note as it proposed it itself. */
  showed(path: NotePath): void;
}

export function proposedNote(path: NotePath, bytes: Uint8Array, at: number): Note {
  const meta = { path, size: bytes.length, lastModified: at, contentType: 'text/markdown' };
  return { ...meta, version: versionOf(bytes), bytes };
}

export function reviewed(store: NoteStore, call: ProposingCall): NoteStore {
  const { listFolder, stat, move, changeAll } = store;
  const spelling = store.spelling ?? ((path: NotePath) => path);
  const read = async (given: NotePath): Promise<Note> => {
    const path = spelling(given);
    const proposed = await call.proposed();
    if (!proposed.has(path)) return store.read(path);
    const note = proposed.get(path);
    if (!note) throw new AppError('not_found', 'File not found', { subject: path, hint: PROPOSED_TO_GO });
    call.showed(path);
    return note;
  };
  const current = (path: NotePath) => readIfThere({ read } as NoteStore, path);
  const isOwn = async (path: NotePath) => (await call.proposed()).has(spelling(path));
  /** Whether the edits were proposed; else they may be made. Where one is, all are: nobody gets half of them. */
  const hasProposed = async (edits: readonly JointEdit[]): Promise<boolean> => {
    const proposed = await call.proposed();
    const isReviewed = ({ edit, texts }: JointEdit) => {
      const { path, to = path } = edit;
      return call.isReviewed(edit, texts, proposed.has(path as NotePath) || proposed.has(to as NotePath));
    };
    if (!edits.map(isReviewed).includes(true)) return false;
    for (const { edit, texts } of edits) call.propose(edit, texts);
    return true;
  };
  /** The note that a move would replace. */
  const inTheWay = async (from: NotePath, to: NotePath): Promise<Note | undefined> => {
    const there = await current(to);
    return isRespelled([from, await current(from)], [to, there]) ? undefined : there;
  };
  return {
    ...store,
    base: store.base ?? store,
    read,
    list: async (options) => {
      const [listed, proposed] = [await store.list(options), await call.proposed()];
      return proposed.size === 0 ? listed : withProposed(listed, proposed, options?.under);
    },
    listFolder: listFolder && (async (path) => folderWith(path, listFolder, await call.proposed())),
    stat:
      stat &&
      (async (path) => {
        if (!(await isOwn(path))) return stat(path);
        const { bytes: _, version: __, ...meta } = await read(path);
        return meta;
      }),
    async write(given, content, options = {}) {
      const path = spelling(given);
      const after = typeof content === 'string' ? Buffer.from(content) : content;
      const note = await current(path);
      assertCondition(path, note, options.ifVersion);
      // Nothing would change, so there is nothing to decide on.
      if (note && Buffer.compare(note.bytes, after) === 0) return note;
      const edit = { kind: note ? 'write' : 'create', path, mode: note?.mode } as const;
      if (!(await hasProposed([{ edit, texts: { before: note?.bytes, after } }])))
        return store.write(path, content, { ...options, ifVersion: note?.version ?? null });
      return proposedNote(path, after, Date.now());
    },
    async remove(given, options = {}) {
      const path = spelling(given);
      const note = await current(path).catch(unlessTooLarge);
      assertCondition(path, note, options.ifVersion);
      if (!note && !(await isThere(store, path))) return store.remove(path, options);
      const edit = { kind: 'delete', path, mode: note?.mode } as const;
      const waits = await hasProposed([{ edit, texts: { before: note?.bytes } }]);
      return waits ? { recovery: PROPOSED_TO_GO } : store.remove(path, options);
    },
    move:
      move &&
      (async (givenFrom, givenTo, options = {}) => {
        const [from, to] = [spelling(givenFrom), spelling(givenTo)];
        const note = await read(from);
        const target = await inTheWay(from, to);
        if (target && !options.overwrite) throw targetExists(to);
        const edit = { kind: 'move', path: from, to, mode: note.mode } as const;
        const texts = { before: note.bytes, after: note.bytes, replaced: target?.bytes };
        return (await hasProposed([{ edit, texts }]))
          ? proposedNote(to, note.bytes, Date.now())
          : move(from, to, options);
      }),
    changeAll:
      changeAll &&
      (async (given, options) => {
        const changes = given.map((change) => spelled(change, spelling));
        const asExpected = async (path: NotePath, version: string | null | undefined) => {
          const note = await current(path);
          assertCondition(path, note, version);
          return note;
        };
        const edits = await editsOf(changes, asExpected);
        const left = new Set<NotePath>();
        for (const one of changes) {
          if (one.kind !== 'move') {
            if (one.kind === 'remove') left.add(one.path);
            continue;
          }
          if (!one.overwrite && !left.has(one.to) && (await inTheWay(one.from, one.to)))
            throw targetExists(one.to);
          left.add(one.from);
        }
        if (!(await hasProposed(edits))) return changeAll(changes, options);
        return edits.map(({ edit: { path, to }, texts: { after = NOTHING } }) =>
          proposedNote((to ?? path) as NotePath, after, Date.now()),
        );
      }),
    // What is in the trash is no note: bringing one back is creating it.
    restore: undefined,
    ...withoutMaking(store),
    trash: store.trash && {
      ...store.trash,
      purge: async (path) => {
        throw new AppError('unsupported', 'What is deleted for good cannot be reviewed', {
          subject: path,
          hint: 'Changes of this notebook are proposed to a person, who can empty the trash.',
        });
      },
    },
    pruneFolders: undefined,
  };
}

const NOTHING = Buffer.alloc(0);

const PROPOSED_TO_GO = 'to be removed when a person has accepted that; nothing is gone yet';

function isThere(store: NoteStore, path: NotePath): Promise<boolean> {
  return readIfThere(store, path).then(
    (note) => note !== undefined,
    () => true,
  );
}

function isUnder(path: NotePath, under: NotePath | undefined): boolean {
  return under === undefined || under === '' || path.startsWith(`${under}/`);
}

function withProposed(
  listed: readonly NoteMeta[],
  proposed: ProposedNotes,
  under: NotePath | undefined,
): NoteMeta[] {
  const own = [...proposed.values()].flatMap((note) => (note && isUnder(note.path, under) ? note : []));
  const metas = own.map(({ path, size, lastModified, contentType }) => ({
    path,
    size,
    lastModified,
    contentType,
  }));
  return [...listed.filter(({ path }) => !proposed.has(path)), ...metas].sort((a, b) =>
    a.path < b.path ? -1 : 1,
  );
}

async function folderWith(
  path: NotePath,
  listFolder: NonNullable<NoteStore['listFolder']>,
  proposed: ProposedNotes,
): Promise<FolderEntries> {
  const below = [...proposed].filter(([note]) => isUnder(note, path));
  if (below.length === 0) return listFolder(path);
  const isCreated = below.some(([, note]) => note !== undefined);
  const listed = await listFolder(path).catch((error: unknown) => {
    if (isCreated && isAppError(error, 'not_found')) return { folders: [], files: [] };
    throw error;
  });
  const files = new Set(listed.files);
  const folders = new Set(listed.folders);
  for (const [note, content] of below) {
    if (parentOf(note) !== path) {
      const rest = path === '' ? note : note.slice(path.length + 1);
      if (content) folders.add(rest.slice(0, rest.indexOf('/')));
    } else if (content) files.add(nameOf(note));
    else files.delete(nameOf(note));
  }
  return { folders: [...folders].sort(), files: [...files].sort() };
}
