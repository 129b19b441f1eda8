/** The cookies of the login pages. Scripts cannot read them, other sites cannot send them along with a form. */
export interface Cookies {
  /** Tells one browser from another; proves nothing else. */
  readonly browser: Cookie;
  /** A login of a few minutes ago. */
  readonly session: Cookie;
  /** That somebody has come in with this browser before. Opens nothing: the password is asked for all the same. */
  readonly device: Cookie;
}

export interface Cookie {
  read(request: Request): string | undefined;
  /** The header that sets it. */
  set(value: string, seconds: number): string;
  clear(): string;
}

export const BROWSER_SECONDS = 60 * 60;

const VALUE = /^[0-9a-f]{64}$/;

export function createCookies(isSecure: boolean): Cookies {
  return {
    browser: createCookie('quire-browser', isSecure),
    session: createCookie('quire-session', isSecure),
    device: createCookie('quire-device', isSecure),
  };
}

function createCookie(plainName: string, isSecure: boolean): Cookie {
  // With this prefix no other host, and nobody on the way, can plant one.
  const name = isSecure ? `__Host-${plainName}` : plainName;
  const attributes = `Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`;
  return {
    read(request) {
      const values = (request.headers.get('cookie') ?? '')
        .split(';')
        .map((pair) => pair.trim())
        .filter((pair) => pair.startsWith(`${name}=`))
        .map((pair) => pair.slice(name.length + 1));
      // Two of one name: one of them is not ours, and there is no telling which.
      const [value] = values;
      return values.length === 1 && value !== undefined && VALUE.test(value) ? value : undefined;
    },
    set: (value, seconds) => `${name}=${value}; Max-Age=${seconds}; ${attributes}`,
    clear: () => `${name}=; Max-Age=0; ${attributes}`,
  };
}
