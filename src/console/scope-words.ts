import type { Scope } from '../shared/principal.ts';

const READING = 'read and search all your notes';
const WRITING = 'create, change, move and delete notes';

/** What scopes let somebody do, each to be put after "may". Who may write may read, whether it asked for that or not. */
export function describeScopes(scopes: readonly Scope[]): string[] {
  return scopes.includes('notes:write') ? [READING, WRITING] : scopes.map(() => READING);
}
