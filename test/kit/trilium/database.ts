/** The database of one Trilium: rows as its wire shows them, deleted ones included. */
import { createHash, randomBytes } from 'node:crypto';

interface Deletable {
  /** Which deletion took it away; what went together can come back together. */
  deleteId?: string | undefined;
}

export interface NoteRow extends Deletable {
  readonly noteId: string;
  isProtected: boolean;
  title: string;
  type: string;
  mime: string;
  blobId: string;
  dateCreated: string;
  dateModified: string;
  utcDateCreated: string;
  utcDateModified: string;
}

export interface BranchRow extends Deletable {
  readonly branchId: string;
  readonly noteId: string;
  readonly parentNoteId: string;
  prefix: string | null;
  notePosition: number;
  isExpanded: boolean;
  utcDateModified: string;
}

export interface AttributeRow extends Deletable {
  readonly attributeId: string;
  readonly noteId: string;
  readonly type: string;
  readonly name: string;
  value: string;
  position: number;
  readonly isInheritable: boolean;
  utcDateModified: string;
}

export interface AttachmentRow extends Deletable {
  readonly attachmentId: string;
  readonly ownerId: string;
  role: string;
  mime: string;
  title: string;
  position: number;
  blobId: string;
  dateModified: string;
  utcDateModified: string;
  scheduledSince: string | null;
}

export interface RevisionRow {
  readonly revisionId: string;
  readonly noteId: string;
  readonly type: string;
  readonly mime: string;
  readonly isProtected: boolean;
  readonly title: string;
  readonly description: string;
  readonly source: string;
  readonly blobId: string;
  readonly dateLastEdited: string;
  readonly dateCreated: string;
  readonly utcDateLastEdited: string;
  readonly utcDateCreated: string;
  readonly utcDateModified: string;
}

/** The position of the hidden subtree among the children of root. */
const LAST_POSITION = 999_999_999;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

export function randomId(length = 12): string {
  return Array.from(randomBytes(length), (byte) => ALPHABET[byte % ALPHABET.length]).join('');
}

export class Database {
  readonly notes = new Map<string, NoteRow>();
  readonly branches = new Map<string, BranchRow>();
  readonly attributes = new Map<string, AttributeRow>();
  readonly attachments = new Map<string, AttachmentRow>();
  readonly revisions = new Map<string, RevisionRow>();
  readonly blobs = new Map<string, Buffer>();
  readonly backups: string[] = [];
  /** Notes that hold an attribute without a name, in memory alone: nothing that touches it works any more. */
  readonly damaged = new Set<string>();
  /** Whether the protected notes are unlocked. */
  isUnlocked = false;
  /** The client's local time, from its header, while its request is answered. */
  localNow: string | undefined;
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get nowMs(): number {
    return this.#now();
  }

  /** `2026-11-15 01:54:11.525+0000`: its local time is UTC. */
  local(): string {
    return this.localNow ?? this.utc().replace('Z', '+0000');
  }

  utc(): string {
    return new Date(this.#now()).toISOString().replace('T', ' ');
  }

  note(noteId: string): NoteRow | undefined {
    return alive(this.notes.get(noteId));
  }

  branch(branchId: string): BranchRow | undefined {
    return alive(this.branches.get(branchId));
  }

  /** In tree order; equal positions in the order of birth. */
  childBranches(noteId: string): BranchRow[] {
    return [...this.branches.values()]
      .filter((branch) => branch.parentNoteId === noteId && branch.deleteId === undefined)
      .sort((a, b) => a.notePosition - b.notePosition);
  }

  parentBranches(noteId: string): BranchRow[] {
    return [...this.branches.values()].filter(
      (branch) => branch.noteId === noteId && branch.deleteId === undefined,
    );
  }

  ownAttributes(noteId: string): AttributeRow[] {
    return [...this.attributes.values()].filter(
      (attribute) => attribute.noteId === noteId && attribute.deleteId === undefined,
    );
  }

  /** Own ones first, then what comes down from above. */
  allAttributes(noteId: string, path: readonly string[] = []): AttributeRow[] {
    if (path.includes(noteId)) return [];
    const inherited = this.parentBranches(noteId).flatMap(({ parentNoteId }) =>
      this.allAttributes(parentNoteId, [...path, noteId]).filter(({ isInheritable }) => isInheritable),
    );
    return [...new Set([...this.ownAttributes(noteId), ...inherited])];
  }

  hasLabel(noteId: string, name: string): boolean {
    return this.ownAttributes(noteId).some((one) => one.type === 'label' && one.name === name);
  }

  nextPosition(parentNoteId: string, except?: string): number {
    const taken = this.childBranches(parentNoteId)
      .filter(({ branchId, notePosition }) => branchId !== except && notePosition < LAST_POSITION)
      .map(({ notePosition }) => notePosition);
    return Math.max(0, ...taken) + 10;
  }

  addBranch(
    noteId: string,
    parentNoteId: string,
    { prefix = null, notePosition, isExpanded = false }: Partial<BranchRow> = {},
  ): BranchRow {
    const branchId = `${parentNoteId}_${noteId}`;
    const row = {
      branchId,
      noteId,
      parentNoteId,
      prefix,
      notePosition: notePosition ?? this.nextPosition(parentNoteId, branchId),
      isExpanded,
      utcDateModified: this.utc(),
    };
    this.branches.set(branchId, row);
    if (this.hasLabel(parentNoteId, 'sorted')) this.#sortChildren(parentNoteId);
    return row;
  }

  #sortChildren(parentNoteId: string): void {
    const titleOf = ({ noteId }: BranchRow) => this.notes.get(noteId)?.title ?? '';
    const sorted = this.childBranches(parentNoteId).sort((a, b) => (titleOf(a) < titleOf(b) ? -1 : 1));
    for (const [at, branch] of sorted.entries()) branch.notePosition = (at + 1) * 10;
  }

