/** Composes the console of a server: how people get in, and its pages over what is served. */

import type { Launch } from '../../clients/client.ts';
import type { AuthConfig, ServeConfig } from '../../config/http-schema.ts';
import type { Config } from '../../config/schema.ts';
import { createAccess, SESSION_SECONDS } from '../../console/access.ts';
import type { ActivitySource } from '../../console/activity.ts';
import { createEvents } from '../../console/events.ts';
import { createKeyEntrance, OPERATOR } from '../../console/key-entrance.ts';
import { createLoginEntrance } from '../../console/login-entrance.ts';
import type { ConsolePage, Viewer } from '../../console/page.ts';
import { activityPage } from '../../console/pages/activity.ts';
import { appsPage } from '../../console/pages/apps.ts';
import { changePage } from '../../console/pages/change.ts';
import { notebookPages } from '../../console/pages/notebooks.ts';
import { REVIEW_PATH, reviewPage } from '../../console/pages/review.ts';
import { startPage } from '../../console/pages/start.ts';
import { undoPage } from '../../console/pages/undo.ts';
import { usagePage } from '../../console/pages/usage.ts';
import { usersPage } from '../../console/pages/users.ts';
import { consoleRoutes } from '../../console/site.ts';
import type { PageParts } from '../../oauth/authorization-server.ts';
import { createSessions } from '../../oauth/consents.ts';
import { hashOf } from '../../oauth/tickets.ts';
import type { Handler, Route } from '../../shared/exchange.ts';
import type { Log } from '../../shared/log.ts';
import { ACCESS_OF_ROLE } from '../../shared/principal.ts';
import { openMemoryState } from '../../state/memory.ts';
import { isLocal, type OpenAuth } from '../auth.ts';
import type { BrainTools } from '../brain.ts';
import type { NotebookServer } from '../notebooks.ts';
import type { GovernedPlane } from '../plane.ts';
import type { HistoryPlace } from '../services.ts';
import type { OpenUsage } from '../usage.ts';
import { activityOf } from './activity.ts';
import { appsSource } from './apps.ts';
import type { NotebookWarnings } from './notebook-warnings.ts';
import { notebooksSource } from './notebooks.ts';
import { proposalMarks, reviewSource } from './review.ts';
import { startFacts } from './start.ts';

export interface ConsoleParts {
  readonly config: Config;
  readonly serve: ServeConfig;
  readonly auth: AuthConfig;
  readonly origin: string;
  readonly notebooks: ReadonlyMap<string, NotebookServer>;
  readonly warnings: NotebookWarnings;
  readonly plane: GovernedPlane | undefined;
  readonly brain: BrainTools | undefined;
  readonly opened: OpenAuth;
  readonly history?: HistoryPlace;
  /** What starts Quire on this machine. */
  readonly launch?: Launch;
  readonly usage?: OpenUsage;
  /** Shows the operator a link with a key. */
  readonly showLink?: (link: string) => void;
  /** The page at the server's address for people who are not signed in. */
  readonly landing: Handler;
  readonly log: Log;
}

export interface OpenConsole {
  readonly routes: readonly Route[];
  /** Ends the streams of open pages, so that they do not keep the server from ending. */
  close(): Promise<void>;
}

/** Undefined where there is none: it is switched off, or nobody could get in. */
export function openConsole(parts: ConsoleParts): OpenConsole | undefined {
  const { config, landing, log } = parts;
  if (config.console === 'off') return undefined;
  const ways = waysIn(parts);
  if (!ways) return undefined;
  const changes = activityOf({ ...parts, principalOf: principalOf(parts) });
  const proposalsMark = proposalMarks(parts.notebooks);
  /** Of changes and proposals, so that one stream is enough for all pages. */
  const mark = async (viewer: Viewer) =>
    hashOf(`${await changes.mark(viewer)} ${await proposalsMark(viewer)}`);
  const activity = { ...changes, mark };
  const events = createEvents(activity, (error) =>
    log('warn', 'open pages could not be updated from the history', { error: String(error) }),
  );
  const routes = consoleRoutes({
    ...ways,
    pages: pagesOf(parts, activity),
    streams: [events],
    forStrangers: new Map([['/', landing]]),
    log,
  });
  return { routes, close: events.close };
}

/** The name of a viewer in the history: that of the calls which come through their apps. */
function principalOf({ opened }: ConsoleParts): (viewer: Viewer) => string {
  return ({ user }) => (opened.pages ? `user:${user}` : OPERATOR);
}

/** Where people decide on proposals. */
export function reviewPageAt(origin: string, config: Config): string | undefined {
  return config.console === 'off' ? undefined : `${origin}${REVIEW_PATH}`;
}

function waysIn(parts: ConsoleParts) {
  const { serve, origin, opened, showLink } = parts;
  const { protocol, port } = new URL(origin);
  const cookie = { isSecure: protocol === 'https:', port };
  if (opened.pages) {
    const sessions = consoleSessions(opened.pages);
    const access = createAccess({
      ...cookie,
      sessions,
      standingOf: (user) => standingOf(user, opened.pages!),
    });
    return { access, entrance: createLoginEntrance({ access, forms: opened.pages }) };
  }
  // A key is shown where only people of this machine see it.
  if (!showLink || !isLocal(serve)) return undefined;
  const sessions = createSessions({ state: openMemoryState(), now: Date.now }, ONE_OPERATOR, LASTING);
  const access = createAccess({
    ...cookie,
    sessions,
    standingOf: async (user) => ({ isAdmin: user === OPERATOR, mayChange: user === OPERATOR }),
  });
  return { access, entrance: createKeyEntrance({ origin, access, onLink: showLink }) };
}

const LASTING = { prefix: 'console-session', lifeSeconds: SESSION_SECONDS };
const ONE_OPERATOR = { markOf: async () => OPERATOR, hasMark: async () => true };

function consoleSessions({ state, now, subjects }: PageParts) {
  return createSessions({ state, now }, subjects, LASTING);
}

/** An owner without a name is nobody's subordinate. */
async function standingOf(
  user: string,
  { hasUsers, directory }: PageParts,
): Promise<Pick<Viewer, 'isAdmin' | 'mayChange'>> {
  if (!hasUsers) return { isAdmin: true, mayChange: true };
  const role = (await directory.find(user))?.role;
  return { isAdmin: role === 'admin', mayChange: role !== undefined && ACCESS_OF_ROLE[role] === 'write' };
}

function pagesOf(parts: ConsoleParts, activity: ActivitySource): ConsolePage[] {
  const { origin, notebooks, plane, opened, usage } = parts;
  return [
    startPage(startFacts(parts)),
    activityPage(activity),
    changePage(activity),
    undoPage(activity),
    reviewPage(reviewSource(notebooks, activity.mark)),
    ...notebookPages(notebooksSource(parts)),
    appsPage(appsSource(opened.pages, usage)),
    ...(plane?.pagesAt(origin) ?? []),
    ...(opened.pages?.hasUsers ? [usersPage(opened.pages.directory)] : []),
    ...(usage ? [usagePage((period) => usage.counts.report(period))] : []),
  ];
}
