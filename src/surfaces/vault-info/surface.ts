/** The tools of the set `vault-info`. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { NoteSetBackend } from '../shared/note-set.ts';
import { vaultInfo } from './vault-info.ts';

export const vaultInfoSurface: Surface<NoteSetBackend> = {
  id: 'vault-info',
  instructions: 'Begin with vault_info.',
  tools: [vaultInfo],
  renderError: plainResult,
};
