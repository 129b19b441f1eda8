/**
 * The lines of the history: one when an edit begins, with everything about it, and a short one when it ends. A line is
 * JSON with its keys in a fixed order, so that the edits of a note are found by searching the bytes for its path.
 */
import { readFile } from 'node:fs/promises';
import type { EditResult } from '../notes/edit-recorder.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import type { Change, ChangeHead, Edit, EditState, RecordedEdit } from './change.ts';

const NEWLINE = 10;
/** Begins the lines that a search must not miss and that are few. JSON escapes it, so no other place has one. */
const TAB = 9;
const NEAR_BYTES = 64 * 1024;

interface BeginLine extends ChangeHead {
  readonly n: number;
  /** When the edit began, where that is later than the change. */
  readonly begun?: number;
  /** Set on the first line in a segment of a change that has lines in an earlier one. */
  readonly carried?: true;
  readonly edit: Edit;
}

interface EndLine extends EditResult {
  readonly end: string;
  readonly n: number;
  readonly state: EditState;
}

export type EditPlace = Pick<BeginLine, 'n' | 'begun' | 'carried'>;

export function beginLine(
  { id, group, at, notebook, tool, by, undoes, acceptedBy }: ChangeHead,
  { n, begun, carried }: EditPlace,
  edit: Edit,
): Buffer {
  const { kind, path, to, before, after, replaced, mode, form, part, title } = edit;
  const line = {
    id,
    group,
    at,
    notebook,
    tool,
    by,
    // Once is enough: a change that undoes many has as many edits.
    undoes: n === 0 ? undoes : undefined,
    acceptedBy,
    n,
    begun: begun === at ? undefined : begun,
    carried,
    edit: { kind, path, to, before, after, replaced, mode, form, part, title },
  };
  const isMarked = to !== undefined || line.undoes !== undefined || carried;
  return Buffer.from(`${isMarked ? '\t' : ''}${JSON.stringify(line)}\n`);
}

export function endLine(id: string, n: number, state: EditState, result: EditResult = {}): Buffer {
  const { trashedTo, madeFolder, outcome } = result;
  return Buffer.from(`${JSON.stringify({ end: id, n, state, trashedTo, madeFolder, outcome })}\n`);
}

export interface ChangeFilter {
  /** Path of a note, before or after a move. */
  readonly path?: string;
  /** Path of a folder, without a slash at its end. */
  readonly under?: string;
  /** These changes alone; the other conditions do not count then. */
  readonly ids?: ReadonlySet<string>;
  readonly group?: string;
  readonly session?: string;
  readonly principal?: string;
  /** Part of the client's name, in any letter case. */
  readonly client?: string;
  readonly tool?: string;
  readonly notebook?: string;
  /** Milliseconds since 1970, both included. */
  readonly since?: number;
  readonly until?: number;
  /** Only changes before this one, for the next page. */
  readonly before?: string;
}

/** A file of lines, read whole. */
export class ChangeLog {
  readonly #bytes: Buffer;

  constructor(bytes: Buffer) {
    // A line that was cut off at the end does not count.
    this.#bytes = bytes.subarray(0, bytes.lastIndexOf(NEWLINE) + 1);
  }

  static async read(file: string): Promise<ChangeLog> {
    return new ChangeLog((await ifPresent(readFile(file))) ?? Buffer.alloc(0));
  }

  get wholeBytes(): number {
    return this.#bytes.length;
  }

  /** Adds the newest `most` changes that fit, each with all its edits, to `found`. */
  collect(filter: ChangeFilter, most: number, found: Changes): void {
    const { ids, path, under } = filter;
    if (ids) for (const id of ids) this.#collectChange(id, this.#bytes, found);
    else if (path !== undefined) this.#collectOf(JSON.stringify(path), filter, most, found);
    else if (under !== undefined)
      this.#collectOf(JSON.stringify(`${under}/`).slice(0, -1), filter, most, found);
    else this.#collectBackwards(filter, most, found);
    this.#collectMarked(found);
  }

  /** Edits that were begun and have no end. */
  openEdits(): { readonly id: string; readonly n: number; readonly edit: Edit }[] {
    const open = new Map<string, { id: string; n: number; edit: Edit }>();
    for (const line of this.#lines()) {
      if ('end' in line) open.delete(`${line.end} ${line.n}`);
      else open.set(`${line.id} ${line.n}`, { id: line.id, n: line.n, edit: line.edit });
    }
    return [...open.values()];
  }

