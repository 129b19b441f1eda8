/**
 * What one session has proposed: the notes as they would be, and what people have decided since. A call collects its
 * edits and proposes them together when it succeeds, so that a call that fails proposes nothing.
 */
import type { EditTexts, NewEdit } from '../notes/edit-recorder.ts';
import type { NotePath } from '../notes/path.ts';
import { describeEdit, isWaiting, type Proposal } from './proposal.ts';
import type { DraftEdit, ProposalHead, Proposals } from './proposals.ts';

/** The text of a note as it was proposed; undefined for one that was proposed to be removed. */
export interface ProposedText {
  readonly bytes: Uint8Array | undefined;
  readonly at: number;
}

/** How a session knows the proposals made before it began. */
export interface EarlierProposals {
  /** Whether the caller is to be told of its decision. */
  concerns(proposal: Proposal): boolean;
  /** Whether the caller reads it as its own: one without sessions is the same caller as before. */
  continues(proposal: Proposal): boolean;
}

export class ProposingSession {
  readonly #proposals: Proposals;
  /** Proposals whose decision the caller was not told of yet, in the order they were made; whether it reads their texts. */
  readonly #open = new Map<string, { readonly isOwn: boolean }>();
  readonly #texts = new Map<string, ProposedText>();
  readonly #news: string[] = [];
  #earlier: EarlierProposals | undefined;
  #shownState = '';
  /** One at a time: a call must not read half of the texts while another one loads them. */
  #refreshing: Promise<void> = Promise.resolve();

  constructor(proposals: Proposals, earlier?: EarlierProposals) {
    this.#proposals = proposals;
    this.#earlier = earlier;
  }

  /** Notes as this session has proposed them, after what was decided meanwhile. */
  async texts(): Promise<ReadonlyMap<string, ProposedText>> {
    await this.#refresh();
    return this.#texts;
  }

  /** What people have decided since it was last asked for. */
  async news(): Promise<string[]> {
    await this.#refresh();
    return this.#news.splice(0);
  }

  async propose(head: ProposalHead, drafts: readonly DraftEdit[]): Promise<Proposal> {
    const proposal = await this.#proposals.add(head, drafts);
    this.#open.set(proposal.id, { isOwn: true });
    await this.#refresh();
    return proposal;
  }

  /** The caller was told of this decision already. */
  async forget(id: string): Promise<void> {
    await this.#refreshing;
    this.#open.delete(id);
    this.#shownState = '';
    await this.#markTold(id);
  }

  #refresh(): Promise<void> {
    const loaded = this.#refreshing.then(() => this.#load());
    this.#refreshing = loaded.catch(() => {});
    return loaded;
  }

  async #load(): Promise<void> {
    if (this.#earlier) await this.#takeUp(this.#earlier);
    if (this.#open.size === 0 && this.#texts.size === 0) return;
    const found: Proposal[] = [];
    for (const id of this.#open.keys()) {
      const proposal = await this.#proposals.get(id);
      if (proposal) found.push(proposal);
    }
    const state = JSON.stringify(found.map(({ id, decisions }) => [id, decisions.length]));
    if (state === this.#shownState) return;
    const texts = new Map<string, ProposedText>();
    for (const proposal of found)
      if (isWaiting(proposal) && this.#open.get(proposal.id)?.isOwn) await this.#apply(proposal, texts);
    for (const proposal of found.filter((one) => !isWaiting(one))) {
      this.#news.push(newsOf(proposal));
      this.#open.delete(proposal.id);
      await this.#markTold(proposal.id);
    }
    this.#texts.clear();
    for (const [path, text] of texts) this.#texts.set(path, text);
    this.#shownState = state;
  }

  async #takeUp({ concerns, continues }: EarlierProposals): Promise<void> {
    const all = await this.#proposals.list();
    for (const proposal of all.reverse())
      if (!proposal.isTold && concerns(proposal)) this.#open.set(proposal.id, { isOwn: continues(proposal) });
    this.#earlier = undefined;
  }

  async #markTold(id: string): Promise<void> {
    // One that cannot be marked is told of again after a restart.
    await this.#proposals.update(id, async (present) => ({ ...present, isTold: true })).catch(() => {});
  }

  async #apply({ id, at, edits }: Proposal, texts: Map<string, ProposedText>): Promise<void> {
    for (const { kind, path, to, after, state } of edits) {
      if (state !== 'waiting') continue;
      const bytes = await this.#proposals.text(id, after);
      if (kind === 'move') texts.set(path, { bytes: undefined, at });
      texts.set(kind === 'move' ? (to ?? path) : path, {
        bytes: kind === 'delete' ? undefined : bytes,
        at,
      });
    }
  }
}

function newsOf({ id, edits, decisions }: Proposal): string {
  const what = edits.map(describeEdit).join(', ');
  const verdicts = decisions.map(({ outcome, by, comment }) =>
    comment === undefined ? `${outcome} by ${by}` : `${outcome} by ${by}, who says: ${comment}`,
  );
  return `Your proposal ${id} (${shortened(what)}) was ${verdicts.join('; ')}.`;
}

const MOST_CHARACTERS = 300;

function shortened(text: string): string {
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
}

/** The edits of one call, until it succeeds. */
export class Drafts {
  readonly edits: DraftEdit[] = [];
  readonly texts = new Map<string, ProposedText>();

  add(edit: NewEdit, texts: EditTexts): void {
    this.edits.push({ edit, texts });
    const at = Date.now();
    if (edit.kind === 'move') this.texts.set(edit.path, { bytes: undefined, at });
    const path = edit.kind === 'move' ? (edit.to ?? edit.path) : edit.path;
    this.texts.set(path, { bytes: edit.kind === 'delete' ? undefined : texts.after, at });
  }

  get paths(): NotePath[] {
    return [...this.texts.keys()] as NotePath[];
  }
}
