/** The history of a notebook's changes, and the guard against replacing unseen text, for each call of a tool. */
import { createHash } from 'node:crypto';
import { dirname, join, relative, resolve, sep } from 'node:path';
import type { Config, NotebookConfig } from '../config/schema.ts';
import type { ChangeAuthor } from '../history/change.ts';
import type { ChangeOrigin } from '../history/change-heads.ts';
import { FolderProposals } from '../history/folder-proposals.ts';
import { openGitMirror } from '../history/git-mirror.ts';
import { type ChangeRecorder, type History, openHistory } from '../history/history.ts';
import type { Proposal } from '../history/proposal.ts';
import type { Proposals } from '../history/proposals.ts';
import { type EarlierProposals, ProposingSession } from '../history/proposing.ts';
import type { EditInspector } from '../history/recover.ts';
import { hashOf } from '../history/text-pack.ts';
import type { UndoParts } from '../history/undo.ts';
import type { CallEffects, CallOrigin, CallScope } from '../mcp/tool.ts';
import {
  createOverwriteGuard,
  createSeenVersions,
  RecentTexts,
  withGuard,
} from '../notes/overwrite-guard.ts';
import type { Note, NoteStore, OverwriteGuard } from '../notes/store.ts';
import { AppError } from '../shared/errors.ts';
import type { Log } from '../shared/log.ts';
import { memoize, TtlCache } from '../shared/memoize.ts';
import { DEFAULT_SCHEMA } from '../stores/postgres/kind.ts';
import { storeAt } from '../stores/registry.ts';
import { blockLines } from '../stores/trilium/html-blocks.ts';
import { inspectorOf, recorded } from '../stores/wrap/recorded.ts';
import { policyFor, type ReviewDesk, type ReviewPolicy } from './review.ts';
import { type AskedCalls, reviewCall } from './reviewed-call.ts';
import type { HistoryPlace, Services } from './services.ts';
import { historyOn, openDatabaseOf } from './shared-state.ts';
import {
  openTriliumOf,
  type TriliumOpener,
  triliumInspectorOf,
  triliumRestorers,
} from './trilium-changes.ts';

/** Undefined when no history is kept. */
export function historyPlaceOf(
  { history = {}, state, notebooks }: Pick<Config, 'history' | 'state' | 'notebooks'>,
  stateFolder: string,
  searchPath = '',
): HistoryPlace | undefined {
  if (history === 'off' || state?.dir === 'memory') {
    const isReviewed = ({ review, readOnly }: NotebookConfig) => review !== 'off' && !readOnly;
    if (Object.values(notebooks).some(isReviewed)) throw noPlaceForProposals();
    return undefined;
  }
  const {
    days = 90,
    maxSize = 500_000_000,
    required = true,
    undoOthers = false,
    git = false,
  } = history === 'git' ? { git: true } : history;
  const folder = join(state?.dir ?? stateFolder, 'history');
  return { folder, days, maxBytes: maxSize, required, undoOthers, gitPath: git ? searchPath : undefined };
}

type NotebookLocation = Pick<NotebookConfig, 'folder' | 'silverbullet' | 'trilium' | 'postgres' | 'schema'>;

/** The history of one set of notes: all notebooks and processes that serve them share it. */
export function openHistoryOf(
  config: NotebookLocation,
  { folder, days, maxBytes, gitPath: searchPath, engine }: HistoryPlace,
  { log }: Pick<Services, 'log'>,
): History {
  const mirror =
    config.folder !== undefined && searchPath !== undefined
      ? openGitMirror({ folder: config.folder, searchPath, log })
      : undefined;
  const [name, options] = [historyNameOf(config, engine), { days, maxBytes, log, mirror }];
  return engine?.openHistory(name, options) ?? openHistory({ folder: join(folder, name), ...options });
}

