/** A page of the console: data in, HTML out. What surrounds it (menu, style, access, CSRF) is the site's. */
import { type Html, html } from '../shared/html.ts';

/** The person who looks at the console. */
export interface Viewer {
  readonly user: string;
  /** Sees other people's changes and the governed servers. */
  readonly isAdmin: boolean;
  /** Accepts proposals and undoes changes; others may look, and reject what they have proposed. */
  readonly mayChange: boolean;
}

export interface PageRequest {
  readonly viewer: Viewer;
  readonly query: URLSearchParams;
  /** For the forms of the page; see `formOf`. */
  readonly csrf: string;
  /** Aborted when the browser has gone. */
  readonly signal: AbortSignal;
}

/** A form that was sent by this console to this viewer. */
export interface PostRequest extends PageRequest {
  readonly fields: URLSearchParams;
}

export interface PageContent {
  readonly title: string;
  readonly body: Html;
  /** Default: 200. */
  readonly status?: number;
}

/** Where the browser goes after a form, and what the person is told there. */
export interface Done {
  readonly to: string;
  readonly notice: string;
}

export interface ConsolePage {
  /** Exactly this path; everything else is in the query. */
  readonly path: string;
  /** Name in the menu; pages without one are reached from others. */
  readonly menu?: string;
  /** Page whose entry in the menu is marked, for a page without one. */
  readonly under?: string;
  readonly isForAdmins?: true;
  /** Never changes anything. Throws an `AppError` for what cannot be shown. */
  show(request: PageRequest): Promise<PageContent>;
  /** Carries out a form of the page, and leads to a page; or shows one, such as a preview. */
  post?(request: PostRequest): Promise<Done | PageContent>;
}

/** A form that the site accepts. */
export function formOf({ csrf }: Pick<PageRequest, 'csrf'>, action: string, body: Html): Html {
  return html`<form method="post" action="${action}"><input type="hidden" name="csrf" value="${csrf}">
${body}</form>`;
}

/** A moment: the script turns it into local time, with the exact one on hover. */
export function timeOf(milliseconds: number): Html {
  const iso = new Date(milliseconds).toISOString();
  const text = `${iso.slice(0, 16).replace('T', ' ')} UTC`;
  return html`<time datetime="${iso}" title="${iso}">${text}</time>`;
}

/** A link to a page with a query. */
export function linkTo(path: string, query: Readonly<Record<string, string | number | undefined>>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
