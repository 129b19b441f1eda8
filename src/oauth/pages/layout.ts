/** The layout and Content-Security-Policy of every page: only a form, and no script but the one for passkeys. */
import { createHash } from 'node:crypto';
import { type Html, html } from '../../shared/html.ts';

/** One column with touch-sized controls, light or dark by the device's preference. */
const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f5f1; --card: #fffefb; --ink: #24231f; --quiet: #67645b; --line: #dbd8ce;
  --strong: #2f5d50; --on-strong: #fff; --bad: #9c2f23; --bad-paper: #fbeae6; --note-paper: #f1efe6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #191917; --card: #222220; --ink: #eceae3; --quiet: #a5a196; --line: #3d3c37;
    --strong: #8fc4b2; --on-strong: #10201b; --bad: #f0a397; --bad-paper: #3a2320; --note-paper: #2b2a26;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; min-height: 100vh; min-height: 100dvh; display: grid; place-content: center;
  grid-template-columns: minmax(0, 27rem); padding: 1.25rem;
  background: var(--paper); color: var(--ink); font: 1.0625rem/1.5 system-ui, sans-serif;
}
main { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.75rem 1.5rem; }
.brand { margin: 0 0 1.25rem; color: var(--quiet); font-size: .875rem; letter-spacing: .06em; text-transform: uppercase; }
h1 { margin: 0 0 .75rem; font-size: 1.375rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 1.5rem 0 .25rem; font-size: 1.0625rem; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; }
pre { margin: 0 0 1rem; padding: .75rem 1rem; white-space: pre-wrap; overflow-wrap: anywhere; background: var(--note-paper); border-radius: .6rem; font-size: .875rem; }
b, dd, p { overflow-wrap: anywhere; }
label { display: block; margin: 0 0 1rem; font-weight: 600; }
input {
  display: block; width: 100%; min-height: 3rem; margin-top: .3rem; padding: .6rem .8rem;
  font: inherit; font-weight: 400; color: inherit; background: var(--paper);
  border: 1px solid var(--quiet); border-radius: .6rem;
}
fieldset { margin: 0 0 1rem; padding: .5rem 1rem; border: 1px solid var(--line); border-radius: .6rem; }
legend { padding: 0 .3rem; font-weight: 600; }
fieldset label { display: flex; flex-direction: row-reverse; justify-content: flex-end; align-items: center; gap: .7rem; min-height: 2.75rem; margin: 0; padding: .3rem 0; font-weight: 400; }
input[type=radio], input[type=checkbox] { width: 1.25rem; height: 1.25rem; min-height: 0; margin: 0; flex: none; accent-color: var(--strong); }
button {
  display: block; width: 100%; min-height: 3rem; margin-top: .75rem; padding: .6rem 1rem;
  font: inherit; font-weight: 600; border-radius: .6rem; border: 1px solid var(--quiet);
  background: transparent; color: inherit; cursor: pointer;
}
a.strong { display: block; text-align: center; text-decoration: none; min-height: 3rem; padding: .7rem 1rem; font-weight: 600; border-radius: .6rem; }
button.strong, a.strong { background: var(--strong); border-color: var(--strong); color: var(--on-strong); }
button.link {
  display: inline; width: auto; min-height: 0; margin: 0; padding: .25rem 0; border: 0;
  font-weight: 400; text-decoration: underline; color: var(--quiet);
}
svg { display: block; width: 12rem; max-width: 100%; margin: 0 auto 1rem; background: #fff; }
ul.codes { columns: 2; list-style: none; padding: 0; font-family: ui-monospace, monospace; }
[hidden] { display: none; }
input:focus-visible, button:focus-visible, a:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
section { margin: 0 0 1.5rem; }
section button { margin-top: 0; }
section button + button { margin-top: .75rem; }
section button + p, form ~ form { margin-top: 1.25rem; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; }
li { margin: .25rem 0; }
dl { margin: 0 0 1rem; padding: .9rem 1rem; background: var(--note-paper); border-radius: .6rem; font-size: .9375rem; }
dt { color: var(--quiet); }
dd { margin: 0 0 .6rem; }
dd:last-child { margin-bottom: 0; }
.problem { padding: .75rem 1rem; border-radius: .6rem; background: var(--bad-paper); color: var(--bad); font-weight: 600; }
.note { padding: .75rem 1rem; border-radius: .6rem; background: var(--note-paper); }
.quiet { color: var(--quiet); font-size: .9375rem; margin: 1rem 0 0; }
a { color: var(--strong); }
`;

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');
const STYLE_ELEMENT: Html = { markup: `<style>${STYLE}</style>` };

/**
 * Asks the browser for a passkey, and sends the form with the answer. The options are in the form; a browser that cannot do
 * it says so.
 */
const PASSKEY_SCRIPT = `
const form = document.querySelector('form[data-passkey]');
const problem = document.querySelector('#passkey-problem');
form.addEventListener('submit', async (event) => {
  if (form.elements.passkey.value !== '') return;
  event.preventDefault();
  try {
    const options = JSON.parse(form.dataset.passkey);
    const credential = form.dataset.kind === 'create'
      ? await navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
      : await navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) });
    form.elements.passkey.value = JSON.stringify(credential.toJSON());
    form.requestSubmit(form.querySelector('button[name=action]'));
  } catch {
    problem.hidden = false;
  }
});
`;

const PASSKEY_SCRIPT_HASH = createHash('sha256').update(PASSKEY_SCRIPT).digest('base64');

/** For a page with a form that has the options in `data-passkey`. */
export const PASSKEY_ELEMENTS: Html = {
  markup: `<p class="problem" id="passkey-problem" role="alert" hidden>The passkey was not used: it was cancelled, is not on this device, or this browser has none.</p><script>${PASSKEY_SCRIPT}</script>`,
};

/** `leadsTo` is the origin a form may be redirected to, which browsers check against `form-action` as well. */
export function contentSecurityPolicy(leadsTo?: string, runsPasskeys = false): string {
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    ...(runsPasskeys ? [`script-src 'sha256-${PASSKEY_SCRIPT_HASH}'`] : []),
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
