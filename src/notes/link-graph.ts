/** Which note links to which, as far as anybody can ask. */
import type { NotePath } from './path.ts';

export interface NoteLink {
  readonly from: NotePath;
  /** What the link names, as written. */
  readonly target: string;
  /** From the top of the file. */
  readonly line: number;
  /** Where it leads; absent when there is no such file. */
  readonly to?: NotePath;
}

export interface LinkGraph {
  outgoing(path: NotePath): readonly NoteLink[];
  incoming(path: NotePath): readonly NoteLink[];
  /** Links that lead nowhere, in path order. */
  unresolved(): readonly NoteLink[];
  /** Notes no other note links to, in path order. */
  orphans(): readonly NotePath[];
}