  /** A note of that id that was there before is forgotten, with its place and its attributes. */
  addNote(
    row: Pick<NoteRow, 'title' | 'type' | 'mime'> & Partial<NoteRow>,
    content: string | Buffer,
  ): NoteRow {
    const noteId = row.noteId ?? randomId();
    for (const [id, branch] of this.branches)
      if (branch.noteId === noteId || branch.parentNoteId === noteId) this.branches.delete(id);
    for (const [id, attribute] of this.attributes)
      if (attribute.noteId === noteId) this.attributes.delete(id);
    const note: NoteRow = {
      isProtected: false,
      dateCreated: this.local(),
      dateModified: this.local(),
      utcDateCreated: this.utc(),
      utcDateModified: this.utc(),
      ...row,
      blobId: row.blobId ?? this.store(content),
      noteId,
    };
    this.notes.set(noteId, note);
    return note;
  }

  addLabel(noteId: string, name: string, value = '', isInheritable = false): AttributeRow {
    return this.addAttribute({ noteId, type: 'label', name, value, isInheritable });
  }

  addAttribute(
    row: Pick<AttributeRow, 'noteId' | 'type' | 'name' | 'value'> & Partial<AttributeRow>,
  ): AttributeRow {
    const positions = this.ownAttributes(row.noteId).map(({ position }) => position);
    const attributeId = row.attributeId ?? randomId();
    const attribute = {
      attributeId,
      noteId: row.noteId,
      type: row.type,
      name: row.name,
      value: row.value,
      position: row.position ?? Math.max(0, ...positions) + 10,
      isInheritable: row.isInheritable ?? false,
      utcDateModified: this.utc(),
    };
    this.attributes.set(attributeId, attribute);
    return attribute;
  }

  addAttachment(
    row: Pick<AttachmentRow, 'ownerId' | 'role' | 'mime' | 'title'> & {
      readonly position?: number | undefined;
    },
    content: string | Buffer,
  ): AttachmentRow {
    const attachment: AttachmentRow = {
      attachmentId: randomId(),
      ownerId: row.ownerId,
      role: row.role,
      mime: row.mime,
      title: row.title,
      position: row.position ?? 10,
      blobId: this.store(content),
      dateModified: this.local(),
      utcDateModified: this.utc(),
      scheduledSince: null,
    };
    this.attachments.set(attachment.attachmentId, attachment);
    return attachment;
  }

  store(content: string | Buffer): string {
    const bytes = Buffer.from(content as Buffer);
    const blobId = createHash('sha512')
      .update(bytes)
      .digest('base64')
      .replaceAll('+', 'X')
      .replaceAll('/', 'Y')
      .slice(0, 20);
    this.blobs.set(blobId, bytes);
    return blobId;
  }

  content({ blobId }: { readonly blobId: string }): Buffer {
    return this.blobs.get(blobId) ?? Buffer.alloc(0);
  }

  touch(row: { dateModified: string; utcDateModified: string }): void {
    row.dateModified = this.local();
    row.utcDateModified = this.utc();
  }
}

export function alive<T extends Deletable>(row: T | undefined): T | undefined {
  return row?.deleteId === undefined ? row : undefined;
}
