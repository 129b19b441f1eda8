/** What somebody sees when it cannot go on: what is wrong, what to do, and a way back if there is a safe one. */
import { html } from './html.ts';
import { layout } from './layout.ts';

export interface ErrorPageFacts {
  readonly title: string;
  readonly message: string;
  readonly hint: string;
  /** To the client, for the person to follow or not. */
  readonly wayBack?: { readonly host: string; readonly address: string };
}

export function errorPage({ title, message, hint, wayBack }: ErrorPageFacts): string {
  return layout(
    title,
    html`<h1>${title}</h1>
<p class="problem" role="alert">${message}</p>
<p>${hint}</p>
${wayBack && html`<p><a href="${wayBack.address}" rel="noreferrer">Go back to ${wayBack.host}</a></p>`}`,
  );
}
