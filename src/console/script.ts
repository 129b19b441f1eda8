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
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = 'Copied';
    });
  }
  for (const form of document.querySelectorAll('form[data-send]')) form.submit();
  const live = document.querySelector('[data-live]');
  if (!live) return;
  let isBehind = false;
  let isLoading = false;
  const load = async () => {
    if (isLoading) { isBehind = true; return; }
    isLoading = true;
    isBehind = false;
    try {
      const answer = await fetch(location.href, { headers: { accept: 'text/html' } });
      const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
      const fresh = page.querySelector('[data-live]');
      if (answer.ok && fresh && !live.contains(document.activeElement)) {
        live.replaceChildren(...fresh.childNodes);
        local(live);
      }
    } finally {
      setTimeout(() => { isLoading = false; if (isBehind) void load(); }, 300);
    }
  };
  const events = new EventSource(live.dataset.live);
  events.addEventListener('change', () => void load());
  events.addEventListener('open', () => { if (isBehind) void load(); });
  events.addEventListener('error', () => { isBehind = true; });
})();
`;
