/** The document around every page of the console: menu, style, script and Content-Security-Policy. */
import { createHash } from 'node:crypto';
import type { Handler, Route } from '../shared/exchange.ts';
import { type Html, html } from '../shared/html.ts';
import type { Viewer } from './page.ts';
import { SCRIPT } from './script.ts';
import { STYLE } from './style.ts';

const [STYLE_PATH, SCRIPT_PATH] = [addressOf('css', STYLE), addressOf('js', SCRIPT)];

/** Named after the content, so that a browser never uses an old one. */
function addressOf(extension: string, content: string): string {
  return `/console/${createHash('sha256').update(content).digest('hex').slice(0, 12)}.${extension}`;
}

const POLICY = [
  "default-src 'none'",
  "style-src 'self'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'self'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': POLICY,
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
  'X-Content-Type-Options': 'nosniff',
  // The origin of a form is checked, so it must be sent.
  'Referrer-Policy': 'same-origin',
  'Cache-Control': 'no-store',
};

export function pageAnswer(document: string, { status = 200 }: { readonly status?: number } = {}): Response {
  return new Response(document, { status, headers: HEADERS });
}

/** 303 See Other, so that browsers follow with GET. */
export function redirectTo(path: string, cookies: readonly string[] = []): Response {
  const answer = new Response(null, {
    status: 303,
    headers: { Location: path, 'Cache-Control': 'no-store' },
  });
  for (const cookie of cookies) answer.headers.append('Set-Cookie', cookie);
  return answer;
}

export function documentOf({ title, body }: { readonly title: string; readonly body: Html }): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} · Quire</title>
<link rel="stylesheet" href="${STYLE_PATH}">
<script src="${SCRIPT_PATH}" defer></script>
</head>
<body>
${body}
</body>
</html>
`.markup;
}

export interface MenuEntry {
  readonly path: string;
  readonly label: string;
  readonly isCurrent: boolean;
}

interface FrameFacts {
  readonly title: string;
  readonly body: Html;
  readonly menu: readonly MenuEntry[];
  readonly viewer: Viewer;
  readonly csrf: string;
  /** Shown once, after a form. */
  readonly notice?: string;
}

export const SIGN_OUT_PATH = '/console/leave';

export function framed({ title, body, menu, viewer, csrf, notice }: FrameFacts): string {
  return documentOf({
    title,
    body: html`<a class="skip" href="#main">Skip to the page</a>
<header class="top"><nav aria-label="Console"><span class="brand">Quire</span>
${menu.map(({ path, label, isCurrent }) => html`<a href="${path}"${isCurrent && html` aria-current="page"`}>${label}</a>`)}
<form method="post" action="${SIGN_OUT_PATH}"><input type="hidden" name="csrf" value="${csrf}"><button class="link">Sign out <b>${viewer.user}</b></button></form></nav></header>
<main id="main" tabindex="-1">
${notice !== undefined && html`<p class="note" role="status">${notice}</p>`}
<h1>${title}</h1>
${body}
</main>`,
  });
}

/** Style and script. They are the same for everybody, so nobody needs to be signed in for them. */
export const ASSET_ROUTES: readonly Route[] = [
  { method: 'GET', path: STYLE_PATH, handle: asset(STYLE, 'text/css') },
  { method: 'GET', path: SCRIPT_PATH, handle: asset(SCRIPT, 'text/javascript') },
];

function asset(content: string, type: string): Handler {
  const headers = {
    'Content-Type': `${type}; charset=utf-8`,
    'Cache-Control': 'public, max-age=31536000, immutable',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
  };
  return async () => new Response(content, { headers });
}
