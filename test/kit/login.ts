/** A person with a browser, as far as a login needs one: follows, remembers cookies, fills in forms. */
export interface Person {
  readonly username: string;
  readonly password: string;
}

/**
 * From the address a client sends a person to, through login and consent, to where the person is sent back; the pages
 * on the way are put into `seen`. Unless `choose` says something else, all that is asked for is allowed.
 */
export async function approve(
  address: string | URL,
  person: Person,
  seen: string[] = [],
  choose: (fields: URLSearchParams) => void = () => {},
): Promise<URL> {
  const cookies = new Map<string, string>();
  const visit = async (url: URL, form?: URLSearchParams) => {
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { Cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form && { method: 'POST', body: form }),
    });
    for (const cookie of answer.headers.getSetCookie()) {
      const [pair = ''] = cookie.split(';');
      const equals = pair.indexOf('=');
      cookies.set(pair.slice(0, equals), pair.slice(equals + 1));
    }
    return answer;
  };
  let url = new URL(address);
  let answer = await visit(url);
  for (let step = 0; step < 6; step++) {
    const location = answer.headers.get('location');
    if (location !== null) {
      const next = new URL(location, url);
      if (next.origin !== url.origin) return next;
      url = next;
      answer = await visit(url);
      continue;
    }
    const page = await answer.text();
    seen.push(page);
    const form = formIn(page);
    if (!form) throw new Error(`no form: ${answer.status} ${page.slice(0, 500)}`);
    if (page.includes('name="password"')) {
      form.fields.set('username', person.username);
      form.fields.set('password', person.password);
      form.fields.set('action', 'login');
    } else {
      form.fields.delete('notebooks');
      form.fields.set('action', 'approve');
      choose(form.fields);
    }
    url = new URL(form.action, url);
    answer = await visit(url, form.fields);
  }
  throw new Error('the login does not end');
}

export function formIn(page: string): { action: string; fields: URLSearchParams } | undefined {
  const form = /<form[^>]*action="([^"]*)"[^>]*>([\s\S]*?)<\/form>/.exec(page);
  if (!form) return undefined;
  const fields = new URLSearchParams();
  for (const [input] of (form[2] ?? '').matchAll(/<input[^>]*type="hidden"[^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(input)?.[1];
    const value = /value="([^"]*)"/.exec(input)?.[1] ?? '';
    if (name !== undefined) fields.set(name, plainText(value));
  }
  return { action: plainText(form[1] ?? ''), fields };
}

function plainText(text: string): string {
  return text
    .replace(/&#x([0-9a-f]+);/gi, (_, code: string) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}
