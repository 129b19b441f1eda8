/**
 * What tokens are for (RFC 8707). Clients spell it in their own ways: with or without a slash at the end, the
 * server's address or one of its MCP endpoints. All of these are one resource, kept under one name.
 */
import { OAuthError } from './errors.ts';

export interface Resource {
  readonly id: string;
  isSame(spelling: string): boolean;
  /** Throws `invalid_target` when a request asks for anything else. None asked for: this one. */
  assertAskedFor(spellings: readonly string[]): void;
}

export function createResource(
  issuer: string,
  resource: string,
  endpoints: readonly string[] = ['/mcp'],
): Resource {
  const addresses = endpoints.map((path) => `${issuer}${path}`);
  const spellings = new Set([issuer, ...addresses, resource].map(canonical));
  const isSame = (spelling: string) => {
    const found = canonical(spelling);
    return found !== undefined && spellings.has(found);
  };
  return {
    id: resource,
    isSame,
    assertAskedFor(asked) {
      const other = asked.find((spelling) => !isSame(spelling));
      if (other === undefined) return;
      throw new OAuthError('invalid_target', `This server gives out tokens for ${resource} only`);
    },
  };
}

function canonical(text: string): string | undefined {
  if (!URL.canParse(text) || text.includes('#')) return undefined;
  const url = new URL(text);
  const isPlain =
    /^https?:$/.test(url.protocol) && url.search === '' && url.username === '' && url.password === '';
  return isPlain ? url.origin + url.pathname.replace(/\/+$/, '') : undefined;
}
