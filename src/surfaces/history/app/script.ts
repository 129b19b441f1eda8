/**
 * The script of the view. It speaks the messages of MCP Apps (JSON-RPC over postMessage) by itself: the App class of the
 * official package is half a megabyte, and this needs six messages. All content becomes text nodes, never markup.
 */
export const VIEW_SCRIPT = String.raw`
'use strict';
const main = document.getElementById('main');
const { prefix, uri } = document.body.dataset;
let pageKey = document.body.dataset.page;

// Messages
let lastId = 0;
const open = new Map();
const post = (message) => window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
const notify = (method, params = {}) => post({ method, params });
const request = (method, params) => new Promise((resolve, reject) => {
  lastId += 1;
  open.set(lastId, { resolve, reject });
  post({ id: lastId, method, params });
});
const handlers = {
  'ui/notifications/tool-input': ({ arguments: given }) => { input = given ?? {}; },
  'ui/notifications/tool-result': (result) => show(result),
  'ui/notifications/tool-cancelled': () => say('The call was cancelled.'),
  'ui/notifications/host-context-changed': (context) => dress(context),
};
let input = {};
window.addEventListener('message', ({ source, data }) => {
  if (source !== window.parent || data?.jsonrpc !== '2.0') return;
  const waiting = data.method === undefined && open.get(data.id);
  if (waiting) {
    open.delete(data.id);
    if (data.error) waiting.reject(new Error(data.error.message));
    else waiting.resolve(data.result);
  } else if (data.id !== undefined && data.method) {
    const isKnown = data.method === 'ping' || data.method === 'ui/resource-teardown';
    post(isKnown ? { id: data.id, result: {} } : { id: data.id, error: { code: -32601, message: 'Method not found' } });
  } else handlers[data.method]?.(data.params ?? {});
});

// Tools
const textOf = ({ content = [] }) => content.filter(({ type }) => type === 'text').map(({ text }) => text).join('\n');
const valueOf = (result) => {
  try { return JSON.parse(result.content[0].text); } catch { return {}; }
};
const call = async (tool, args) => {
  const result = await request('tools/call', { name: prefix + tool, arguments: args });
  const value = valueOf(result);
  if (result.isError || value.error) throw new Error(textOf(result));
  return { value, data: result._meta?.['quire/view'] ?? {} };
};

// Elements
const el = (tag, { text, on, ...properties } = {}, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  if (text !== undefined) made.textContent = text;
  if (on) made.addEventListener('click', on);
  made.append(...children.filter(Boolean));
  return made;
};
const fill = (...children) => main.replaceChildren(...children.filter(Boolean));
const say = (text, className = 'quiet') => fill(el('p', { text, className }));
const timeOf = (at) => new Date(at).toLocaleString();
const diffOf = (diff) => el('div', { className: 'diff' }, ...diff.split('\n').map((line) => el('div', {
  text: line, className: line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : '',
})));
const VERBS = { create: 'Create', write: 'Change', delete: 'Delete', move: 'Move' };
const DONE = { create: 'Created', write: 'Changed', delete: 'Deleted', move: 'Moved' };
const titleOf = ({ edit, path, to, title }, verbs = VERBS) => (verbs[edit] ?? edit) + ' ' + (title ?? path) + (to ? ' to ' + to : '');
/** Runs what a button stands for; a failure is shown above the button, which can be pressed again. */
const busy = (work) => async ({ currentTarget: button }) => {
  const card = button.closest('.card') ?? main;
  card.querySelector('.problem')?.remove();
  button.disabled = true;
  try { await work(button); } catch (error) {
    button.closest('.row').before(el('p', { className: 'problem', text: error.message, role: 'alert' }));
  }
  button.disabled = false;
};

// Proposals
const partView = ({ line, diff }, at, { isChange, hasBox }) => el('div', {},
  hasBox ? el('label', {}, el('input', { type: 'checkbox', checked: true, value: String(at + 1) }), ' Part ' + (at + 1) + ', line ' + line)
    : isChange && el('p', { className: 'quiet', text: 'Line ' + line }),
  diffOf(diff));
const noteView = (note) => {
  const isOpen = note.state === 'waiting';
  const isChange = note.edit === 'write';
  const parts = note.parts ?? [];
  return el('section', { className: 'note' },
    el('h2', { text: titleOf(note) }, isOpen ? undefined : el('span', { className: 'badge', text: note.state })),
    parts.length === 0 && note.edit !== 'move' && el('p', { className: 'quiet', text: 'No lines to show: the text stays the same, is no text or is too large.' }),
    ...parts.map((part, at) => partView(part, at, { isChange, hasBox: isOpen && isChange && parts.length > 1 })));
};
const verdictOf = (card, notes, action) => {
  const accept = [];
  const reject = [];
  notes.forEach(({ state }, at) => {
    if (state !== 'waiting') return;
    const boxes = [...card.querySelectorAll('.note')[at].querySelectorAll('input[type=checkbox]')];
    const checked = boxes.filter((box) => box.checked);
    if (action === 'reject' || (boxes.length > 0 && checked.length === 0)) reject.push(at + 1);
    else if (checked.length === boxes.length) accept.push({ note: at + 1 });
    else accept.push({ note: at + 1, parts: checked.map((box) => Number(box.value)) });
  });
  return { accept, reject };
};
const decide = async (card, { id, notes }, ticket, action) => {
  const comment = card.querySelector('textarea').value.trim() || undefined;
  const args = { id, ...verdictOf(card, notes, action), comment };
  let fresh = ticket;
  try {
    await call('decide_proposal', { ...args, page: pageKey, ticket });
  } catch (error) {
    // A host may show a page that it kept from before the server was restarted.
    const key = await freshPageKey().catch(() => undefined);
    if (key === undefined || key === pageKey) throw error;
    pageKey = key;
    fresh = (await call('list_proposals', { id })).data.tickets?.[id];
    await call('decide_proposal', { ...args, page: pageKey, ticket: fresh });
  }
};
const freshPageKey = async () => {
  const { contents } = await request('resources/read', { uri });
  return /data-page="([\w-]+)"/.exec(contents[0].text)?.[1];
};
const proposalCard = (proposal, ticket) => {
  const { id, at, notebook, tool, notes, decisions, state } = proposal;
  const several = notes.some(({ edit, parts = [] }) => edit === 'write' && parts.length > 1);
  const press = (action) => busy(async (button) => {
    const card = button.closest('.card');
    try { await decide(card, proposal, ticket, action); } catch (error) {
      // The ticket is used up; another one comes with the proposal as it is now.
      const now = await call('list_proposals', { id });
      ticket = now.data.tickets?.[id];
      throw error;
    }
    const now = await call('list_proposals', { id });
    card.replaceWith(proposalCard(now.value.proposals[0], now.data.tickets?.[id]));
  });
  return el('article', { className: 'card' },
    el('p', { className: 'quiet', text: tool + ', notebook ' + notebook + ', ' + timeOf(at) + ', ' + id }),
    ...decisions.map(({ by, outcome, comment }) => el('p', { text: outcome + ' by ' + by + (comment ? ': ' + comment : '') })),
    ...notes.map(noteView),
    state === 'waiting' && !ticket && el('p', { className: 'quiet', text: 'This app may only propose. Decide on the page Review, or with quire review.' }),
    state === 'waiting' && ticket && el('label', { text: 'Comment for the assistant' }, el('textarea', { rows: 1, maxLength: 2000 })),
    state === 'waiting' && ticket && el('div', { className: 'row' },
      el('button', { type: 'button', className: 'strong', text: several ? 'Accept the checked parts' : 'Accept', on: press('accept') }),
      el('button', { type: 'button', className: 'danger', text: 'Reject', on: press('reject') })));
};
const proposalsView = ({ value, data }) => fill(
  el('h1', { text: value.proposals.length === 0 ? 'No change waits for you' : 'Changes that wait for you' }),
  ...value.proposals.map((proposal) => proposalCard(proposal, data.tickets?.[proposal.id])),
  value.note && el('p', { className: 'quiet', text: value.note }));

// Changes
const changeCard = ({ id, at, tool, by, notes, canUndo, undoneBy }) => {
  const details = el('div', {});
  const look = busy(async (button) => {
    const { value } = await call('show_change', { id });
    const several = value.notes.length > 1;
    details.replaceChildren(...value.notes.flatMap((note) => [several && el('h2', { text: titleOf(note, DONE) }), diffOf(note.diff)]).filter(Boolean));
    button.remove();
  });
  const undo = busy(async (button) => {
    const isSure = button.dataset.sure === 'yes';
    const { value } = await call('undo_changes', { id, dryRun: !isSure });
    details.replaceChildren(el('p', { text: value.message }), ...(value.notes ?? []).map(({ path, action }) => el('p', { className: 'quiet', text: action + ': ' + path })));
    button.dataset.sure = 'yes';
    button.textContent = 'Undo now';
    if (isSure || value.success === false) button.remove();
  });
  return el('article', { className: 'card' },
    el('p', { className: 'quiet', text: tool + (by ? ' by ' + by : '') + ', ' + timeOf(at) + ', ' + id }),
    ...notes.map((note) => el('h2', { text: titleOf(note, DONE) })),
    undoneBy && el('p', { className: 'badge', text: 'undone' }),
    details,
    el('div', { className: 'row' }, el('button', { type: 'button', text: 'Show the lines', on: look }),
      canUndo && el('button', { type: 'button', className: 'danger', text: 'Undo', on: undo })));
};
const changesView = ({ changes }) => fill(
  el('h1', { text: changes.length === 0 ? 'No changes' : 'Changes of notes' }), ...changes.map(changeCard));
const undoneView = ({ message, notes = [] }) => fill(
  el('h1', { text: message }), ...notes.map(({ path, action }) => el('p', { className: 'quiet', text: action + ': ' + path })));

const show = async (result) => {
  if (result.isError) return say(textOf(result), 'problem');
  const value = valueOf(result);
  const proposal = result._meta?.['quire/proposal'];
  try {
    if (proposal) proposalsView(await call('list_proposals', { id: proposal }));
    else if (value.proposals) proposalsView({ value, data: result._meta?.['quire/view'] ?? {} });
    else if (value.changes) changesView(value);
    else if (value.undone) undoneView(value);
    else say('Done. Nothing waits for you.');
  } catch (error) { say(error.message, 'problem'); }
};

const dress = (context = {}) => {
  const root = document.documentElement;
  if (context.theme === 'light' || context.theme === 'dark') root.dataset.theme = context.theme;
  for (const [name, value] of Object.entries(context.styles?.variables ?? {}))
    if (/^--[\w-]+$/.test(name) && value) root.style.setProperty(name, value);
};

(async () => {
  const { hostContext } = await request('ui/initialize', {
    appInfo: { name: 'quire-changes', version: '1' }, appCapabilities: { availableDisplayModes: ['inline'] }, protocolVersion: '2026-01-26',
  });
  dress(hostContext);
  notify('ui/notifications/initialized');
  let sent = 0;
  new ResizeObserver(() => {
    const height = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (height !== sent) notify('ui/notifications/size-changed', { height });
    sent = height;
  }).observe(document.documentElement);
})().catch((error) => say(error.message, 'problem'));
`;
