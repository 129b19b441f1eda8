/**
 * The script of the console, for what a page without one cannot do: local times, copy buttons, and parts of a page that
 * follow the server's events. Everything else works without it.
 */
export const SCRIPT = `'use strict';
(() => {
  const local = (root) => {
    for (const time of root.querySelectorAll('time[datetime]')) {
      const moment = new Date(time.getAttribute('datetime'));
      time.textContent = moment.toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
    }
  };
  local(document);
  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = 'Copied';
      } catch {
        // Browsers have a clipboard for https and for this machine only.
        document.getSelection().selectAllChildren(source);
        button.textContent = 'Selected';
      }
    });
  }
  for (const form of document.querySelectorAll('form[data-send]')) form.submit();
  const live = document.querySelector('[data-live]');
  if (!live) return;
  let isBehind = false;
  let isLoading = false;
  const later = (milliseconds) => setTimeout(() => { isLoading = false; if (isBehind) void load(); }, milliseconds);
  const isSelecting = () => {
    const selection = document.getSelection();
    return selection && !selection.isCollapsed && live.contains(selection.anchorNode);
  };
  const twinOf = (element) => {
    if (element.id) return document.getElementById(element.id);
    const href = element.getAttribute('href');
    return href && [...live.querySelectorAll('a')].find((link) => link.getAttribute('href') === href);
  };
  const replace = (fresh) => {
    const focused = live.contains(document.activeElement) ? document.activeElement : undefined;
    const open = [...live.querySelectorAll('details[open][id]')].map(({ id }) => id);
    live.replaceChildren(...fresh.childNodes);
    local(live);
    for (const id of open) document.getElementById(id)?.setAttribute('open', '');
    if (focused) twinOf(focused)?.focus({ preventScroll: true });
  };
  const load = async () => {
    if (isLoading) { isBehind = true; return; }
    isLoading = true;
    isBehind = false;
    let wait = 300;
    try {
      if (isSelecting()) { isBehind = true; wait = 2000; return; }
      const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
      if (!answer.ok) throw new Error(answer.statusText);
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const fresh = page.querySelector('[data-live]');
      if (fresh) replace(fresh);
    } catch {
      isBehind = true;
      wait = 3000;
    } finally {
      later(wait);
    }
  };
  let events;
  // Browsers allow a server few connections: a hidden page gives its own back.
  const follow = () => {
    if (document.hidden) { events?.close(); events = undefined; isBehind = true; return; }
    if (events) return;
    events = new EventSource(live.dataset.live);
    events.addEventListener('change', () => void load());
    events.addEventListener('open', () => { if (isBehind) void load(); });
    events.addEventListener('error', () => {
      isBehind = true;
      if (events?.readyState === EventSource.CLOSED) { events = undefined; setTimeout(follow, 10000); }
    });
  };
  document.addEventListener('visibilitychange', follow);
  follow();
})();
`;
