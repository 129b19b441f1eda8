/** The page of the MCP App: proposals and changes inside a chat. Self-contained; the script makes all of its content. */
import { html } from '../../../shared/html.ts';
import { VIEW_SCRIPT } from './script.ts';
import { VIEW_STYLE } from './style.ts';

export const VIEW_URI = 'ui://quire/changes';

interface ViewParts {
  /** Where the page itself is read. */
  readonly uri: string;
  /** Half of the proof that a decision comes from this page. */
  readonly pageKey: string;
  /** What the names of the tools begin with. */
  readonly prefix: string;
}

export function viewPage({ uri, pageKey, prefix }: ViewParts): string {
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Changes of notes</title><style>${{ markup: VIEW_STYLE }}</style></head>
<body data-page="${pageKey}" data-prefix="${prefix}" data-uri="${uri}"><main id="main" aria-live="polite"><p class="quiet">Loading…</p></main>
<script>${{ markup: VIEW_SCRIPT }}</script></body></html>`;
  return markup;
}

/** Nothing from anywhere, and no connections. */
export const VIEW_META = {
  ui: {
    csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] },
    prefersBorder: true,
  },
};