/** Beside the history of the same notes. */
export function proposalsOf(
  config: NotebookLocation,
  { folder, engine }: Pick<HistoryPlace, 'folder' | 'engine'>,
  { log }: Pick<Services, 'log'>,
): Proposals {
  const name = historyNameOf(config, engine);
  return (
    engine?.openProposals(name, { log }) ??
    new FolderProposals({ folder: join(folder, name, 'proposals'), log })
  );
}

function historyNameOf(config: NotebookLocation, engine: HistoryPlace['engine']): string {
  // Replicas may reach one database by several addresses, and it gets another one by a failover or from a backup.
  const isBeside = config.postgres !== undefined && config.postgres === engine?.url;
  const identity = isBeside ? ['postgres', config.schema ?? DEFAULT_SCHEMA] : storeAt(config).identity;
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex').slice(0, 24);
}

/** Records a change of one file by a command, in the history of the notebook that it is in, or of its folder. */
export async function recordFileChange(
  config: Config,
  note: { readonly path: string; readonly before?: string; readonly after: string },
  { stateFolder, tool, by, log }: { stateFolder: string; tool: string; by: ChangeAuthor; log: Log },
  write: () => Promise<void>,
): Promise<void> {
  const place = historyPlaceOf(config, stateFolder);
  if (!place) return write();
  const isAround = ({ folder }: NotebookConfig) =>
    folder !== undefined && !relative(resolve(folder), note.path).startsWith('..');
  const [name, notebook] = Object.entries(config.notebooks).find(([, one]) => isAround(one)) ?? [
    '',
    undefined,
  ];
  const folder = resolve(notebook?.folder ?? dirname(note.path));
  const database = await openDatabaseOf(config, log);
  const shared = (await historyOn(database, place)) ?? place;
  const history = openHistoryOf({ folder }, shared, { log });
  try {
    const edit = {
      kind: note.before === undefined ? 'create' : 'write',
      path: slashed(relative(folder, note.path)),
    } as const;
    const texts = {
      before: note.before === undefined ? undefined : Buffer.from(note.before),
      after: Buffer.from(note.after),
    };
    const open = await history.record({ notebook: name, tool, by }).begin(edit, texts);
    await write().catch(async (error: unknown) => {
      await open.failed();
      throw error;
    });
    await open.done();
  } finally {
    await history.close();
    await database?.close();
  }
}

const slashed = (path: string) => path.split(sep).join('/');

/** What a call of a tool changes notes through. */
export interface ChangeScope extends Pick<CallEffects, 'finish' | 'resume'> {
  readonly recorder?: ChangeRecorder;
  readonly guard: OverwriteGuard;
  /** A view of the store that records and guards the call's changes. */
  over(store: NoteStore): NoteStore;
  /** For undoing, recorded as changes of this call. */
  readonly restorers?: UndoParts['restorers'];
}

export interface ChangeTracking {
  readonly history?: History;
  /** Resolves when the changes that crashed processes left open are settled. */
  readonly recovered: Promise<void>;
  /** Where people decide on proposals; undefined where changes cannot be proposed. */
  readonly desk?: ReviewDesk;
  /** Which changes of this caller become proposals. */
  reviewOf(origin: Pick<CallOrigin, 'principal'>): ReviewPolicy;
  /** `undoes`: ids of the changes that a person, or a caller without review, undoes. */
  scopeOf(origin: CallOrigin, undoes?: readonly string[]): ChangeScope;
  close(): Promise<void>;
}

/** Sessions are forgotten a day after their first call or their last change. */
const SESSIONS = { forMs: 86_400_000, most: 1_000 };

/** Calls that wait for the answer to a question. */
const ASKED = { forMs: 900_000, most: 1_000 };

export type TrackedNotebook = NotebookLocation &
  Pick<NotebookConfig, 'readOnly' | 'overwrite' | 'tools' | 'review'>;

