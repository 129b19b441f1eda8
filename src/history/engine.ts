/** Where histories and proposals are kept, if not in folders, and what sessions were shown, if not in memory. */
import type { SeenVersions } from '../notes/overwrite-guard.ts';
import type { Log } from '../shared/log.ts';
import type { GitMirror } from './git-mirror.ts';
import type { History, HistoryLimits } from './history.ts';
import type { ProposalLimits, Proposals } from './proposals.ts';

export interface EngineOptions {
  readonly log: Log;
  readonly now?: () => number;
}

export interface HistoryEngine {
  /** Address of the database that has them. */
  readonly url: string;
  /** `name` stands for a set of notes: all who serve them share its history. */
  openHistory(
    name: string,
    options: EngineOptions & HistoryLimits & { readonly mirror?: GitMirror },
  ): History;
  /** Of one session: all servers that have it remember together. Undefined where each has its own. */
  readonly openSeenVersions?: (name: string, session: string) => SeenVersions;
  openProposals(name: string, options: EngineOptions & ProposalLimits): Proposals;
}
