/**
 * Proposals on the disk: a folder for each, with a file that describes it and one for each text. All processes that
 * serve the notes share them, so a decision made in one is seen by the others.
 */
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EditTexts, NewEdit } from '../notes/edit-recorder.ts';
import { AppError } from '../shared/errors.ts';
import { ifPresent } from '../shared/fs/errno.ts';
import { withLock } from '../shared/fs/lock-file.ts';
import { renameEntry } from '../shared/fs/platform.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import { replaceFile, syncFolder } from '../shared/fs/replace-file.ts';
import { ulid } from '../shared/ids.ts';
import type { Log } from '../shared/log.ts';
import { timeOfId } from './change-heads.ts';
import { isWaiting, type Proposal } from './proposal.ts';
import { hashOf, type TextHash } from './text-pack.ts';

export interface DraftEdit {
  readonly edit: NewEdit;
  readonly texts: EditTexts;
}

export type ProposalHead = Pick<Proposal, 'notebook' | 'tool' | 'by'>;

interface ProposalsOptions {
  readonly folder: string;
  readonly log: Log;
  readonly now?: () => number;
  readonly mostWaiting?: number;
  /** Of the texts of all that wait. */
  readonly mostBytes?: number;
}

const DESCRIPTION = 'proposal.json';
const ID = /^p[0-9a-hjkmnp-tv-z]{16}$/;
const MOST_WAITING = 1_000;
/** Of one proposal. */
const MOST_BYTES = 64 * 1024 * 1024;
const MOST_TOTAL = 512 * 1024 * 1024;
const KEPT_MS = 30 * 86_400_000;
/** No proposal takes so long to be written. */
const ABANDONED_MS = 3_600_000;
const LOCK_WAIT_MS = 10_000;

export class Proposals {
  readonly #folder: string;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #mostWaiting: number;
  readonly #mostBytes: number;
  readonly #listeners = new Set<() => void>();
  /** By id, with the time stamp of the file it was read from. */
  readonly #known = new Map<string, { readonly mtimeMs: number; readonly proposal: Proposal }>();

  constructor(options: ProposalsOptions) {
    const { folder, log, now = Date.now, mostWaiting = MOST_WAITING, mostBytes = MOST_TOTAL } = options;
    this.#folder = folder;
    this.#mostWaiting = mostWaiting;
    this.#mostBytes = mostBytes;
    this.#log = log;
    this.#now = now;
  }

  /** Where they are, to watch for what other processes propose and decide. */
  get folder(): string {
    return this.#folder;
  }

