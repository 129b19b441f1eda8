/** The parts of the plane's state that several servers share, where they are not in the state folder. */
import type { Chain, ChainOptions } from '../state/chain.ts';
import type { JsonFiles } from '../state/json-file.ts';
import type { ApprovalLog } from './approvals/approval-log.ts';
import type { KeptArguments } from './approvals/arguments-folder.ts';
import type { HeldResults } from './results/held.ts';

export interface PlaneState {
  readonly files: JsonFiles;
  readonly approvals: { readonly log: ApprovalLog; readonly whole: KeptArguments };
  readonly held: HeldResults;
  openChain(options: Omit<ChainOptions, 'folder'>): Chain;
  close(): void;
}
