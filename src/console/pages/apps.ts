/** The apps page: which apps may use the notes, what each may do, and how to end it. */

import { capScopes } from '../../oauth/cut-scopes.ts';
import type { GrantRecord } from '../../oauth/grants.ts';
import { describeScopes, levelsOf, type ServedAccess } from '../../oauth/served-access.ts';
import { AppError } from '../../shared/errors.ts';
import { type Html, html } from '../../shared/html.ts';
import { type AccessLevel, mostAccessOf } from '../../shared/principal.ts';
import {
  type ConsolePage,
  type Done,
  formOf,
  linkTo,
  type PageContent,
  type PageRequest,
  type PostRequest,
  timeOf,
  type Viewer,
} from '../page.ts';
import { sparkline } from '../plot.ts';

export const APPS_PATH = '/console/apps';

/** The apps that people let in with a login. */
export interface ConnectedApps {
  /** Of one person, or of everybody, latest first. */
  of(user?: string): Promise<readonly GrantRecord[]>;
  /** Undefined when the person has no such app (any more). */
  setAccess(id: string, user: string, access: AccessLevel): Promise<GrantRecord | undefined>;
  revoke(id: string, user: string): Promise<GrantRecord | undefined>;
  /** What tools can do for apps of a person. */
  servedTo(user: string): Promise<ServedAccess>;
}

/** An app by its calls. */
export interface CallingApp {
  readonly principal: string;
  /** Its OAuth client, or the name it gave itself. */
  readonly client: string;
  readonly lastAt: number;
  /** Calls per day, today last. */
  readonly days: readonly number[];
}

export interface AppsSource {
  /** Undefined where apps connect without a login. */
  readonly connected?: ConnectedApps;
  /** Apps that called lately, the last one first. */
  calling(): readonly CallingApp[];
}

const PER_PAGE = 50;

export function appsPage(source: AppsSource): ConsolePage {
  const { connected } = source;
  return {
    path: APPS_PATH,
    menu: 'Apps',
    show: async (request) => ({
      title: 'Apps',
      body: connected ? await listOf(request, connected, source) : withoutLogin(source, request.viewer),
    }),
    post: connected && ((request) => carryOut(request, connected)),
  };
}

async function listOf(request: PageRequest, connected: ConnectedApps, source: AppsSource): Promise<Html> {
  const { viewer, query } = request;
  const all = groupsOf(await connected.of(viewer.isAdmin ? undefined : viewer.user), viewer);
  const calling = source.calling();
  const others = viewer.isAdmin ? calling.filter(({ principal }) => !principal.startsWith('user:')) : [];
  const othersPart = others.length > 0 && html`<h2>Without a login</h2>${callingTable(others)}`;
  if (all.length === 0)
    return html`<p>No app is connected to ${viewer.isAdmin ? 'the' : 'your'} notes.</p>
<p class="quiet">Add this server to an assistant, as the <a href="/">start page</a> says; it then asks you here what it may do.</p>
${othersPart}`;
  const pageCount = Math.ceil(all.length / PER_PAGE);
  const page = Math.min(pageCount, Math.max(1, Math.trunc(Number(query.get('page')) || 1)));
  const shown = all.slice((page - 1) * PER_PAGE, page * PER_PAGE);
  const people = [...new Set(shown.map(({ user }) => user))];
  const servedTo = new Map(
    await Promise.all(people.map(async (user) => [user, await connected.servedTo(user)] as const)),
  );
  const hasPeople = viewer.isAdmin && new Set(all.map(({ user }) => user)).size > 1;
  return html`<p>A change counts at once, also for an app that is connected now. An app whose access is revoked can ask for it again.</p>
${people.map(
  (user) => html`${hasPeople && html`<h2>${user}</h2>`}
${shown
  .filter((group) => group.user === user)
  .map((group) =>
    groupCard(group, { request, served: servedTo.get(user)!, calling, level: hasPeople ? 'h3' : 'h2' }),
  )}
${formOf(request, APPS_PATH, html`<input type="hidden" name="user" value="${user}"><button class="danger" name="action" value="ask-all">Revoke all apps${hasPeople && html` of ${user}`}…</button>`)}`,
)}
${pagesOf(page, pageCount)}
${othersPart}`;
}

/** What belongs together for a person: one app of theirs, by its name and where its answers go. */
interface AppGroup {
  readonly user: string;
  readonly name: string;
  readonly destination: string;
  readonly grants: readonly GrantRecord[];
}

