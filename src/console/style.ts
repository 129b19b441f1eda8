/** The style sheet of the console: one column on a phone, light or dark by the device's preference. */
export const STYLE = `
:root {
  color-scheme: light dark;
  --paper: #f6f5f1; --card: #fffefb; --ink: #24231f; --quiet: #5f5c53; --line: #dbd8ce;
  --strong: #2f5d50; --on-strong: #fff; --bad: #9c2f23; --bad-paper: #fbeae6; --note-paper: #f1efe6;
  --added: #e2f2e6; --added-word: #b4dfc0; --removed: #fbe6e2; --removed-word: #f3bdb3;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #191917; --card: #222220; --ink: #eceae3; --quiet: #aeaa9f; --line: #3d3c37;
    --strong: #8fc4b2; --on-strong: #10201b; --bad: #f0a397; --bad-paper: #3a2320; --note-paper: #2b2a26;
    --added: #1d3326; --added-word: #2f5a40; --removed: #3d2420; --removed-word: #6b352d;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, sans-serif; }
a { color: var(--strong); }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: 1rem; top: .5rem; z-index: 2; background: var(--card); padding: .5rem; }
.top { background: var(--card); border-bottom: 1px solid var(--line); }
.top nav { max-width: 72rem; margin: 0 auto; padding: .25rem 1rem; display: flex; flex-wrap: wrap; align-items: center; gap: 0 .25rem; }
.top a { display: inline-block; padding: .6rem .6rem; color: inherit; text-decoration: none; border-bottom: 2px solid transparent; }
.top a[aria-current] { border-color: var(--strong); font-weight: 600; }
.top .brand { margin: 0 .5rem 0 0; font-weight: 700; letter-spacing: .04em; }
.top form { margin-left: auto; }
main { max-width: 72rem; margin: 0 auto; padding: 1.25rem 1rem 3rem; }
main.narrow { max-width: 30rem; padding-top: 12vh; }
.brand { color: var(--quiet); }
h1 { margin: 0 0 1rem; font-size: 1.5rem; line-height: 1.25; overflow-wrap: anywhere; }
h2 { margin: 1.75rem 0 .5rem; font-size: 1.125rem; overflow-wrap: anywhere; }
h3 { margin: 1rem 0 .25rem; font-size: 1rem; overflow-wrap: anywhere; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
.card { background: var(--card); border: 1px solid var(--line); border-radius: .75rem; padding: 1rem; margin: 0 0 1rem; }
.card > :first-child { margin-top: 0; }
.card > :last-child { margin-bottom: 0; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 26rem), 1fr)); gap: 1rem; margin: 0 0 1rem; }
.tiles .card { margin: 0; min-width: 0; }
pre { margin: 0 0 1rem; padding: .75rem 1rem; background: var(--note-paper); border-radius: .5rem; font-size: .875rem; white-space: pre-wrap; overflow-wrap: anywhere; }
code, .mono { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); font-size: .9375rem; }
.problem { padding: .75rem 1rem; border-radius: .5rem; background: var(--bad-paper); color: var(--bad); font-weight: 600; }
.note { padding: .75rem 1rem; border-radius: .5rem; background: var(--note-paper); }
table { width: 100%; border-collapse: collapse; margin: 0 0 1rem; }
th, td { text-align: left; vertical-align: top; padding: .4rem .6rem .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { color: var(--quiet); font-weight: 600; font-size: .9375rem; }
.wide { overflow-x: auto; }
dl { margin: 0 0 1rem; display: grid; grid-template-columns: minmax(6rem, max-content) minmax(0, 1fr); gap: .25rem 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; overflow-wrap: anywhere; }
ul.plain, ol.plain { list-style: none; margin: 0 0 1rem; padding: 0; }
.rows > li { padding: .6rem 0; border-bottom: 1px solid var(--line); }
.rows > li:first-child { padding-top: 0; }
.rows > li:last-child { border: 0; padding-bottom: 0; }
.row + .rows { margin-top: .6rem; }
.row { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; }
.row > * { min-width: 0; overflow-wrap: anywhere; }
.row .end { margin-left: auto; }
h2.plain, .row h3 { margin: 0; }
h2 .quiet { font-weight: 400; }
.row .what { flex: 1 1 16rem; min-width: 0; overflow-wrap: anywhere; color: inherit; text-decoration-color: var(--line); }
.undone .what { text-decoration: line-through; color: var(--quiet); }
.outside { margin: .4rem 0 0; }
label { display: inline-block; }
form.filters { display: flex; flex-wrap: wrap; gap: .5rem .75rem; align-items: end; margin: 0 0 1rem; }
form.filters > div { min-width: 0; max-width: 100%; }
form.filters label { font-size: .875rem; color: var(--quiet); }
input, select, textarea {
  display: block; max-width: 100%; min-height: 2.5rem; padding: .4rem .6rem; font: inherit; color: inherit;
  background: var(--paper); border: 1px solid var(--quiet); border-radius: .5rem;
}
input[type=checkbox], input[type=radio] { display: inline-block; min-height: 0; width: 1.1rem; height: 1.1rem; vertical-align: -.15rem; }
textarea { width: 100%; margin: 0 0 .75rem; }
button, .button {
  display: inline-block; min-height: 2.5rem; padding: .4rem 1rem; font: inherit; font-weight: 600; text-decoration: none;
  border-radius: .5rem; border: 1px solid var(--quiet); background: transparent; color: inherit; cursor: pointer;
}
button.strong, .button.strong { background: var(--strong); border-color: var(--strong); color: var(--on-strong); }
button.danger { border-color: var(--bad); color: var(--bad); }
button.link { min-height: 0; padding: .25rem 0; border: 0; font-weight: 400; text-decoration: underline; color: var(--quiet); }
:focus-visible { outline: 3px solid var(--strong); outline-offset: 2px; }
.badge { display: inline-block; padding: .05rem .5rem; border-radius: 1rem; background: var(--note-paper); font-size: .8125rem; }
.badge.bad { background: var(--bad-paper); color: var(--bad); }
.diff { margin: 0 0 1rem; border: 1px solid var(--line); border-radius: .5rem; overflow-x: auto; font: .875rem/1.5 ui-monospace, monospace; }
.diff table { margin: 0; }
.diff td { border: 0; padding: 0 .5rem; white-space: pre-wrap; overflow-wrap: anywhere; }
.diff td.number { color: var(--quiet); text-align: right; user-select: none; white-space: nowrap; }
.diff tr.added { background: var(--added); }
.diff tr.removed { background: var(--removed); }
.diff tr.added mark { background: var(--added-word); color: inherit; }
.diff tr.removed mark { background: var(--removed-word); color: inherit; }
.diff table { table-layout: fixed; }
.diff td.number { width: 3.25rem; }
.diff td.sign { width: 1.25rem; padding: 0; text-align: center; user-select: none; }
.diff td.text { padding-left: .25rem; }
.diff summary, .diff .remark { margin: 0; padding: .15rem .75rem; color: var(--quiet); background: var(--note-paper); font-style: italic; }
.diff summary { cursor: pointer; }
.diff .properties { list-style: none; margin: 0; padding: .5rem .75rem; overflow-wrap: anywhere; }
.diff ins { background: var(--added-word); text-decoration: none; }
.diff del { background: var(--removed-word); }
.diff .invisible { border: 1px solid var(--bad); border-radius: .25rem; color: var(--bad); font-size: .75rem; padding: 0 .15rem; }
.tabs { display: flex; flex-wrap: wrap; gap: 0 .25rem; margin: 0 0 1rem; border-bottom: 1px solid var(--line); }
.tabs a { padding: .4rem .75rem; color: inherit; text-decoration: none; border-bottom: 2px solid transparent; }
.tabs a[aria-current] { border-color: var(--strong); font-weight: 600; }
.row h2, .row h3, .card > h2:first-child, .card > h3:first-child { margin-top: 0; }
.row h2, .row h3 { margin-bottom: 0; }
.choice label { display: inline; }
fieldset { margin: 0 0 1rem; padding: 0; border: 0; }
progress { width: 100%; accent-color: var(--strong); }
caption { text-align: left; }
mark { background: var(--added-word); color: inherit; }
.card > .row { margin-bottom: .5rem; }
summary { padding: .25rem 0; cursor: pointer; overflow-wrap: anywhere; }
.plot { display: block; width: 100%; height: 9rem; color: var(--strong); }
.plot .bad { color: var(--bad); }
.plot .soft { opacity: .4; }
.plot .ground { color: var(--line); }
.spark { display: inline-block; width: 7rem; vertical-align: middle; }
.spark .plot { height: 1.75rem; }
.chart h2 { margin: 0 0 .5rem; }
.area { position: relative; }
.scale { position: absolute; inset: 0; display: flex; flex-direction: column; justify-content: space-between; color: var(--quiet); font-size: .8125rem; line-height: 1; pointer-events: none; }
.area .plot { padding-left: 3.5rem; }
.axis { display: flex; justify-content: space-between; padding-left: 3.5rem; color: var(--quiet); font-size: .8125rem; }
.key::before { content: ''; display: inline-block; width: .75rem; height: .75rem; margin-right: .35rem; background: var(--strong); }
.key.bad::before { background: var(--bad); }
.key.soft::before { opacity: .4; }
.key + .key { margin-left: .75rem; }
dl.figures { grid-template-columns: repeat(auto-fit, minmax(9rem, 1fr)); gap: 1rem; }
dl.figures dd { font-size: 1.5rem; font-weight: 600; }
table.even th, table.even td { padding-right: 1.25rem; white-space: nowrap; }
table.numbers td:nth-child(n + 3), table.numbers th[scope=col]:nth-child(n + 3) { text-align: right; font-variant-numeric: tabular-nums; }
.app h2, .app h3 { margin: 0; }
.app .rows { margin: 0; }
.app .rows > li:last-child { border: 0; padding-bottom: 0; }
.app .rows p { margin-bottom: .5rem; }
.app select { display: inline-block; margin: 0 .5rem; }
p > select { display: inline-block; }
.pages { display: flex; gap: 1rem; margin: 1rem 0 0; }
@media (max-width: 40rem) {
  .row .end:not(button, .button) { margin-left: 0; }
  form.filters { display: grid; grid-template-columns: repeat(2, minmax(0, 1fr)); }
  form.filters input, form.filters select { width: 100%; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0; }
  dd { margin-bottom: .5rem; }
  .diff td.number { display: none; }
  .stacked thead { position: absolute; left: -100vw; }
  .stacked tr, .stacked td { display: block; }
  .stacked td { border: 0; padding: .1rem 0; }
  .stacked tr { padding: .5rem 0; border-bottom: 1px solid var(--line); }
}
`;
