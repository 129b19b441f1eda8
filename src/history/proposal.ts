/** A change that waits until a person accepts or rejects it. */
import type { NewEdit } from '../notes/edit-recorder.ts';
import type { ChangeAuthor, Edit } from './change.ts';

export interface Proposal {
  readonly id: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly notebook: string;
  readonly tool: string;
  readonly by: ChangeAuthor;
  /** In the order they were proposed. */
  readonly edits: readonly ProposedEdit[];
  readonly decisions: readonly Decision[];
  /** Of its texts. */
  readonly bytes?: number;
  /** Whether the session that proposed it knows of all decisions. */
  readonly isTold?: boolean;
}

/** The text before is the one that the proposal was made on. */
export interface ProposedEdit extends Edit {
  readonly state: ProposedState;
}

export type ProposedState =
  | 'waiting'
  | 'accepted'
  /** Some of its hunks were accepted; the others are rejected. */
  | 'accepted in part'
  | 'rejected';

export interface Decision {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The person. */
  readonly by: string;
  readonly outcome: Exclude<ProposedState, 'waiting'>;
  /** Indexes of the edits that it is about. */
  readonly edits: readonly number[];
  /** For the assistant. */
  readonly comment?: string;
  /** The change in the history, if any was made. */
  readonly change?: string;
}

/** What a person wants: each edit by its index; for one of which only some hunks are accepted, those. */
export interface Verdict {
  readonly accept: ReadonlyMap<number, 'whole' | ReadonlySet<number>>;
  readonly reject: readonly number[];
  readonly comment?: string;
}

export function isWaiting({ edits }: Proposal): boolean {
  return edits.some(({ state }) => state === 'waiting');
}

/** Of all of it: what was rejected in one part and accepted in another is accepted in part. */
export function stateOf(proposal: Proposal): ProposedState {
  if (isWaiting(proposal)) return 'waiting';
  const states = new Set(proposal.edits.map(({ state }) => state));
  const [only = 'rejected'] = states;
  return states.size > 1 ? 'accepted in part' : only;
}

/** What an edit does, for people. */
export function describeEdit({ kind, path, to }: Pick<NewEdit, 'kind' | 'path' | 'to'>): string {
  switch (kind) {
    case 'create':
      return `create ${path}`;
    case 'write':
      return `change ${path}`;
    case 'delete':
      return `delete ${path}`;
    case 'move':
      return `move ${path} to ${to ?? ''}`;
  }
}