/** The viewer's own first; those used last first. */
function groupsOf(grants: readonly GrantRecord[], viewer: Viewer): AppGroup[] {
  const groups = new Map<string, AppGroup & { readonly grants: GrantRecord[] }>();
  for (const grant of grants) {
    const { user, clientName: name, destination } = grant;
    const key = JSON.stringify([user, name, destination]);
    const group = groups.get(key);
    if (group) group.grants.push(grant);
    else groups.set(key, { user, name, destination, grants: [grant] });
  }
  const usedAt = ({ grants: own }: AppGroup) => Math.max(...own.map((grant) => grant.usedAt));
  return [...groups.values()].sort(
    (a, b) =>
      Number(b.user === viewer.user) - Number(a.user === viewer.user) ||
      a.user.localeCompare(b.user) ||
      usedAt(b) - usedAt(a),
  );
}

interface CardParts {
  readonly request: PageRequest;
  readonly served: ServedAccess;
  readonly calling: readonly CallingApp[];
  readonly level: 'h2' | 'h3';
}

function groupCard(group: AppGroup, { request, served, calling, level }: CardParts): Html {
  const { user, name, destination, grants } = group;
  const clients = new Set(grants.map(({ clientId }) => clientId));
  const own = calling.filter(({ principal, client }) => principal === `user:${user}` && clients.has(client));
  const days = sumOf(own.map((app) => app.days));
  const calls = days.reduce((sum, count) => sum + count, 0);
  const heading = level === 'h2' ? html`<h2>${name}</h2>` : html`<h3>${name}</h3>`;
  return html`<section class="card app"><div class="row">${heading}<span class="end quiet">${callsOf(days, calls, name)}</span></div>
<p class="quiet">Connected through <b>${destination}</b>${grants.length > 1 && html`, ${grants.length} times`}</p>
<ul class="plain rows">${grants.map((grant) => html`<li>${grantPart(grant, request, served)}</li>`)}</ul></section>`;
}

function callsOf(days: readonly number[], calls: number, name: string): Html {
  if (calls === 0) return html`no calls in ${DAYS} days`;
  const words = `${calls.toLocaleString('en-US')} ${calls === 1 ? 'call' : 'calls'} in ${DAYS} days`;
  return html`${sparkline(days, `${name}: ${words}, ${days.at(-1) ?? 0} of them today`)} ${words}`;
}

const DAYS = 14;

function sumOf(lists: readonly (readonly number[])[]): number[] {
  return Array.from({ length: DAYS }, (_, at) => lists.reduce((sum, list) => sum + (list[at] ?? 0), 0));
}

const LEVEL_NAMES: Readonly<Record<AccessLevel, string>> = {
  read: 'Read',
  propose: 'Propose',
  write: 'Write',
};

function grantPart(grant: GrantRecord, request: PageRequest, served: ServedAccess): Html {
  const { id, clientName, scopes, grantedAt, usedAt } = grant;
  const access = mostAccessOf(capScopes(scopes, served.most ?? 'write'));
  const levels = levelsOf(served);
  const choices = access === undefined || levels.includes(access) ? levels : [...levels, access];
  return html`<p>May ${describeScopes(scopes, served).join('; ')}.</p>
<p class="quiet">Connected ${timeOf(grantedAt)} · last used ${timeOf(usedAt)}</p>
${formOf(
  request,
  APPS_PATH,
  html`<input type="hidden" name="id" value="${id}"><div class="row">
${
  choices.length > 1 &&
  html`<label>Access <select name="access" aria-label="What ${clientName} may do">${choices.map((level) => html`<option value="${level}"${level === access && html` selected`}>${LEVEL_NAMES[level]}</option>`)}</select></label>
<button name="action" value="access" aria-label="Change what ${clientName} may do">Change</button>`
}
<button class="danger end" name="action" value="revoke" aria-label="Revoke the access of ${clientName}">Revoke</button></div>`,
)}`;
}

function pagesOf(page: number, count: number): Html | undefined {
  if (count < 2) return undefined;
  const link = (to: number, words: string) => html`<a href="${linkTo(APPS_PATH, { page: to })}">${words}</a>`;
  return html`<nav class="pages" aria-label="Pages">${page > 1 && link(page - 1, 'Previous')}<span>Page ${page} of ${count}</span>${page < count && link(page + 1, 'Next')}</nav>`;
}

