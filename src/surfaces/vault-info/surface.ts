/** The tools of the set `vault-info`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';

export const vaultInfoSurface: Surface<NoteSetBackend> = {
  id: 'vault-info',
  instructions: 'vault_info describes the notebook at a glance.',
  tools: [],
  renderError: plainResult,
};