  /** Calls the listener after each proposal and decision of this process; returns how to stop that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** Another text after each proposal and decision, also of other processes. */
  async mark(): Promise<string> {
    return String((await ifPresent(stat(this.#folder)))?.mtimeMs ?? 0);
  }

  async add(head: ProposalHead, drafts: readonly DraftEdit[]): Promise<Proposal> {
    const bytes = await this.#makeRoom(drafts);
    const at = this.#now();
    const id = `p${ulid(at).slice(0, 16).toLowerCase()}`;
    const texts = new Map<TextHash, Uint8Array>();
    const keep = (text: Uint8Array | undefined): TextHash | undefined => {
      if (!text) return undefined;
      const hash = hashOf(text);
      texts.set(hash, text);
      return hash;
    };
    const edits = drafts.map(({ edit, texts: { before, after, replaced } }) => ({
      ...edit,
      before: keep(before),
      after: keep(after),
      replaced: keep(replaced),
      state: 'waiting' as const,
    }));
    const proposal: Proposal = { id, at, ...head, edits, decisions: [], bytes };
    // Under another name until it is whole.
    const making = join(this.#folder, `.${id}`);
    await mkdir(making, { mode: 0o700 });
    try {
      for (const [hash, text] of texts)
        await writeFile(join(making, hash), text, { mode: 0o600, flush: true });
      await replaceFile(join(making, DESCRIPTION), JSON.stringify(proposal));
      await renameEntry(making, join(this.#folder, id));
      await syncFolder(this.#folder);
    } catch (error) {
      await rm(making, { recursive: true, force: true });
      throw error;
    }
    this.#announce();
    return proposal;
  }

  /** The newest first. Those that were decided on are removed after a month. */
  async list(): Promise<Proposal[]> {
    const names = (await ifPresent(readdir(this.#folder))) ?? [];
    const ids = names.filter((name) => ID.test(name)).sort((a, b) => (a < b ? 1 : -1));
    for (const id of this.#known.keys()) if (!ids.includes(id)) this.#known.delete(id);
    const found: Proposal[] = [];
    for (const id of ids) {
      const proposal = await this.get(id);
      if (proposal) found.push(proposal);
    }
    return found;
  }

  /** Undefined for an unknown id. */
  async get(id: string): Promise<Proposal | undefined> {
    if (!ID.test(id)) return undefined;
    const file = join(this.#folder, id, DESCRIPTION);
    const mtimeMs = (await ifPresent(stat(file)))?.mtimeMs;
    if (mtimeMs === undefined) return undefined;
    const known = this.#known.get(id);
    if (known?.mtimeMs === mtimeMs) return known.proposal;
    const text = await ifPresent(readFile(file, 'utf8'));
    const proposal = text === undefined ? undefined : this.#read(id, text);
    if (proposal) this.#known.set(id, { mtimeMs, proposal });
    return proposal;
  }

  #read(id: string, text: string): Proposal | undefined {
    try {
      return JSON.parse(text) as Proposal;
    } catch (error) {
      this.#log('error', 'a proposal cannot be read; its folder is left as it is', {
        id,
        error: String(error),
      });
      return undefined;
    }
  }

  /** Undefined when it is not kept. */
  text(id: string, hash: TextHash | undefined): Promise<Buffer | undefined> {
    if (!ID.test(id) || hash === undefined || !/^[\w-]+$/.test(hash)) return Promise.resolve(undefined);
    return ifPresent(readFile(join(this.#folder, id, hash)));
  }

  /** Changes a proposal; one at a time among all processes. Throws `not_found` for an unknown id. */
  async update(id: string, change: (proposal: Proposal) => Promise<Proposal>): Promise<Proposal> {
    if (!(await this.get(id))) throw unknownProposal(id);
    const file = join(this.#folder, id, DESCRIPTION);
    return withLock(`${file}.lock`, { waitMs: LOCK_WAIT_MS, busy: beingDecided }, async ({ assertHeld }) => {
      this.#known.delete(id);
      const present = await this.get(id);
      if (!present) throw unknownProposal(id);
      const changed = await change(present);
      await replaceFile(file, JSON.stringify(changed), { lastCheck: assertHeld });
      // The time stamp of the folder says that something in it was decided.
      await utimes(this.#folder, new Date(), new Date());
      this.#known.delete(id);
      this.#announce();
      return changed;
    });
  }

  /** Bounded: an assistant that proposes without end fills neither the disk nor the page. Resolves to the texts' size. */
  async #makeRoom(drafts: readonly DraftEdit[]): Promise<number> {
    await makePrivateFolder(this.#folder);
    const sizes = drafts.flatMap(({ texts }) => Object.values(texts)).map((text) => text?.length ?? 0);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    if (bytes > MOST_BYTES)
      throw new AppError('unsupported', 'The change is too large to be reviewed', {
        hint: 'Nothing was changed. Propose it in smaller parts.',
      });
    await this.#removeAbandoned();
    const proposals = await this.list();
    for (const proposal of proposals)
      if (!isWaiting(proposal) && this.#now() - timeOfId(proposal.id.slice(1)) > KEPT_MS)
        await rm(join(this.#folder, proposal.id), { recursive: true, force: true });
    const waiting = proposals.filter(isWaiting);
    const total = waiting.reduce((sum, proposal) => sum + (proposal.bytes ?? 0), bytes);
    if (waiting.length >= this.#mostWaiting || total > this.#mostBytes)
      throw new AppError('rate_limited', 'Too many changes wait for review', {
        hint: `Nothing was changed. ${waiting.length} proposals wait: ask the person to decide on some of them first.`,
      });
    return bytes;
  }

  /** Those that a process was making when it was ended: nobody was told of them. */
  async #removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.#folder))
      if (
        name.startsWith('.') &&
        ID.test(name.slice(1)) &&
        this.#now() - timeOfId(name.slice(2)) > ABANDONED_MS
      )
        await rm(join(this.#folder, name), { recursive: true, force: true });
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}

export function unknownProposal(id: string): AppError {
  return new AppError('not_found', 'There is no such proposal', {
    subject: id.slice(0, 60),
    hint: 'It may have been decided on more than a month ago. quire review lists those that wait.',
  });
}

function beingDecided(): AppError {
  return new AppError('conflict', 'Someone else is deciding on this proposal', {
    hint: 'Nothing was changed. Look at it again in a moment.',
  });
}