/** `notes` are a store, or the Trilium of tools without one. */
export function trackChanges(
  name: string,
  config: TrackedNotebook,
  services: Pick<Services, 'log' | 'history' | 'reviewPage'>,
  notes: NoteStore | TriliumOpener,
): ChangeTracking {
  const { log, reviewPage } = services;
  const place = config.readOnly ? undefined : services.history;
  const history = place && openHistoryOf(config, place, services);
  const desk =
    place && history && !('client' in notes)
      ? deskOf(proposalsOf(config, place, services), notes, history)
      : undefined;
  const reviewOf: ChangeTracking['reviewOf'] = (origin) => policyFor(origin, config.review, name);
  const sessions = new TtlCache<SessionScope>({ ...SESSIONS, now: Date.now });
  const texts = new RecentTexts();
  const asked: AskedCalls = new TtlCache({ ...ASKED, now: Date.now });
  const hasIds = config.tools === 'trilium';
  const trilium = 'client' in notes ? notes : openTriliumOf(config);
  const recover = async () => {
    await history?.recover(inspectorFor(notes, trilium, history)).catch((error: unknown) => {
      log('warn', 'the history of an earlier run could not be completed', { error: String(error) });
    });
  };
  const openSeen = place?.engine && config.overwrite !== 'free' ? place.engine.openSeenVersions : undefined;
  const newSession = (origin: CallOrigin, key?: string): SessionScope => {
    const isByPath = hasIds || !trilium;
    const authorOf = (note: Note) => lastAuthor(isByPath ? history : undefined, note);
    const seen =
      (key !== undefined && openSeen?.(historyNameOf(config, place?.engine), key)) || createSeenVersions();
    const linesOf = hasIds ? blockLines : undefined;
    const guard = createOverwriteGuard({ policy: config.overwrite, seen, texts, authorOf, linesOf });
    return {
      guard,
      over: (view) => view,
      proposing: memoize(() => desk && new ProposingSession(desk.proposals, earlierOf(origin))),
    };
  };
  /** The scope of a session's reads; one for all, so that a read costs nothing more. */
  const sessionOf = (origin: CallOrigin): SessionScope => {
    const key = sessionKey(origin);
    if (key === undefined) return newSession(origin);
    const known = sessions.get(key);
    const session = known ?? newSession(origin, key);
    // A session lives on by its changes; a read, of which there are many more, does not write.
    if (!known || origin.effect !== 'read') sessions.set(key, session);
    return session;
  };
  const reviewedBy = (origin: CallOrigin, { proposing }: SessionScope, undoes?: readonly string[]) => {
    const policy = undoes === undefined ? reviewOf(origin) : 'off';
    if (policy === 'off') return undefined;
    const session = proposing();
    if (session && desk)
      return reviewCall({
        policy,
        desk,
        session,
        origin,
        head: originOf(name, origin),
        page: reviewPage,
        asked,
      });
    if (origin.effect !== 'read') throw cannotPropose();
    return undefined;
  };
  return {
    history,
    desk,
    reviewOf,
    recovered: recover(),
    scopeOf(origin, undoes) {
      const session = sessionOf(origin);
      const { guard } = session;
      const call = reviewedBy(origin, session, undoes);
      if (origin.effect === 'read') return call ? { guard, ...call } : session;
      const recorder = history && recorderOf(history, { ...originOf(name, origin), undoes }, place, services);
      const restorers = trilium && history && triliumRestorers(trilium, history, recorder);
      const changed = (view: NoteStore) => (recorder ? recorded(view, recorder) : view);
      const over = (view: NoteStore) => withGuard(call?.over(changed(view)) ?? changed(view), guard);
      return { recorder, guard, over, restorers, finish: call?.finish, resume: call?.resume };
    },
    close: async () => {
      await history?.close();
      await trilium?.close();
    },
  };
}

function inspectorFor(
  notes: NoteStore | TriliumOpener,
  trilium: TriliumOpener | undefined,
  history: History,
): EditInspector {
  if ('client' in notes) return triliumInspectorOf(notes, history);
  return trilium ? triliumInspectorOf(trilium, history) : inspectorOf(notes);
}

