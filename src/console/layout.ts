/** The frame of every page, and what a browser may do with one: show it, and send its form. No scripts. */
import { createHash } from 'node:crypto';
import { type Html, html } from './html.ts';
import { STYLE } from './style.ts';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const STYLE_ELEMENT: Html = { markup: `<style>${STYLE}</style>` };

/** `leadsTo`: where a form may be redirected besides this server; browsers look at that as well. */
export function contentSecurityPolicy(leadsTo?: string): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action 'self'${leadsTo === undefined ? '' : ` ${leadsTo}`}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}

export function layout(title: string, body: Html): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Quire</title>
${STYLE_ELEMENT}
</head>
<body>
<main>
<p class="brand">Quire</p>
${body}
</main>
</body>
</html>
`.markup;
}
