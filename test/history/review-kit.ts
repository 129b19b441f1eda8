/** Notes whose changes wait for review, assistants that propose, and a person who decides; all in this process. */
import { join } from 'node:path';
import { Client, type ClientOptions } from '@modelcontextprotocol/client';
import { InMemoryTransport } from '@modelcontextprotocol/server';
import { onTestFinished } from 'vitest';
import { historyPlaceOf } from '../../src/app/change-tracking.ts';
import { withHistoryTools } from '../../src/app/history-tools.ts';
import { type NotebookServer, openServed, serverOf } from '../../src/app/notebooks.ts';
import { acceptAll, decide, type ReviewDesk } from '../../src/app/review.ts';
import { withReviewOffers } from '../../src/app/review-offers.ts';
import { ViewKeys } from '../../src/app/view-keys.ts';
import { configSchema, type NotebookConfig } from '../../src/config/schema.ts';
import type { Proposal, Verdict } from '../../src/history/proposal.ts';
import { silentLog } from '../../src/shared/log.ts';
import type { Principal } from '../../src/shared/principal.ts';
import { connected, type ToolClient } from '../kit/server.ts';
import { fileText, putFile, temporaryFolder } from '../kit/temp.ts';

export interface Seat {
  readonly principal?: Principal;
  readonly session?: string;
  readonly name?: string;
  readonly options?: ClientOptions;
}

export interface ReviewedNotes {
  readonly base: string;
  readonly desk: ReviewDesk;
  readonly served: NotebookServer;
  /** An assistant at a connection of its own. */
  assistant(seat?: Seat): Promise<ToolClient>;
  /** The proposals that wait, the newest first. */
  waiting(): Promise<Proposal[]>;
  /** Accepts the newest whole, unless the verdict says something else. */
  decide(verdict?: Partial<Verdict>, id?: string, at?: ReviewDesk): ReturnType<typeof decide>;
  /** A second process over the same notes and proposals. */
  again(): Promise<ReviewedNotes>;
  text(path: string): Promise<string>;
  put(path: string, text: string): Promise<void>;
}

type Settings = Partial<NotebookConfig> & { readonly reviewPage?: string };

export async function reviewedFolder(
  seed: Readonly<Record<string, string>>,
  settings: Settings = {},
): Promise<ReviewedNotes> {
  const base = await temporaryFolder();
  for (const [path, text] of Object.entries(seed)) await putFile(join(base, 'notes'), path, text);
  return reviewed(base, { folder: join(base, 'notes'), ...settings });
}

export async function reviewed(base: string, { reviewPage, ...settings }: Settings): Promise<ReviewedNotes> {
  const config = configSchema.parse({ notebooks: { mine: { review: 'all', ...settings } } });
  const notebook = config.notebooks.mine!;
  const history = historyPlaceOf(config, join(base, 'state'));
  const viewKeys = new ViewKeys();
  const services = { log: silentLog, history, viewKeys, reviewPage: () => reviewPage };
  const withTools = withHistoryTools(await openServed('mine', notebook, services), notebook, services);
  const served = withReviewOffers(withTools, [withTools], services);
  onTestFinished(() => served.close());
  const desk = (await served.changes())!.tracking.desk!;
  const waiting = async () =>
    (await desk.proposals.list()).filter(({ edits }) => edits.some(({ state }) => state === 'waiting'));
  return {
    base,
    desk,
    served,
    waiting,
    async assistant({ principal, session = 'stdio', name = 'test', options = {} } = {}) {
      const server = serverOf(served, { log: silentLog, principal, session });
      const client = new Client({ name, version: '1' }, options);
      const [here, there] = InMemoryTransport.createLinkedPair();
      await Promise.all([server.connect(there), client.connect(here)]);
      onTestFinished(() => client.close());
      return connected(client);
    },
    async decide(verdict = {}, id, at = desk) {
      const proposal = id === undefined ? (await waiting())[0]! : (await desk.proposals.get(id))!;
      const whole = { accept: verdict.reject ? new Map() : acceptAll(proposal), reject: [] };
      return decide(at, proposal.id, { ...whole, ...verdict }, 'alex');
    },
    again: () => reviewed(base, { reviewPage, ...settings }),
    text: (path) => fileText(join(base, 'notes'), path),
    put: (path, text) => putFile(join(base, 'notes'), path, text),
  };
}
