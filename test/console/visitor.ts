/** A browser without a browser: cookies and forms of the console by hand. */
import type { HttpServer } from '../kit/http.ts';

/** The newest link that the server showed. */
export function linkOf({ errors }: Pick<HttpServer, 'errors'>): URL {
  const link = [...errors().matchAll(/http\S+\/console\/enter\?key=\S+/g)].at(-1)?.[0];
  if (link === undefined) throw new Error(`no link: ${errors()}`);
  return new URL(link);
}

export interface Visitor {
  readonly cookie: string;
  get(path: string): Promise<{ readonly status: number; readonly text: string }>;
  /** Sends the first form of a page whose fields it changes; with the page's own CSRF value. */
  send(path: string, fields: Readonly<Record<string, string | readonly string[]>>): Promise<Response>;
}

export function post(
  origin: string,
  path: string,
  fields: URLSearchParams,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(new URL(path, origin), {
    method: 'POST',
    body: fields,
    redirect: 'manual',
    headers: { Origin: origin, ...headers },
  });
}

/** Signs in with the one-time link. */
export async function enter(server: HttpServer): Promise<Visitor> {
  const { origin } = server;
  const key = linkOf(server).searchParams.get('key') ?? '';
  const entered = await post(origin, '/console/enter', new URLSearchParams({ key }));
  return visitorWith(origin, cookieOf(entered));
}

export function cookieOf(answer: Response): string {
  return answer.headers
    .getSetCookie()
    .map((cookie) => cookie.split(';')[0])
    .join('; ');
}

export function visitorWith(origin: string, cookie: string): Visitor {
  const get = async (path: string) => {
    const answer = await fetch(new URL(path, origin), { headers: { Cookie: cookie }, redirect: 'manual' });
    return { status: answer.status, text: await answer.text() };
  };
  return {
    cookie,
    get,
    async send(path, fields) {
      const { text } = await get('/');
      const form = new URLSearchParams({ csrf: csrfIn(text) });
      for (const [name, value] of Object.entries(fields))
        for (const one of [value].flat()) form.append(name, one);
      return post(origin, path, form, { Cookie: cookie });
    },
  };
}

export function csrfIn(page: string): string {
  return /name="csrf" value="([0-9a-f]+)"/.exec(page)?.[1] ?? '';
}
