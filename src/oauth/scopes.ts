/** What may be asked for, and what is given. */
import { SCOPES, type Scope } from '../shared/principal.ts';
import { OAuthError } from './errors.ts';

/** Asks for a refresh token; opens nothing by itself. */
export const OFFLINE_ACCESS = 'offline_access';

export interface AskedScopes {
  readonly scopes: readonly Scope[];
  readonly offline: boolean;
}

/** What is not known is left out; the answer says what was given. Nothing asked for is everything, which the person decides on. */
export function readScopes(text: string | undefined): AskedScopes {
  const asked = (text ?? '').split(' ').filter((scope) => scope !== '');
  const scopes = SCOPES.filter((scope) => asked.includes(scope));
  const offline = asked.includes(OFFLINE_ACCESS);
  const isSpecific = asked.some((scope) => scope !== OFFLINE_ACCESS);
  if (isSpecific && scopes.length === 0)
    throw new OAuthError(
      'invalid_scope',
      `None of these scopes exists here. There are: ${SCOPES.join(', ')}`,
    );
  return { scopes: isSpecific ? scopes : SCOPES, offline };
}

/** For a request that may ask for less than was granted, never for more. */
export function narrowScopes(text: string | undefined, granted: readonly Scope[]): readonly Scope[] {
  if (text === undefined) return granted;
  const asked = text.split(' ').filter((scope) => scope !== '' && scope !== OFFLINE_ACCESS);
  const known = SCOPES.filter((scope) => asked.includes(scope));
  if (known.some((scope) => !granted.includes(scope)))
    throw new OAuthError('invalid_scope', `More than was granted: ${granted.join(' ')}`);
  if (asked.length > 0 && known.length === 0)
    throw new OAuthError('invalid_scope', `None of these scopes was granted: ${granted.join(' ')}`);
  return known.length === 0 ? granted : known;
}
