/** What the operations on one notebook stand on. */
import type { CompiledRule } from './frontmatter/rules.ts';
import type { NoteSearcher } from './searcher.ts';
import type { NoteStore } from './store.ts';

export interface Notebook {
  /** The notes its users may touch. */
  readonly notes: NoteStore;
  /** Everything that is not hidden, of any kind: what links can lead to, and canvases that hold links. */
  readonly files: NoteStore;
  readonly searcher: NoteSearcher;
  /** The notebook's own rules for frontmatter. */
  readonly rules: readonly CompiledRule[];
  /** No note may leave the notebook, so none may be replaced by a move either. */
  readonly keepsAll: boolean;
}
