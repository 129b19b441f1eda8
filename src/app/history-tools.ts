/** The history tools beside those of a notebook, and what a caller may undo by them. */
import type { Config, NotebookConfig } from '../config/schema.ts';
import { offersHistory } from '../config/tool-sets.ts';
import type { Change } from '../history/change.ts';
import type { Proposal } from '../history/proposal.ts';
import { unknownProposal } from '../history/proposals.ts';
import { joinSurfaces, type NamedSurface } from '../mcp/join.ts';
import type { Tool } from '../mcp/tool.ts';
import { type LimitedSurface, limitSurface } from '../mcp/tool-list.ts';
import { isTrashed } from '../notes/ops/trash.ts';
import type { NotePath } from '../notes/path.ts';
import { PathFilter } from '../notes/path-filter.ts';
import { AppError } from '../shared/errors.ts';
import { memoize } from '../shared/memoize.ts';
import type { Caller } from '../shared/principal.ts';
import { VIEW_URI } from '../surfaces/history/app/view.ts';
import type { HistoryBackend, ProposalBackend } from '../surfaces/history/backend.ts';
import { historySurface } from '../surfaces/history/surface.ts';
import { isWritable } from '../surfaces/pages/access.ts';
import type { BrainTools } from './brain.ts';
import { openHistoryOf } from './change-tracking.ts';
import { createUndo } from './history.ts';
import type { NotebookServer } from './notebooks.ts';
import { decide, mayDecideThrough, personAt, proposedTexts, type ReviewDesk } from './review.ts';
import type { Services } from './services.ts';
import { ViewKeys } from './view-keys.ts';

type HistoryServices = Pick<Services, 'log' | 'history' | 'viewKeys'>;

/** A set of tools with its backend. */
export interface HistoryTools {
  readonly limited: LimitedSurface<HistoryBackend>;
  readonly backend: HistoryBackend;
}

export function historyTools(
  served: Pick<NotebookServer, 'changes'>,
  config: NotebookConfig,
  services: HistoryServices,
): HistoryTools {
  const limited = services.history ? limitSurface(historySurface, { ...config, noDelete: false }) : WITHHELD;
  return { limited, backend: forAssistants(historyBackend(served, config, services), served) };
}

/** Where no history is kept, a call of its tools is answered with the reason. */
const WITHHELD: LimitedSurface<HistoryBackend> = {
  surface: { ...historySurface, tools: [] },
  withheld: new Map(
    historySurface.tools.map(({ name }) => [
      name,
      'No history is kept here (history: off, or state in memory).',
    ]),
  ),
};

/** Where they are wanted, the tools join the notebook's own, and answer errors in its words. */
export function withHistoryTools(
  served: NotebookServer,
  config: NotebookConfig,
  services: HistoryServices,
): NotebookServer {
  if (!offersHistory(config)) return served;
  const { limited, backend } = historyTools(served, config, services);
  const { surface, withheld } = served.limited;
  const tools = limited.surface.tools.map((tool) => ({
    ...tool,
    run: (input: never, call: never) => tool.run(input, { ...(call as object), backend } as never),
  }));
  const instructions = tools.length === 0 ? [] : [limited.surface.instructions];
  return {
    ...served,
    limited: {
      surface: {
        ...surface,
        instructions: [surface.instructions, ...instructions].join(' '),
        tools: [...surface.tools.map((tool) => (served.isReviewed ? withView(tool) : tool)), ...tools],
      },
      withheld: new Map([...withheld, ...limited.withheld]),
    },
  };
}

/** Where a change may become a proposal, it is shown to the person at once. */
function withView(tool: Tool<never>): Tool<never> {
  return tool.effect === 'read' ? tool : { ...tool, view: { uri: VIEW_URI } };
}

export function allWithHistoryTools(
  notebooks: ReadonlyMap<string, NotebookServer>,
  config: Config,
  services: HistoryServices,
): Map<string, NotebookServer> {
  const each = [...notebooks].map(
    ([name, served]) => [name, withHistoryTools(served, config.notebooks[name]!, services)] as const,
  );
  return new Map(each);
}

/** The second brain alone, with the history tools of its notebooks beside it where they are wanted. */
export function withHistoryOf(
  brain: BrainTools,
  notebooks: ReadonlyMap<string, NotebookServer>,
  config: Config,
  services: HistoryServices,
): BrainTools {
  if (!config.brain?.alone || !offersHistory(config.brain)) return brain;
  const isBare = notebooks.size === 1 || undefined;
  const parts = [...notebooks].map(([name, served]) => {
    const { limited, backend } = historyTools(served, config.notebooks[name]!, services);
    return { name, limited: limited as LimitedSurface<never>, backend, isBare };
  });
  const own: NamedSurface = { name: 'brain', limited: brain.limited, backend: brain.backend, isBare: true };
  return { ...brain, limited: joinSurfaces([own, ...parts]) as LimitedSurface<never>, backend: undefined };
}

