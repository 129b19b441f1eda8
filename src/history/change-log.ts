/**
 * The lines of the history: one when an edit begins, with everything about it, and a short one when it ends. A line is
 * JSON with its keys in a fixed order, so that the edits of a note are found by searching the bytes for its path.
 */
import { readFile } from 'node:fs/promises';
import { ifPresent } from '../shared/fs/errno.ts';
import type { Change, ChangeHead, Edit, EditState, RecordedEdit } from './change.ts';

const NEWLINE = 10;
const NEAR_BYTES = 64 * 1024;

interface BeginLine extends ChangeHead {
  readonly n: number;
  readonly edit: Edit;
}

interface EndLine {
  readonly end: string;
  readonly n: number;
  readonly state: EditState;
  readonly trashedTo?: string;
}

export function beginLine(
  { id, group, at, notebook, tool, by, undoes }: ChangeHead,
  n: number,
  edit: Edit,
): Buffer {
  const { kind, path, to, before, after, replaced, mode, form, title } = edit;
  const line = {
    id,
    group,
    at,
    notebook,
    tool,
    by,
    undoes,
    n,
    edit: { kind, path, to, before, after, replaced, mode, form, title },
  };
  return Buffer.from(`${JSON.stringify(line)}\n`);
}

export function endLine(id: string, n: number, state: EditState, trashedTo?: string): Buffer {
  return Buffer.from(`${JSON.stringify({ end: id, n, state, trashedTo })}\n`);
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
    const { ids, path } = filter;
    if (ids) for (const id of ids) this.#collectChange(id, this.#bytes, found);
    else if (path !== undefined) this.#collectOf(path, filter, most, found);
    else this.#collectBackwards(filter, most, found);
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

  /** Hashes of all texts that edits since `since` name. */
  texts(since: number, into: Set<string>): void {
    for (const line of this.#lines()) {
      if ('end' in line || line.at < since) continue;
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

  #collectOf(path: string, filter: ChangeFilter, most: number, found: Changes): void {
    const value = JSON.stringify(path);
    const places = [
      ...positionsOf(this.#bytes, `"path":${value}`),
      ...positionsOf(this.#bytes, `"to":${value}`),
    ];
    const taken = new Set<string>();
    for (const place of places.sort((a, b) => b - a)) {
      const start = this.#bytes.lastIndexOf(NEWLINE, place) + 1;
      const line = lineAt(this.#bytes, start);
      if (!line || 'end' in line || taken.has(line.id) || !fits(line, filter)) continue;
      taken.add(line.id);
      // Only a move edits many notes; the few lines of another change stand close together.
      const isLong = line.edit.kind === 'move' || line.n > 0;
      this.#collectChange(
        line.id,
        isLong ? this.#bytes : this.#bytes.subarray(start, start + NEAR_BYTES),
        found,
      );
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
    for (let end = this.#bytes.length - 1; end > 0; ) {
      const start = this.#bytes.lastIndexOf(NEWLINE, end - 1) + 1;
      const line = parse(this.#bytes.toString('utf8', start, end));
      end = start - 1;
      if (!line) continue;
      if ('end' in line) found.end(line);
      else if (fits(line, filter)) {
        // The edits of one change may stand between those of others.
        if (taken.size >= most && !taken.has(line.id)) return;
        taken.add(line.id);
        found.add(line);
      }
    }
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

function* positionsOf(bytes: Buffer, needle: string): Generator<number> {
  for (let at = bytes.indexOf(needle); at >= 0; at = bytes.indexOf(needle, at + 1)) yield at;
}

function lineAt(bytes: Buffer, start: number): BeginLine | EndLine | undefined {
  const end = bytes.indexOf(NEWLINE, start);
  return end < 0 ? undefined : parse(bytes.toString('utf8', start, end));
}

/** Undefined for a line that is damaged. */
function parse(text: string): BeginLine | EndLine | undefined {
  try {
    return JSON.parse(text) as BeginLine | EndLine;
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
  readonly #edits = new Map<string, Map<number, Edit>>();
  readonly #ends = new Map<string, EndLine>();

  add({ n, edit, ...head }: BeginLine): void {
    this.#heads.set(head.id, head);
    const edits = this.#edits.get(head.id) ?? new Map<number, Edit>();
    this.#edits.set(head.id, edits.set(n, edit));
  }

  end(line: EndLine): void {
    this.#ends.set(`${line.end} ${line.n}`, line);
  }

  /** The newest first. Changes of which nothing was carried out are left out. */
  list(): Change[] {
    const undoneBy = new Map<string, string>();
    for (const { id, undoes = [] } of this.#heads.values())
      for (const undone of undoes) undoneBy.set(undone, id);
    return [...this.#heads.values()]
      .map((head) => ({ ...head, edits: this.#editsOf(head.id), undoneBy: undoneBy.get(head.id) }))
      .filter(({ edits }) => edits.length > 0)
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  }

  #editsOf(id: string): RecordedEdit[] {
    const edits = [...(this.#edits.get(id) ?? [])].sort(([a], [b]) => a - b);
    return edits
      .map(([n, edit]) => {
        const end = this.#ends.get(`${id} ${n}`);
        return { ...edit, state: end?.state ?? ('open' as const), trashedTo: end?.trashedTo };
      })
      .filter(({ state }) => state !== 'failed');
  }
}