/** Where nobody signs in, an app is only known by the name it gives itself. */
function withoutLogin(source: AppsSource, { isAdmin }: Viewer): Html {
  const calling = isAdmin ? source.calling() : [];
  return html`<p>Apps connect to this server without a login: anyone who can reach its address, and has the token if one is set, can use the notes.</p>
<p class="quiet">With <code>--auth oauth</code> each app asks a person first, and is listed here with what it may do.</p>
<h2>Apps that called lately</h2>
${calling.length === 0 ? html`<p>None in the last ${DAYS} days. The <a href="/">start page</a> says how to connect one.</p>` : callingTable(calling)}`;
}

function callingTable(apps: readonly CallingApp[]): Html {
  return html`<div class="wide" tabindex="0" role="region" aria-label="Apps that called lately"><table class="even">
<thead><tr><th scope="col">App, by its own name</th><th scope="col">Caller</th><th scope="col">Last call</th><th scope="col">Calls</th></tr></thead>
<tbody>${apps.slice(0, PER_PAGE).map(({ client, principal, lastAt, days }) => {
    const name = client === '' ? 'An app without a name' : client;
    const calls = days.reduce((sum, count) => sum + count, 0);
    return html`<tr><th scope="row">${name}</th><td class="mono">${principal}</td><td>${timeOf(lastAt)}</td><td>${callsOf(days, calls, name)}</td></tr>`;
  })}</tbody></table></div>`;
}

async function carryOut(request: PostRequest, connected: ConnectedApps): Promise<Done | PageContent> {
  const { fields, viewer } = request;
  switch (fields.get('action')) {
    case 'access':
      return changeAccess(await ownApp(request, connected), fields.get('access'), connected);
    case 'revoke': {
      const { id, user, clientName } = await ownApp(request, connected);
      if (!(await connected.revoke(id, user))) throw notConnected();
      return { to: APPS_PATH, notice: `${clientName} has no access any more.` };
    }
    case 'ask-all':
    case 'revoke-all': {
      const user = viewer.isAdmin ? (fields.get('user') ?? viewer.user) : viewer.user;
      const apps = await connected.of(user);
      if (fields.get('action') === 'ask-all') return confirmAll(request, user, apps);
      for (const { id } of apps) await connected.revoke(id, user);
      return { to: APPS_PATH, notice: `No app of ${user} has access any more: ${apps.length} revoked.` };
    }
    default:
      throw new AppError('invalid_input', 'This form names no action that exists', {
        hint: 'Load the page again.',
      });
  }
}

async function ownApp({ fields, viewer }: PostRequest, connected: ConnectedApps): Promise<GrantRecord> {
  const apps = await connected.of(viewer.isAdmin ? undefined : viewer.user);
  const app = apps.find(({ id }) => id === fields.get('id'));
  if (!app) throw notConnected();
  return app;
}

async function changeAccess(
  { id, user, clientName }: GrantRecord,
  text: string | null,
  connected: ConnectedApps,
): Promise<Done> {
  const served = await connected.servedTo(user);
  const access = levelsOf(served).find((level) => level === text);
  if (access === undefined)
    throw new AppError('invalid_input', 'There is no such level of access', {
      hint: 'Go back and choose one of the levels of the list. Nothing was changed.',
    });
  const changed = await connected.setAccess(id, user, access);
  if (!changed) throw notConnected();
  const rights = describeScopes(changed.scopes, served).join('; ');
  return { to: APPS_PATH, notice: `${clientName} may now: ${rights}.` };
}

function confirmAll(request: PostRequest, user: string, apps: readonly GrantRecord[]): PageContent {
  const names = [...new Set(apps.map(({ clientName }) => clientName))];
  return {
    title: 'Revoke all apps?',
    body: html`<p>These apps of <b>${user}</b> lose their access at once, and have to ask for it again:</p>
<ul>${names.slice(0, PER_PAGE).map((name) => html`<li>${name}</li>`)}${names.length > PER_PAGE && html`<li>and ${names.length - PER_PAGE} more</li>`}</ul>
${formOf(request, APPS_PATH, html`<input type="hidden" name="user" value="${user}"><div class="row"><button class="danger" name="action" value="revoke-all">Revoke all</button> <a class="button" href="${APPS_PATH}">Keep them</a></div>`)}`,
  };
}

function notConnected(): AppError {
  return new AppError('not_found', 'This app is not connected', {
    hint: 'Its access may have been revoked or have ended meanwhile. Nothing was changed: load the list again.',
  });
}
