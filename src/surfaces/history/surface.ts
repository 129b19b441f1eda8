/** The history tools, which other surfaces take in beside their own. */
import { plainResult } from '../../mcp/errors.ts';
import type { Surface } from '../../mcp/tool.ts';
import type { HistoryBackend } from './backend.ts';
import { decideProposal } from './decide-proposal.ts';
import { listChanges } from './list-changes.ts';
import { listProposals } from './list-proposals.ts';
import { showChange } from './show-change.ts';
import { undoChanges } from './undo-changes.ts';

export const historySurface: Surface<HistoryBackend> = {
  id: 'history',
  instructions:
    'Every change made through these tools is recorded: list_changes shows the changes, show_change the lines of one, undo_changes undoes yours.',
  tools: [listChanges, showChange, undoChanges, listProposals, decideProposal],
  renderError: plainResult,
};
