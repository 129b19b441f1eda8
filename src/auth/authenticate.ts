/** From the Authorization header to who is calling. */
import type { Principal } from '../shared/principal.ts';

/** Undefined when the caller has to prove itself (again). */
export type Authenticate = (token: string | undefined) => Promise<Principal | undefined>;

/** The token of `Authorization: Bearer …`; undefined when there is none, or the header is of another kind. */
export function bearerTokenOf(authorization: string | undefined): string | undefined {
  return /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(authorization ?? '')?.[1];
}

/** The first that knows the token decides. */
export function anyOf(...ways: readonly Authenticate[]): Authenticate {
  return async (token) => {
    for (const way of ways) {
      const principal = await way(token);
      if (principal) return principal;
    }
    return undefined;
  };
}
