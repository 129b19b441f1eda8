/** What the ways into the console have in common. */
import type { Route } from '../shared/exchange.ts';
import { type Html, html } from '../shared/html.ts';
import { documentOf } from './frame.ts';

export const ENTRANCE_PATH = '/console/enter';
export const START_PATH = '/';

export interface Entrance {
  readonly routes: readonly Route[];
}

/** A page for people who are not in yet. */
export function entrancePage(title: string, body: Html): string {
  return documentOf({
    title,
    body: html`<main id="main" class="narrow"><p class="brand">Quire</p><h1>${title}</h1>
${body}</main>`,
  });
}

/** Only pages of the console: a link must not lead elsewhere after the login. */
export function safeNext(next: string | null | undefined): string {
  return next && /^\/(?:console\/[\w-]+)?(?:\?[^\s\\#]*)?$/.test(next) ? next : START_PATH;
}