  /** Adds the hashes of all texts that edits name. */
  texts(into: Set<string>): void {
    for (const line of this.#lines()) {
      if ('end' in line) continue;
      for (const hash of [line.edit.before, line.edit.after, line.edit.replaced])
        if (hash !== undefined) into.add(hash);
    }
  }

  /** Time of the last edit; 0 without one. */
  lastTime(): number {
    for (let end = this.#bytes.length - 1; end > 0; ) {
      const start = this.#bytes.lastIndexOf(NEWLINE, end - 1) + 1;
      const line = parse(this.#bytes.toString('utf8', start, end));
      if (line && !('end' in line)) return line.at;
      end = start - 1;
    }
    return 0;
  }

  /** `value` is the JSON of a path, or its beginning. */
  #collectOf(value: string, filter: ChangeFilter, most: number, found: Changes): void {
    const hasTo = (start: number) => lineBytes(this.#bytes, start).includes(`"to":${value}`);
    const places = [
      ...positionsOf(this.#bytes, `"path":${value}`),
      ...[...positionsOf(this.#bytes, TAB)].filter(hasTo),
    ];
    const taken = new Set<string>();
    for (const place of places.sort((a, b) => b - a)) {
      const start = this.#bytes.lastIndexOf(NEWLINE, place) + 1;
      const line = lineAt(this.#bytes, start);
      if (!line || 'end' in line || taken.has(line.id) || !fits(line, filter)) continue;
      taken.add(line.id);
      // Moves and undoing edit many notes; the few lines of another change stand close together.
      const isLong = line.edit.kind === 'move' || line.n > 0 || line.undoes !== undefined;
      if (!isLong) this.#collectChange(line.id, this.#bytes.subarray(start, start + NEAR_BYTES), found);
      if (isLong || !found.hasEnded(line.id)) this.#collectChange(line.id, this.#bytes, found);
      if (taken.size === most) return;
    }
  }

  #collectChange(id: string, bytes: Buffer, found: Changes): void {
    for (const start of positionsOf(bytes, `{"id":"${id}"`)) {
      const line = lineAt(bytes, start);
      if (line && !('end' in line)) found.add(line);
    }
    for (const start of positionsOf(bytes, `{"end":"${id}"`)) {
      const line = lineAt(bytes, start);
      if (line && 'end' in line) found.end(line);
    }
  }

  #collectBackwards(filter: ChangeFilter, most: number, found: Changes): void {
    const taken = new Set<string>();
    const incomplete = new Set<string>();
    for (let end = this.#bytes.length - 1; end > 0; ) {
      const start = this.#bytes.lastIndexOf(NEWLINE, end - 1) + 1;
      const line = parse(this.#bytes.toString('utf8', start, end));
      end = start - 1;
      if (!line) continue;
      if ('end' in line) found.end(line);
      else if (taken.has(line.id) || (taken.size < most && fits(line, filter))) {
        taken.add(line.id);
        found.add(line);
        // The edits of one change may stand between those of others.
        if (line.n === 0 || line.carried) incomplete.delete(line.id);
        else incomplete.add(line.id);
      }
      if (taken.size === most && incomplete.size === 0) return;
    }
  }

  #collectMarked(found: Changes): void {
    for (const start of positionsOf(this.#bytes, TAB)) {
      const isWanted = /"undoes":\[|"carried":true/.test(lineBytes(this.#bytes, start).toString('latin1'));
      const line = isWanted ? lineAt(this.#bytes, start) : undefined;
      if (!line || 'end' in line) continue;
      if (line.carried) found.carry(line.id);
      if (line.undoes && !this.#isRefused(line.id, start)) found.undo(line.id, line.undoes);
    }
  }

  /** Whether the store refused all edits of a change. */
  #isRefused(id: string, from: number): boolean {
    const after = this.#bytes.subarray(from);
    const ends = [...positionsOf(after, `{"end":"${id}"`)].map((start) => lineAt(after, start));
    return ends.length > 0 && ends.every((end) => end && 'end' in end && end.state === 'failed');
  }

  *#lines(): Generator<BeginLine | EndLine> {
    let start = 0;
    for (let end = this.#bytes.indexOf(NEWLINE); end >= 0; end = this.#bytes.indexOf(NEWLINE, start)) {
      const line = parse(this.#bytes.toString('utf8', start, end));
      if (line) yield line;
      start = end + 1;
    }
  }
}

function* positionsOf(bytes: Buffer, needle: string | number): Generator<number> {
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) yield at;
}

function lineAt(bytes: Buffer, start: number): BeginLine | EndLine | undefined {
  const line = lineBytes(bytes, start);
  return line.length === 0 ? undefined : parse(line.toString());
}

/** Empty for a line without an end. */
function lineBytes(bytes: Buffer, start: number): Buffer {
  const end = bytes.indexOf(NEWLINE, start);
  return bytes.subarray(start, Math.max(start, end));
}

/** Undefined for a line that is damaged. */
function parse(text: string): BeginLine | EndLine | undefined {
  try {
    const line = JSON.parse(text) as Partial<BeginLine & EndLine> | null;
    const isWhole = typeof line?.end === 'string' || (typeof line?.id === 'string' && line.edit);
    return isWhole ? (line as BeginLine | EndLine) : undefined;
  } catch {
    return undefined;
  }
}

function fits(line: BeginLine, filter: ChangeFilter): boolean {
  const { under, group, session, principal, client, tool, notebook, since, until, before } = filter;
  const { edit, by } = line;
  return (
    (under === undefined || [edit.path, edit.to].some((place) => place?.startsWith(`${under}/`))) &&
    (group === undefined || line.group === group) &&
    (session === undefined || by.session === session) &&
    (principal === undefined || by.principal === principal) &&
    (client === undefined || (by.client ?? '').toLowerCase().includes(client.toLowerCase())) &&
    (tool === undefined || line.tool === tool) &&
    (notebook === undefined || line.notebook === notebook) &&
    (since === undefined || line.at >= since) &&
    (until === undefined || line.at <= until) &&
    (before === undefined || line.id < before)
  );
}

/** Changes put together from their lines, which may come in any order. */
export class Changes {
  readonly #heads = new Map<string, ChangeHead>();
  readonly #edits = new Map<string, Map<number, Pick<BeginLine, 'edit' | 'begun'>>>();
  readonly #ends = new Map<string, EndLine>();
  readonly #undoings = new Map<string, readonly string[]>();
  readonly #carried = new Set<string>();

  add({ n, begun, carried: _, edit, ...head }: BeginLine): void {
    const { undoes = this.#heads.get(head.id)?.undoes } = head;
    this.#heads.set(head.id, { ...head, undoes });
    const edits = this.#edits.get(head.id) ?? new Map();
    this.#edits.set(head.id, edits.set(n, { edit, begun }));
  }

  end(line: EndLine): void {
    this.#ends.set(`${line.end} ${line.n}`, line);
  }

  undo(id: string, undone: readonly string[]): void {
    this.#undoings.set(id, undone);
  }

  carry(id: string): void {
    this.#carried.add(id);
  }

  /** Whether a change has lines in several segments. */
  isSpread(id: string): boolean {
    return this.#carried.has(id);
  }

  hasEnded(id: string): boolean {
    return [...(this.#edits.get(id)?.keys() ?? [])].every((n) => this.#ends.has(`${id} ${n}`));
  }

  /** The newest first. Changes of which nothing was carried out are left out. */
  list(): Change[] {
    const undoneBy = this.#undoneBy();
    return [...this.#heads.values()]
      .map((head) => ({ ...head, edits: this.#editsOf(head), undoneBy: undoneBy.get(head.id) }))
      .filter(({ edits }) => edits.length > 0)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  /** By the change that was undone. Undoing that was undone itself does not count. */
  #undoneBy(): Map<string, string> {
    const undoneBy = new Map<string, string>();
    const newestFirst = [...this.#undoings].sort(([a], [b]) => (a < b ? 1 : -1));
    for (const [id, undone] of newestFirst)
      if (!undoneBy.has(id)) for (const other of undone) undoneBy.set(other, id);
    return undoneBy;
  }

  #editsOf({ id, at }: ChangeHead): RecordedEdit[] {
    const edits = [...(this.#edits.get(id) ?? [])].sort(([a], [b]) => a - b);
    return edits
      .map(([n, { edit, begun = at }]) => {
        const end: Partial<EndLine> = this.#ends.get(`${id} ${n}`) ?? {};
        const { state = 'open', trashedTo, madeFolder, outcome } = end;
        return { ...edit, at: begun, state, trashedTo, madeFolder, outcome };
      })
      .filter(({ state }) => state !== 'failed');
  }
}