interface SessionScope extends ChangeScope {
  readonly proposing: () => ProposingSession | undefined;
}

/** A program of the same login hears of what was decided while it was away. */
function earlierOf({ principal, program, session }: CallOrigin): EarlierProposals {
  const concerns = ({ by }: Proposal) =>
    program !== undefined && by.client === program && by.principal === principal?.id;
  return {
    concerns,
    continues: (proposal) => session === undefined && proposal.by.session === undefined,
  };
}

/** Accepted proposals are recorded with both names: the assistant's as the author, and the person's. */
function deskOf(proposals: Proposals, store: NoteStore, history: History): ReviewDesk {
  return {
    proposals,
    open: ({ notebook, tool, by }, acceptedBy) => {
      const recorder = history.record({ notebook, tool, by, acceptedBy });
      return { notes: recorded(store, recorder), changeId: () => recorder.id };
    },
  };
}

function noPlaceForProposals(): AppError {
  return new AppError('invalid_input', 'Review needs the history', {
    hint: 'Proposals are kept beside it: leave history: off and state.dir: memory out, or set review: off.',
  });
}

function cannotPropose(): AppError {
  return new AppError('forbidden', 'Changes cannot be proposed here', {
    hint: 'This app may only propose changes, and this server keeps no proposals of these notes. Nothing was changed.',
  });
}

/** A backend for each call, from the notebook's own one; the reads of a session share one. */
export function scoped<Backend extends object>(
  tracking: ChangeTracking,
  backendOf: (scope: ChangeScope) => Backend,
): (origin: CallOrigin) => CallScope<Backend> {
  const readers = new WeakMap<ChangeScope, CallScope<Backend>>();
  return (origin) => {
    const scope = tracking.scopeOf(origin);
    const known = readers.get(scope);
    if (known) return known;
    const { recorder, finish, resume } = scope;
    const call = { backend: backendOf(scope), changeId: () => recorder?.id, finish, resume };
    if (origin.effect === 'read' && !finish) readers.set(scope, call);
    return call;
  };
}

/** Undefined for a caller that cannot be recognised. */
function sessionKey({ session, principal, program }: CallOrigin): string | undefined {
  if (session !== undefined) return `${principal?.id ?? ''} ${session}`;
  if (principal === undefined || principal.kind === 'anonymous') return undefined;
  return JSON.stringify([principal.id, principal.clientId, program]);
}

function originOf(notebook: string, { tool, principal, program, session }: CallOrigin): ChangeOrigin {
  return { notebook, tool, by: { principal: principal?.id, client: program, session } };
}

function recorderOf(
  history: History,
  origin: ChangeOrigin,
  place: HistoryPlace | undefined,
  { log }: Pick<Services, 'log'>,
): ChangeRecorder {
  const recorder = history.record(origin);
  if (place?.required !== false) return recorder;
  const unrecorded = async () => {};
  return {
    get id() {
      return recorder.id;
    },
    within: recorder.within,
    begin: (edit, texts) =>
      recorder.begin(edit, texts).catch((error: unknown) => {
        log('warn', 'a change is made without a record', { path: edit.path, error: String(error) });
        return { done: unrecorded, failed: unrecorded, unsettled: unrecorded };
      }),
  };
}

/** For the message of a conflict. */
async function lastAuthor(history: History | undefined, note: Note): Promise<string> {
  const changes = (await history?.list({ path: note.path }, 5).catch(() => [])) ?? [];
  const hash = hashOf(note.bytes);
  const maker = changes.find(({ edits }) => edits.some(({ after }) => after === hash));
  if (!maker) return history ? 'a person or program outside Quire' : 'another writer';
  return maker.by.client === undefined
    ? 'another client of Quire'
    : `another client of Quire, ${maker.by.client}`;
}
