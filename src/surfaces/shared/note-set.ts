/** The backend of the tool sets over notes: any notebook, whatever tools it has beside them. */
import { defineToolFor } from '../../mcp/tool.ts';
import type { Notebook } from '../../notes/store.ts';
import type { ReadSettings } from '../../notes/vault-settings.ts';

export interface NoteSetBackend extends Notebook {
  /** Where the notes are kept: what a store cannot do is said, not tried. */
  readonly kind: 'folder' | 'silverbullet' | 'trilium' | 'postgres';
  readonly now: () => number;
  /** How many notes the index covers, waits for, and could not read. */
  readonly index: () => { readonly indexed: number; readonly pending: number; readonly unreadable: number };
  /** Of the apps that the notes are for; only of a folder. */
  readonly settings?: ReadSettings;
}

export const defineTool = defineToolFor<NoteSetBackend>();
