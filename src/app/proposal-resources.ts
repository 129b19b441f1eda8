/** `quire://proposals`: what a caller has proposed, and what people decided, as a resource that can be subscribed to. */
import type { Proposal } from '../history/proposal.ts';
import type { Proposals } from '../history/proposals.ts';
import type { ResourceEvents, Resources } from '../mcp/offers.ts';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import type { Caller } from '../shared/principal.ts';
import { proposalView } from '../surfaces/history/proposal-view.ts';
import type { NotebookServer } from './notebooks.ts';

export const PROPOSALS_URI = 'quire://proposals';

const MOST_PROPOSALS = 200;
/** Other processes decide too; theirs is looked for while somebody is subscribed. */
const LOOK_MS = 1_500;

const ENTRY = {
  uri: PROPOSALS_URI,
  name: 'proposals',
  title: 'Proposals',
  description: 'Your changes that wait for a person, and what was decided on them',
  mimeType: 'application/json',
};

/** Whether a proposal came through the caller: the same login and program, in this session or an earlier one. */
export function isProposedBy({ by }: Proposal, { principal, program }: Caller): boolean {
  return by.principal === principal?.id && by.client === program;
}

type Reviewed = Pick<NotebookServer, 'changes'>;

export function proposalResources(notebooks: readonly Reviewed[], log: Log): Resources {
  const listeners = new Map<ResourceEvents, Caller | undefined>();
  let seen: ReadonlyMap<string, number> | undefined;
  let subscribers = 0;
  let looking: Promise<() => void> | undefined;

  /** One for each set of notes. */
  const kept = async (): Promise<Proposals[]> => {
    const found = new Map<string, Proposals>();
    for (const notebook of notebooks) {
      const desk = (await notebook.changes())?.tracking.desk;
      if (desk) found.set(desk.proposals.place, desk.proposals);
    }
    return [...found.values()];
  };
  const all = async () => (await Promise.all((await kept()).map((one) => one.list()))).flat();
  const look = async () => {
    const before = seen;
    const proposals = await all();
    seen = new Map(proposals.map(({ id, decisions }) => [id, decisions.length]));
    if (!before) return;
    const changed = proposals.filter(({ id, decisions }) => before.get(id) !== decisions.length);
    for (const [events, caller] of listeners)
      if (changed.some(({ by }) => !caller || by.principal === caller.principal?.id))
        events.updated(PROPOSALS_URI);
  };
  const lookQuietly = () =>
    look().catch((error: unknown) => log('warn', 'proposals could not be listed', { error: String(error) }));
  const startLooking = async (): Promise<() => void> => {
    seen = undefined;
    await lookQuietly();
    const timer = setInterval(lookQuietly, LOOK_MS).unref();
    const stops = (await kept()).map((one) => one.onChange(() => void lookQuietly()));
    return () => {
      clearInterval(timer);
      for (const stop of stops) stop();
    };
  };
  return {
    list: async () => ({ entries: [ENTRY] }),
    templates: async () => [],
    owns: (uri) => uri === PROPOSALS_URI,
    canonical: (uri) => uri,
    complete: async () => undefined,
    read: async (uri, request) => {
      if (uri !== PROPOSALS_URI) throw new AppError('not_found', 'Resource not found', { subject: uri });
      const own = (await all())
        .filter((proposal) => isProposedBy(proposal, request))
        .sort((a, b) => (a.id < b.id ? 1 : -1));
      const proposals = own.slice(0, MOST_PROPOSALS).map(proposalView);
      return [{ uri, mimeType: ENTRY.mimeType, text: JSON.stringify({ proposals }) }];
    },
    subscribe: async () => {
      subscribers += 1;
      looking ??= startLooking();
      await looking;
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        subscribers -= 1;
        if (subscribers > 0) return;
        void looking?.then((stop) => stop());
        looking = undefined;
      };
    },
    watch: (events, caller) => {
      listeners.set(events, caller);
      return () => void listeners.delete(events);
    },
  };
}
