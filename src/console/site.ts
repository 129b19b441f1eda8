/** The console: its pages as routes, for people who are signed in, with forms that only its own pages can send. */
import { AppError, type ErrorCode, isAppError } from '../shared/errors.ts';
import type { Handler, Route } from '../shared/exchange.ts';
import { html } from '../shared/html.ts';
import type { Log } from '../shared/log.ts';
import { LruMap } from '../shared/memoize.ts';
import { type ConsoleAccess, type ConsoleSession, isOwnForm } from './access.ts';
import { ACTIVITY_PATH } from './activity.ts';
import { ENTRANCE_PATH, type Entrance } from './entrance.ts';
import { ASSET_ROUTES, framed, pageAnswer, redirectTo, SIGN_OUT_PATH } from './frame.ts';
import { type ConsolePage, linkTo, type PageContent, type PageRequest, type Viewer } from './page.ts';

/** An answer that is no page, such as a stream of events. */
export interface ConsoleStream {
  readonly path: string;
  readonly isForAdmins?: true;
  open(request: PageRequest): Promise<Response>;
}

interface SiteParts {
  readonly pages: readonly ConsolePage[];
  readonly streams?: readonly ConsoleStream[];
  readonly access: ConsoleAccess;
  readonly entrance: Entrance;
  /** For a visitor who is not signed in, at a path that everybody may see something of. */
  readonly forStrangers?: ReadonlyMap<string, Handler>;
  readonly log: Log;
}

const STATUS: Partial<Record<ErrorCode, number>> = {
  not_found: 404,
  invalid_input: 400,
  forbidden: 403,
  conflict: 409,
  read_only: 403,
  unsupported: 400,
  upstream_failed: 502,
  timeout: 504,
};
const MOST_NOTICES = 1_000;

export function consoleRoutes(parts: SiteParts): Route[] {
  const { pages, streams = [], access, entrance } = parts;
  const notices = new LruMap<string>(MOST_NOTICES);
  return [
    ...ASSET_ROUTES,
    ...entrance.routes,
    // What people type; the page itself asks for a login where one is needed.
    { method: 'GET', path: '/console', handle: async () => redirectTo(ACTIVITY_PATH) },
    { method: 'POST', path: SIGN_OUT_PATH, handle: signOut(access) },
    ...streams.map(
      (stream): Route => ({ method: 'GET', path: stream.path, handle: streamHandler(stream, access) }),
    ),
    ...pages.flatMap((page) => pageRoutes(page, parts, notices)),
  ];
}

function signOut(access: ConsoleAccess): Handler {
  return async (request) => {
    const session = await access.sessionOf(request);
    const fields = new URLSearchParams(await request.text());
    if (!session || !isOwnForm(request, session, fields)) return redirectTo(ENTRANCE_PATH);
    return redirectTo('/', [await access.end(session)]);
  };
}

function streamHandler({ isForAdmins, open }: ConsoleStream, access: ConsoleAccess): Handler {
  return async (request) => {
    const session = await access.sessionOf(request);
    if (!session) return new Response('Sign in first', { status: 401 });
    if (isForAdmins && !session.viewer.isAdmin) return new Response('For admins', { status: 403 });
    return open(requestOf(request, session));
  };
}

function requestOf(request: Request, { viewer, csrf }: ConsoleSession): PageRequest {
  return { viewer, csrf, query: new URL(request.url).searchParams, signal: request.signal };
}

function pageRoutes(page: ConsolePage, parts: SiteParts, notices: LruMap<string>): Route[] {
  const { access, forStrangers, pages, log } = parts;
  const answer = (session: ConsoleSession, content: PageContent) => {
    const { viewer, csrf, id } = session;
    const notice = notices.get(id);
    notices.delete(id);
    const menu = menuOf(pages, viewer, page);
    return pageAnswer(framed({ ...content, menu, viewer, csrf, notice }), { status: content.status });
  };
  /** For a signed-in viewer who may see the page; an error becomes a page. */
  const within =
    (run: (request: Request, session: ConsoleSession) => Promise<Response>): Handler =>
    async (request, caller) => {
      const session = await access.sessionOf(request);
      if (!session) {
        const open = request.method === 'POST' ? undefined : forStrangers?.get(page.path);
        if (open) return open(request, caller);
        const { pathname, search } = new URL(request.url);
        return redirectTo(
          linkTo(ENTRANCE_PATH, { next: pathname + (request.method === 'POST' ? '' : search) }),
        );
      }
      try {
        if (page.isForAdmins && !session.viewer.isAdmin) throw notForYou();
        return await run(request, session);
      } catch (error) {
        return answer(session, problemPage(error, page, log));
      }
    };
  const show = within(async (request, session) =>
    answer(session, await page.show(requestOf(request, session))),
  );
  const post = within(async (request, session) => {
    const fields = new URLSearchParams(await request.text());
    if (!isOwnForm(request, session, fields)) throw foreignForm();
    const done = await page.post!({ ...requestOf(request, session), fields });
    if (!('to' in done)) return answer(session, done);
    notices.set(session.id, done.notice);
    return redirectTo(done.to);
  });
  const routes: Route[] = [{ method: 'GET', path: page.path, handle: show }];
  return page.post ? [...routes, { method: 'POST', path: page.path, handle: post }] : routes;
}

function menuOf(pages: readonly ConsolePage[], viewer: Viewer, current: ConsolePage) {
  return pages
    .filter(({ menu, isForAdmins }) => menu !== undefined && (viewer.isAdmin || !isForAdmins))
    .map(({ path, menu = '' }) => ({
      path,
      label: menu,
      isCurrent: path === current.path || path === current.under,
    }));
}

function problemPage(error: unknown, page: ConsolePage, log: Log): PageContent {
  if (!isAppError(error) || error.code === 'internal')
    log('error', 'a page of the console failed', { path: page.path, error: String(error) });
  const known = isAppError(error)
    ? error
    : new AppError('internal', 'Something went wrong', {
        hint: 'Try again in a moment. The log of the server has the details.',
      });
  return {
    title: known.title,
    status: STATUS[known.code] ?? 500,
    body: html`${known.subject !== undefined && html`<p class="mono">${known.subject}</p>`}
<p class="problem" role="alert">${known.hint ?? 'Nothing was changed.'}</p>
<p><a href="${page.path}">Back to ${page.menu ?? 'the page'}</a></p>`,
  };
}

function notForYou(): AppError {
  return new AppError('forbidden', 'This page is for admins', {
    hint: 'Ask the person who runs this server; an admin can make you one on the page People.',
  });
}

function foreignForm(): AppError {
  return new AppError('forbidden', 'This form cannot be used', {
    hint: 'It was made by another site, or before you signed in. Nothing was changed: go back, load the page again, and repeat what you did.',
  });
}
