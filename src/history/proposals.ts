/** Proposals of one set of notes. All processes that serve the notes share them, so a decision of one is seen by the others. */
import type { EditTexts, NewEdit } from '../notes/edit-recorder.ts';
import { AppError } from '../shared/errors.ts';
import { ulid } from '../shared/ids.ts';
import type { Proposal } from './proposal.ts';
import { hashOf, type TextHash } from './text-pack.ts';

export interface DraftEdit {
  readonly edit: NewEdit;
  readonly texts: EditTexts;
}

export type ProposalHead = Pick<Proposal, 'notebook' | 'tool' | 'by'>;

export interface Proposals {
  /** Where they are: the same for all who share them. */
  readonly place: string;
  /** Calls the listener after each proposal and decision of this process at least; returns how to stop that. */
  onChange(listener: () => void): () => void;
  /** Another text after each proposal and decision, also of other processes. */
  mark(): Promise<string>;
  /** Bounded: an assistant that proposes without end fills neither the disk nor the page. */
  add(head: ProposalHead, drafts: readonly DraftEdit[]): Promise<Proposal>;
  /** The newest first. Those that were decided on are removed after a month. */
  list(): Promise<Proposal[]>;
  /** Undefined for an unknown id. */
  get(id: string): Promise<Proposal | undefined>;
  /** Undefined when it is not kept. */
  text(id: string, hash: TextHash | undefined): Promise<Buffer | undefined>;
  /** Changes a proposal; one at a time among all processes. Throws `not_found` for an unknown id. */
  update(id: string, change: (proposal: Proposal) => Promise<Proposal>): Promise<Proposal>;
}

export interface ProposalLimits {
  readonly mostWaiting?: number;
  /** Of the texts of all that wait. */
  readonly mostBytes?: number;
}

export const PROPOSAL_ID = /^p[0-9a-hjkmnp-tv-z]{16}$/;
export const PROPOSAL_LIMITS: Required<ProposalLimits> = { mostWaiting: 1_000, mostBytes: 512 * 1024 * 1024 };
/** Proposals that were decided on are kept for so long. */
export const KEPT_MS = 30 * 86_400_000;
/** How long a decision waits for another one. */
export const DECISION_WAIT_MS = 10_000;
/** Of one proposal. */
const MOST_BYTES = 64 * 1024 * 1024;

/** A new proposal, and the texts that it names. */
export function proposalOf(head: ProposalHead, drafts: readonly DraftEdit[], at: number) {
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
  const proposal: Proposal = { id, at, ...head, edits, decisions: [], bytes: bytesOf(drafts) };
  return { proposal, texts };
}

/** Of the texts. Throws when they are too many. */
export function bytesOf(drafts: readonly DraftEdit[]): number {
  const sizes = drafts.flatMap(({ texts }) => Object.values(texts)).map((text) => text?.length ?? 0);
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  if (bytes <= MOST_BYTES) return bytes;
  throw new AppError('unsupported', 'The change is too large to be reviewed', {
    hint: 'Nothing was changed. Propose it in smaller parts.',
  });
}

export function tooManyWait(waiting: number): AppError {
  return new AppError('rate_limited', 'Too many changes wait for review', {
    hint: `Nothing was changed. ${waiting} proposals wait: ask the person to decide on some of them first.`,
  });
}

export function unknownProposal(id: string): AppError {
  return new AppError('not_found', 'There is no such proposal', {
    subject: id.slice(0, 60),
    hint: 'It may have been decided on more than a month ago. quire review lists those that wait.',
  });
}

export function beingDecided(): AppError {
  return new AppError('conflict', 'Someone else is deciding on this proposal', {
    hint: 'Nothing was changed. Look at it again in a moment.',
  });
}
