/** The style sheet of the view: the host's colours where it gives them, else the same as on the pages. */
export const VIEW_STYLE = `
:root {
  color-scheme: light dark;
  --paper: var(--color-background-primary, light-dark(#fffefb, #222220)); --ink: var(--color-text-primary, light-dark(#24231f, #eceae3));
  --quiet: var(--color-text-secondary, light-dark(#5f5c53, #aeaa9f)); --line: var(--color-border-primary, light-dark(#dbd8ce, #3d3c37));
  --strong: light-dark(#2f5d50, #8fc4b2); --on-strong: light-dark(#fff, #10201b); --bad: light-dark(#9c2f23, #f0a397);
  --bad-paper: light-dark(#fbeae6, #3a2320); --added: light-dark(#e2f2e6, #1d3326); --removed: light-dark(#fbe6e2, #3d2420);
}
:root[data-theme=light] { color-scheme: light; }
:root[data-theme=dark] { color-scheme: dark; }
* { box-sizing: border-box; }
body { margin: 0; padding: .75rem; background: var(--paper); color: var(--ink); font: .9375rem/1.5 var(--font-sans, system-ui, sans-serif); }
h1 { margin: 0 0 .5rem; font-size: 1.0625rem; }
h2 { margin: 0 0 .25rem; font-size: .9375rem; overflow-wrap: anywhere; }
p { margin: 0 0 .5rem; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .875rem; }
.problem { padding: .5rem .75rem; border-radius: .5rem; background: var(--bad-paper); color: var(--bad); font-weight: 600; white-space: pre-line; }
.card { border: 1px solid var(--line); border-radius: .75rem; padding: .75rem; margin: 0 0 .75rem; }
.card > :last-child { margin-bottom: 0; }
.row { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: .5rem 0 0; }
.diff { margin: .25rem 0 .5rem; border: 1px solid var(--line); border-radius: .5rem; overflow: hidden; max-height: 24rem; overflow-y: auto; font: .8125rem/1.5 var(--font-mono, ui-monospace, monospace); }
.diff div { padding: 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere; min-height: 1.5em; }
.added { background: var(--added); }
.removed { background: var(--removed); }
label { display: block; font-size: .875rem; }
input[type=checkbox] { width: 1rem; height: 1rem; vertical-align: -.125rem; }
textarea { display: block; width: 100%; min-height: 2.5rem; padding: .4rem .6rem; font: inherit; color: inherit; background: transparent; border: 1px solid var(--quiet); border-radius: .5rem; }
button { min-height: 2.25rem; padding: .25rem .9rem; font: inherit; font-weight: 600; border-radius: .5rem; border: 1px solid var(--quiet); background: transparent; color: inherit; cursor: pointer; }
button.strong { background: var(--strong); border-color: var(--strong); color: var(--on-strong); }
button.danger { border-color: var(--bad); color: var(--bad); }
button:disabled { opacity: .6; cursor: default; }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
.badge { display: inline-block; padding: 0 .5rem; border-radius: 1rem; border: 1px solid var(--line); font-size: .8125rem; font-weight: 400; }
`;