export function historyBackend(
  served: Pick<NotebookServer, 'changes'>,
  config: NotebookConfig,
  { viewKeys = new ViewKeys(), ...services }: HistoryServices,
): HistoryBackend {
  const place = services.history;
  const filter = new PathFilter({ allowedExtensions: config.extensions, ignoredPatterns: config.ignore });
  const isVisible: HistoryBackend['isVisible'] = ({ path, to = path, form }) =>
    form !== undefined || !(filter.isHidden(path) || filter.isHidden(to));
  /** Of a notebook that is served read-only, and so records nothing. */
  const reading = memoize(() => place && openHistoryOf(config, place, services));
  const mayWrite = (path: NotePath) => isTrashed(path) || isWritable(config.writable, path);
  return {
    async open() {
      const changes = await served.changes();
      const history = changes?.tracking.history ?? reading();
      if (!changes || !history) throw new AppError('unsupported', 'No history is kept of these notes');
      return { history, undo: createUndo({ ...changes, history }) };
    },
    proposals: async () => {
      const desk = (await served.changes())?.tracking.desk;
      return desk && proposalsAt(desk, viewKeys);
    },
    isVisible,
    isOwn,
    refusalOf(change, caller) {
      if (!change.edits.every(isVisible))
        return refused(change, 'It also changed notes that are hidden here.');
      if (place?.undoOthers !== true && !isOwn(change, caller)) return notOwn(change);
      if (!change.edits.every(({ path }) => mayWrite(path as NotePath)))
        return refused(change, 'It changed pages that may not be written here.');
      if (config.noDelete && change.edits.some(({ kind }) => kind === 'create'))
        return refused(
          change,
          'It created a note, and deleting is switched off for this notebook (--no-delete).',
        );
      return undefined;
    },
  };
}

/** An assistant whose changes are reviewed may not undo past the review. */
function forAssistants(backend: HistoryBackend, served: Pick<NotebookServer, 'changes'>): HistoryBackend {
  return {
    ...backend,
    async open() {
      const { history, undo } = await backend.open();
      const tracking = (await served.changes())?.tracking;
      return {
        history,
        undo: async (changes, caller, request) => {
          const isReviewed = tracking && tracking.reviewOf(caller) !== 'off';
          if (isReviewed && !request.dryRun) throw undoneByPeople();
          return undo(changes, caller, request);
        },
      };
    },
  };
}

function proposalsAt(desk: ReviewDesk, keys: ViewKeys): ProposalBackend {
  const { proposals } = desk;
  const isOfLogin = ({ by }: Proposal, { principal }: Caller) => by.principal === principal?.id;
  return {
    list: async (caller) => (await proposals.list()).filter((proposal) => isOfLogin(proposal, caller)),
    texts: (proposal, edit) => proposedTexts(desk, proposal, edit),
    ticketFor: (id, caller) => (mayDecideThrough(caller) ? keys.issue(id, caller) : undefined),
    take: async (id, caller, given) => mayDecideThrough(caller) && keys.take(id, caller, given),
    decide: async (id, caller, verdict) => {
      const proposal = await proposals.get(id);
      if (!proposal || !isOfLogin(proposal, caller)) throw unknownProposal(id);
      return decide(desk, id, verdict, personAt(caller));
    },
  };
}

/** Over stdio there is no principal; what a person undid at the terminal has one. */
function isOwn({ by }: Change, { principal }: Caller): boolean {
  return by.principal === principal?.id;
}

function refused({ id }: Change, hint: string): AppError {
  return new AppError('forbidden', 'This change cannot be undone here', { subject: id, hint });
}

function undoneByPeople(): AppError {
  return new AppError('forbidden', 'Changes of these notes are reviewed by a person, undoing too', {
    hint: 'Nothing was changed. A person can undo it in the console or with quire undo; or propose the old text as a change.',
  });
}

function notOwn({ id, by }: Change): AppError {
  return new AppError('forbidden', 'This change was not made by you', {
    subject: id,
    hint: `It came through ${by.client ?? by.principal ?? 'another client'}. A person can undo it with quire undo ${id}, or allow it with history: { undoOthers: true }.`,
  });
}
