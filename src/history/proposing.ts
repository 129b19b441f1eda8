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

export class ProposingSession {
  readonly #proposals: Proposals;
  /** Those that are not told about yet, in the order they were made. */
  readonly #open: string[];
  readonly #texts = new Map<string, ProposedText>();
  #news: string[] = [];
  #shownState = '';

  /** `earlier`: ids of what was proposed before this process started. */
  constructor(proposals: Proposals, earlier: readonly string[] = []) {
    this.#proposals = proposals;
    this.#open = [...earlier];
  }

  /** Notes as this session has proposed them, after what was decided meanwhile. */
  async texts(): Promise<ReadonlyMap<string, ProposedText>> {
    if (this.#open.length > 0) await this.#refresh();
    return this.#texts;
  }

  /** What people have decided since it was last asked for. */
  async news(): Promise<string[]> {
    if (this.#open.length > 0) await this.#refresh();
    const { length } = this.#news;
    return length === 0 ? [] : this.#news.splice(0, length);
  }

  async propose(head: ProposalHead, drafts: readonly DraftEdit[]): Promise<Proposal> {
    const proposal = await this.#proposals.add(head, drafts);
    this.#open.push(proposal.id);
    await this.#refresh();
    return proposal;
  }

  async #refresh(): Promise<void> {
    const found: Proposal[] = [];
    for (const id of this.#open) {
      const proposal = await this.#proposals.get(id);
      if (proposal) found.push(proposal);
    }
    const state = JSON.stringify(found.map(({ id, decisions }) => [id, decisions.length]));
    if (state === this.#shownState) return;
    this.#shownState = state;
    const decided = found.filter((proposal) => !isWaiting(proposal));
    for (const proposal of decided) {
      this.#news.push(newsOf(proposal));
      this.#open.splice(this.#open.indexOf(proposal.id), 1);
      await this.#proposals
        .update(proposal.id, async (present) => ({ ...present, isTold: true }))
        .catch(() => {});
    }
    this.#texts.clear();
    for (const proposal of found) if (isWaiting(proposal)) await this.#apply(proposal);
  }

  async #apply({ id, at, edits }: Proposal): Promise<void> {
    for (const { kind, path, to, after, state } of edits) {
      if (state !== 'waiting') continue;
      const bytes = await this.#proposals.text(id, after);
      if (kind === 'move') this.#texts.set(path, { bytes: undefined, at });
      this.#texts.set(kind === 'move' ? (to ?? path) : path, {
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
