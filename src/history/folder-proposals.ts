/** Proposals on the disk: a folder for each, with a file that describes it and one for each text. */
import { mkdir, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ifPresent } from '../shared/fs/errno.ts';
import { withLock } from '../shared/fs/lock-file.ts';
import { renameEntry } from '../shared/fs/platform.ts';
import { makePrivateFolder } from '../shared/fs/private.ts';
import { replaceFile, syncFolder } from '../shared/fs/replace-file.ts';
import type { Log } from '../shared/log.ts';
import { timeOfId } from './change-heads.ts';
import { isWaiting, type Proposal } from './proposal.ts';
import {
  beingDecided,
  bytesOf,
  DECISION_WAIT_MS,
  type DraftEdit,
  KEPT_MS,
  PROPOSAL_ID,
  PROPOSAL_LIMITS,
  type ProposalHead,
  type ProposalLimits,
  type Proposals,
  proposalOf,
  tooManyWait,
  unknownProposal,
} from './proposals.ts';
import type { TextHash } from './text-pack.ts';

interface FolderProposalsOptions extends ProposalLimits {
  readonly folder: string;
  readonly log: Log;
  readonly now?: () => number;
}

const DESCRIPTION = 'proposal.json';
/** No proposal takes so long to be written. */
const ABANDONED_MS = 3_600_000;

export class FolderProposals implements Proposals {
  readonly #folder: string;
  readonly #log: Log;
  readonly #now: () => number;
  readonly #limits: Required<ProposalLimits>;
  readonly #listeners = new Set<() => void>();
  /** By id, with the time stamp of the file it was read from. */
  readonly #known = new Map<string, { readonly mtimeMs: number; readonly proposal: Proposal }>();

  constructor(options: FolderProposalsOptions) {
    const { folder, log, now = Date.now, ...limits } = options;
    this.#folder = folder;
    this.#limits = { ...PROPOSAL_LIMITS, ...limits };
    this.#log = log;
    this.#now = now;
  }

  get place(): string {
    return this.#folder;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async mark(): Promise<string> {
    return String((await ifPresent(stat(this.#folder)))?.mtimeMs ?? 0);
  }

  async add(head: ProposalHead, drafts: readonly DraftEdit[]): Promise<Proposal> {
    await this.#makeRoom(drafts);
    const { proposal, texts } = proposalOf(head, drafts, this.#now());
    const { id } = proposal;
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

  async list(): Promise<Proposal[]> {
    const names = (await ifPresent(readdir(this.#folder))) ?? [];
    const ids = names.filter((name) => PROPOSAL_ID.test(name)).sort((a, b) => (a < b ? 1 : -1));
    for (const id of this.#known.keys()) if (!ids.includes(id)) this.#known.delete(id);
    const found: Proposal[] = [];
    for (const id of ids) {
      const proposal = await this.get(id);
      if (proposal) found.push(proposal);
    }
    return found;
  }

  async get(id: string): Promise<Proposal | undefined> {
    if (!PROPOSAL_ID.test(id)) return undefined;
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

  text(id: string, hash: TextHash | undefined): Promise<Buffer | undefined> {
    if (!PROPOSAL_ID.test(id) || hash === undefined || !/^[\w-]+$/.test(hash))
      return Promise.resolve(undefined);
    return ifPresent(readFile(join(this.#folder, id, hash)));
  }

  async update(id: string, change: (proposal: Proposal) => Promise<Proposal>): Promise<Proposal> {
    if (!(await this.get(id))) throw unknownProposal(id);
    const file = join(this.#folder, id, DESCRIPTION);
    return withLock(
      `${file}.lock`,
      { waitMs: DECISION_WAIT_MS, busy: beingDecided },
      async ({ assertHeld }) => {
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
      },
    );
  }

  async #makeRoom(drafts: readonly DraftEdit[]): Promise<void> {
    await makePrivateFolder(this.#folder);
    const bytes = bytesOf(drafts);
    await this.#removeAbandoned();
    const proposals = await this.list();
    for (const proposal of proposals)
      if (!isWaiting(proposal) && this.#now() - timeOfId(proposal.id.slice(1)) > KEPT_MS)
        await rm(join(this.#folder, proposal.id), { recursive: true, force: true });
    const waiting = proposals.filter(isWaiting);
    const total = waiting.reduce((sum, proposal) => sum + (proposal.bytes ?? 0), bytes);
    const { mostWaiting, mostBytes } = this.#limits;
    if (waiting.length >= mostWaiting || total > mostBytes) throw tooManyWait(waiting.length);
  }

  /** Removes proposals that a process was making when it was ended: nobody was told of them. */
  async #removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.#folder))
      if (
        name.startsWith('.') &&
        PROPOSAL_ID.test(name.slice(1)) &&
        this.#now() - timeOfId(name.slice(2)) > ABANDONED_MS
      )
        await rm(join(this.#folder, name), { recursive: true, force: true });
  }

  #announce(): void {
    for (const listener of this.#listeners) listener();
  }
}
