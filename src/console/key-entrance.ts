/**
 * The way in for a server without a login: a link with a key that works once, shown to the operator at the start. When
 * it has been used, there is another, for the next browser.
 */
import { isSame, newSecret } from '../oauth/tickets.ts';
import type { Route } from '../shared/exchange.ts';
import { html } from '../shared/html.ts';
import { type ConsoleAccess, isFromHere } from './access.ts';
import { ENTRANCE_PATH, type Entrance, entrancePage, safeNext } from './entrance.ts';
import { pageAnswer, redirectTo } from './frame.ts';

/** The name under which changes of the operator are recorded. */
export const OPERATOR = 'operator';

interface KeyParts {
  readonly origin: string;
  readonly access: ConsoleAccess;
  /** Called with each new link. */
  readonly onLink: (link: string) => void;
}

export function createKeyEntrance({ origin, access, onLink }: KeyParts): Entrance {
  let key = '';
  const renew = () => {
    key = newSecret();
    onLink(`${origin}${ENTRANCE_PATH}?key=${key}`);
  };
  renew();
  const show: Route['handle'] = async (request) => {
    const { searchParams } = new URL(request.url);
    const given = searchParams.get('key') ?? '';
    if (given === '') return pageAnswer(noKey());
    // The key is used up by the form, not by opening the link: programs that look ahead at links open them too.
    return pageAnswer(
      entrancePage(
        'Open the console',
        html`<p>This link opens the console of this server once, in this browser.</p>
<form method="post" action="${ENTRANCE_PATH}" data-send><input type="hidden" name="key" value="${given}"><input type="hidden" name="next" value="${safeNext(searchParams.get('next'))}">
<button class="strong">Open</button></form>`,
      ),
    );
  };
  const enter: Route['handle'] = async (request) => {
    if (!isFromHere(request)) return pageAnswer(wrongKey(), { status: 403 });
    const fields = new URLSearchParams(await request.text());
    if (!isSame(fields.get('key') ?? '', key)) return pageAnswer(wrongKey(), { status: 403 });
    renew();
    return redirectTo(safeNext(fields.get('next')), [await access.begin(OPERATOR)]);
  };
  return {
    routes: [
      { method: 'GET', path: ENTRANCE_PATH, handle: show },
      { method: 'POST', path: ENTRANCE_PATH, handle: enter },
    ],
  };
}

function noKey(): string {
  return entrancePage(
    'The console needs a key',
    html`<p>The key is in a link that this server writes to its terminal or log. Open that link.</p>
<p>Each link works once. After that, the server writes a new one: the newest is the one that works.</p>`,
  );
}

function wrongKey(): string {
  return entrancePage(
    'This key does not open the console',
    html`<p class="problem" role="alert">It was used before, or is of an earlier start of this server.</p>
<p>Open the newest link in the terminal or log of the server.</p>`,
  );
}
